import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { preactAliases } from "./vite/widget.ts";

/** Its ES module, because aliases do not reach into CommonJS. */
const testingLibrary = {
  find: /^@testing-library\/react$/,
  replacement: fileURLToPath(
    new URL("node_modules/@testing-library/react/dist/@testing-library/react.esm.js", import.meta.url),
  ),
};

export default defineConfig({
  test: {
    projects: [
      {
        resolve: { alias: [testingLibrary, ...preactAliases] },
        test: {
          name: "unit",
          environment: "happy-dom",
          include: ["src/**/*.test.{ts,tsx}"],
          setupFiles: ["tests/setup.ts"],
          // So that the libraries around React get the same Preact as the widget.
          server: { deps: { inline: [/@testing-library\/react/, /react-i18next/] } },
        },
      },
      {
        test: {
          name: "browser",
          environment: "node",
          include: ["tests/browser/**/*.test.ts"],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
