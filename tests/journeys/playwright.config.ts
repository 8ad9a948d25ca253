import { defineConfig } from "@playwright/test";

// The system under test is started by the Rust tests, which say where it is in VITRINE_JOURNEY_*.
export default defineConfig({
  testDir: "specs",
  outputDir: process.env.VITRINE_JOURNEY_OUTPUT ?? "test-results",
  // One worker: the journeys edit one manifest folder, and two cores are shared with the system.
  workers: 1,
  retries: 0,
  forbidOnly: true,
  timeout: 90_000,
  expect: { timeout: 20_000 },
  reporter: [["list"], ["json", { outputFile: `${process.env.VITRINE_JOURNEY_OUTPUT ?? "test-results"}/report.json` }]],
  use: {
    trace: "retain-on-failure",
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: process.env.VITRINE_CHROMIUM ?? "/usr/bin/chromium",
      args: [
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
      ],
    },
  },
});
