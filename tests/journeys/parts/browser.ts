import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as base, chromium } from "@playwright/test";

interface Options {
  /** What the browser does to the storage of a frame of another site. Distributions differ in their default. */
  thirdPartyStorage: "kept" | "blocked";
}

/** A visitor with a browser profile of their own. */
export const test = base.extend<Options>({
  thirdPartyStorage: ["kept", { option: true }],
  context: async ({ thirdPartyStorage, launchOptions, viewport, isMobile, hasTouch, colorScheme, locale }, use) => {
    const isBlocked = thirdPartyStorage === "blocked";
    const profile = await mkdtemp(join(tmpdir(), "vitrine-journey-"));
    await mkdir(join(profile, "Default"));
    const preferences = {
      profile: { cookie_controls_mode: isBlocked ? 1 : 0, block_third_party_cookies: isBlocked },
    };
    await writeFile(join(profile, "Default", "Preferences"), JSON.stringify(preferences));
    const context = await chromium.launchPersistentContext(profile, {
      ...launchOptions,
      viewport,
      isMobile,
      hasTouch,
      colorScheme,
      locale,
    });
    await use(context);
    await context.close();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  },
  page: async ({ context }, use) => {
    await use(context.pages()[0] ?? (await context.newPage()));
  },
});

export { expect } from "@playwright/test";
