import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContextOptions, chromium, type Frame, type Page } from "playwright-core";
import { createMockApi, type MockApi } from "../../mock/api.ts";
import { type MockServer, serveMock, writeOnClock } from "../../mock/server.ts";
import type { ChatbotConfig } from "../../src/api/types.ts";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

const LAUNCH = { executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-dev-shm-usage"] };

export interface Journey {
  api: MockApi;
  server: MockServer;
  page: Page;
  /** What the browser complained about: errors, refused loads, violated policies. */
  complaints: string[];
  visit(path: string): Promise<void>;
  /** Clicks the launcher and waits for the chat. */
  open(): Promise<Frame>;
  chat(): Promise<Frame>;
  end(): Promise<void>;
}

interface Options {
  config?: Partial<ChatbotConfig>;
  mobile?: boolean;
  /** Third-party cookies are blocked: Chromium then denies all storage to a frame of another site. */
  blocksStorage?: boolean;
  /** Pause between two pieces of an answer. */
  stepMs?: number;
}

/** A visitor with a fresh browser profile in a shop that embeds the built widget. */
export async function startJourney(options: Options = {}): Promise<Journey> {
  const api = createMockApi(options.config);
  api.onTurn = (thread) => writeOnClock(thread, options.stepMs ?? 5);
  const server = await serveMock(api);
  const viewport = options.mobile ? { width: 390, height: 780 } : { width: 1280, height: 900 };
  const mobile = options.mobile ?? false;
  const { context, profile } = await openContext(options.blocksStorage ?? false, {
    viewport,
    isMobile: mobile,
    hasTouch: mobile,
    locale: "en-US",
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));

  async function chat(): Promise<Frame> {
    const element = await page.waitForSelector("iframe");
    const frame = await element.contentFrame();
    if (!frame) throw new Error("the chat's frame is gone");
    await frame.waitForSelector("main h1");
    return frame;
  }

  return {
    api,
    server,
    page,
    complaints,
    chat,
    async visit(path) {
      await page.goto(`http://shop.localhost:${server.port}${path}`);
      await page.waitForSelector("button[aria-expanded]", { state: "attached" });
    },
    async open() {
      await page.click("button[aria-expanded]");
      return chat();
    },
    async end() {
      await context.close();
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
      await server.close();
    },
  };
}

async function openContext(blocksStorage: boolean, look: BrowserContextOptions) {
  if (!existsSync(CHROMIUM)) throw new Error(`Chromium is not at ${CHROMIUM}: install it or set CHROMIUM`);
  const profile = await mkdtemp(join(tmpdir(), "vitrine-browser-"));
  const preferences = {
    profile: { cookie_controls_mode: blocksStorage ? 1 : 0, block_third_party_cookies: blocksStorage },
  };
  await mkdir(join(profile, "Default"));
  await writeFile(join(profile, "Default", "Preferences"), JSON.stringify(preferences));
  const context = await chromium.launchPersistentContext(profile, { ...LAUNCH, ...look });
  return { context, profile };
}
