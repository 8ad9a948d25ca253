import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * Native packages are optional dependencies, one for each platform. A registry mirror that only has some of them makes
 * npm leave the others out of the lock file, and `npm ci` (npm 11.16 and newer) then refuses its own lock file
 * (npm/cli#9846). This names the ones left out, with the platform their name tells. Run it after each change of the
 * dependencies: `npm run lock`.
 */

interface LockedPackage {
  version?: string;
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

const file = fileURLToPath(new URL("../package-lock.json", import.meta.url));
const lock = JSON.parse(readFileSync(file, "utf8")) as { packages: Record<string, LockedPackage> };

for (const parent of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    const platform =
      /(android|darwin|freebsd|linux|openharmony|win32)-(arm64|arm|x64|ia32|ppc64|riscv64|s390x)(.*)$/.exec(
        name,
      );
    if (!platform || !/^\d/.test(version)) continue;
    const [, os = "", cpu = "", rest = ""] = platform;
    lock.packages[`node_modules/${name}`] ??= {
      version,
      cpu: [cpu],
      ...(parent.dev ? { dev: true } : {}),
      ...(os === "linux" ? { libc: [rest.includes("musl") ? "musl" : "glibc"] } : {}),
      optional: true,
      os: [os],
    };
  }
}

const sorted = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1));
writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`);
