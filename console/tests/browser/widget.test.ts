import axe from "axe-core";
import type { Frame } from "playwright-core";
import { afterEach, expect, test } from "vitest";
import { ANSWERS, mockConfig } from "../../mock/data.ts";
import { hangUp, storedMessage } from "../../mock/thread.ts";
import { type Journey, startJourney } from "./journey.ts";

let journey: Journey;

afterEach(() => journey?.end());

async function ask(chat: Frame, text: string): Promise<void> {
  await chat.fill("textarea", text);
  await chat.press("textarea", "Enter");
}

/** Violations of WCAG 2.2 A and AA, by rule and place. */
async function violations(frame: Frame): Promise<string[]> {
  await frame.evaluate(axe.source);
  const results = await frame.evaluate(() =>
    (window as unknown as { axe: typeof axe }).axe.run(document, {
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    }),
  );
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.target.join(" ")}`),
  );
}

test("one request before the first click, no layout shift, nothing stored", async () => {
  journey = await startJourney();
  await journey.visit("/");
  expect(journey.server.log.filter((line) => line.startsWith("widget."))).toEqual([
    "widget.localhost /w/pk_demo.js",
  ]);
  const shift = await journey.page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        new PerformanceObserver((list) => {
          const shifts = list.getEntries() as unknown as { value: number }[];
          resolve(shifts.reduce((total, { value }) => total + value, 0));
        }).observe({ type: "layout-shift", buffered: true });
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(0)));
      }),
  );
  expect(shift).toBe(0);
  expect(await journey.page.evaluate(() => localStorage.length + sessionStorage.length)).toBe(0);
  expect(journey.complaints).toEqual([]);
});

test("a conversation from the launcher to the sources, under the widget's own policy", async () => {
  journey = await startJourney();
  await journey.visit("/");
  const chat = await journey.open();
  await ask(chat, "Can I return it?");
  await chat.waitForSelector(".sources a");
  expect(await chat.textContent(".prose li:last-child")).toContain("two keys");
  expect(journey.complaints).toEqual([]);
  const box = await (await journey.page.$("iframe"))?.boundingBox();
  expect([box?.width, box?.height]).toEqual([448, 768]);
});

test("the chat works in a shop with a strict Content-Security-Policy and trusted types", async () => {
  journey = await startJourney();
  await journey.visit("/strict");
  const { page } = journey;
  const launcher = await page.waitForSelector("button[aria-expanded]");
  expect(await launcher.evaluate((button) => getComputedStyle(button).backgroundColor)).toBe(
    "rgb(15, 95, 99)",
  );
  await ask(await journey.open(), "Hello");
  await (await journey.chat()).waitForSelector(".sources");
  expect(
    journey.complaints.filter((text) => text.includes("Content Security Policy") && !text.includes("data:")),
  ).toEqual([]);
});

test("an open chat and its running answer survive a change of page and a reload", async () => {
  journey = await startJourney({ stepMs: 60 });
  await journey.visit("/");
  const chat = await journey.open();
  await ask(chat, "Can I return it?");
  await chat.waitForSelector(".prose");
  await journey.page.click("text=Other page");
  const next = await journey.chat();
  await next.waitForSelector(".prose");
  for (const thread of journey.api.threads.values()) hangUp(thread);
  await journey.page.reload();
  const last = await journey.chat();
  await last.waitForSelector(".sources", { timeout: 20_000 });
  expect(await last.locator("article").count()).toBe(2);
});

test("where the browser denies storage to frames, the chat works from memory", async () => {
  journey = await startJourney({ blocksStorage: true });
  await journey.visit("/");
  const chat = await journey.open();
  const denied = await chat.evaluate(() => {
    try {
      return localStorage.length;
    } catch (error) {
      return (error as Error).name;
    }
  });
  expect(denied).toBe("SecurityError");
  await ask(chat, "Hello");
  await chat.waitForSelector(".sources");
  expect(journey.complaints).toEqual([]);
});

test("earlier messages come above what is being read, which stays where it is", async () => {
  journey = await startJourney();
  await journey.visit("/");
  let chat = await journey.open();
  await ask(chat, "Can I return it?");
  await chat.waitForSelector(".sources a");
  const [thread] = journey.api.threads.values();
  for (let sequence = 3; sequence <= 60; sequence += 1) {
    const role = sequence % 2 ? "human" : "ai";
    thread?.messages.push(
      storedMessage({ uuid: `m-${sequence}`, sequence, role, text: `Number ${sequence}.` }),
    );
  }
  await journey.visit("/");
  chat = await journey.chat();
  await chat.waitForSelector("text='Number 60.'");
  const top = () =>
    chat.locator("article", { hasText: "Number 11." }).evaluate((each) => each.getBoundingClientRect().top);
  await chat.locator(".log").evaluate((log) => log.scrollTo(0, 0));
  await expect.poll(top).toBeGreaterThan(0);
  const before = await top();
  await chat.click("text='Show earlier messages'");
  await expect.poll(() => chat.locator("article").count()).toBe(60);
  expect(Math.abs((await top()) - before)).toBeLessThan(4);
  expect(journey.complaints).toEqual([]);
});

test("closing gives the focus back to the launcher and is remembered", async () => {
  journey = await startJourney();
  await journey.visit("/");
  const { page } = journey;
  const chat = await journey.open();
  await chat.waitForFunction(() => document.activeElement?.tagName === "TEXTAREA");
  await chat.press("textarea", "Escape");
  const focused = () => document.activeElement?.shadowRoot?.activeElement?.getAttribute("aria-expanded");
  await page.waitForFunction(focused);
  expect(await page.evaluate(focused)).toBe("false");
  await page.reload();
  await page.waitForSelector("button[aria-expanded]");
  expect(await page.locator("iframe").count()).toBe(0);
});

test("on a phone the chat takes the screen and can be closed", async () => {
  journey = await startJourney({ mobile: true });
  await journey.visit("/");
  const chat = await journey.open();
  // It has taken the screen when its opening movement is over.
  const box = () => journey.page.locator("iframe").boundingBox();
  await expect.poll(box).toEqual({ x: 0, y: 0, width: 390, height: 780 });
  expect(await chat.locator("textarea").evaluate((input) => getComputedStyle(input).fontSize)).toBe("16px");
  await chat.tap(".header button");
  await journey.page.waitForSelector("iframe", { state: "hidden" });
});

test("the script twice in a page makes one chat; destroy takes it away", async () => {
  journey = await startJourney();
  await journey.visit("/twice");
  const { page } = journey;
  expect(await page.locator("button[aria-expanded]").count()).toBe(1);
  await page.evaluate(() => window.vitrine?.open());
  await journey.chat();
  expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  await page.evaluate(() => window.vitrine?.destroy());
  expect(await page.locator("button[aria-expanded], iframe").count()).toBe(0);
});

test("reset forgets the person: thread, tokens and drafts", async () => {
  journey = await startJourney();
  await journey.visit("/");
  const chat = await journey.open();
  await ask(chat, "My secret");
  await chat.waitForSelector(".sources");
  await chat.fill("textarea", "half a draft");
  await journey.page.evaluate(() => window.vitrine?.reset());
  await chat.waitForFunction(
    () => localStorage.length === 0 && document.querySelector("textarea")?.value === "",
  );
  expect(await chat.locator("article").count()).toBe(0);
});

test("reset forgets the person also on a page where the chat was never opened", async () => {
  journey = await startJourney();
  await journey.visit("/");
  const chat = await journey.open();
  await ask(chat, "My secret");
  await chat.waitForSelector(".sources");
  await chat.press("textarea", "Escape");
  await journey.visit("/other");
  await journey.page.evaluate(() => window.vitrine?.reset());
  const next = await journey.page.waitForSelector("iframe", { state: "attached" });
  const frame = await next.contentFrame();
  await frame?.waitForFunction(() => localStorage.length === 0 && document.querySelector("main h1"));
  expect(await journey.page.isVisible("iframe")).toBe(false);
});

test("markup in an answer is text, and nothing is fetched because of it", async () => {
  journey = await startJourney();
  const hostile = `<img src="/pwned.png" onerror="alert(1)"> ![x](https://evil.localhost/x.png) [go](javascript:alert(1)) [1]`;
  const source = { number: 1, title: "<b>bad</b>", url: "javascript:alert(1)", kind: "faq" as const };
  journey.api.answer = () => ({ text: hostile, sources: [source] });
  await journey.visit("/");
  const chat = await journey.open();
  await ask(chat, "Hello");
  await chat.waitForSelector(".sources");
  expect(await chat.textContent(".prose")).toContain(`<img src="/pwned.png"`);
  expect(await chat.locator(".prose a, .prose img, .sources a, .sources b").count()).toBe(0);
  expect(journey.server.log.filter((line) => line.includes("pwned") || line.startsWith("evil"))).toEqual([]);
});

test.each([
  ["en", "ltr", "light"],
  ["fa", "rtl", "dark"],
] as const)("no accessibility violation in %s, %s, %s", async (language, orientation, theme) => {
  const { interface: look, lead_form } = mockConfig();
  const config = {
    language,
    interface: { ...look, orientation, theme },
    lead_form: { ...lead_form, ask: "before_first_message" as const },
  };
  journey = await startJourney({ config });
  journey.api.answer = () => ANSWERS[language];
  await journey.visit("/");
  const chat = await journey.open();
  expect(await chat.getAttribute("html", "lang")).toBe(language);
  expect(await chat.getAttribute("html", "dir")).toBe(orientation);
  await chat.click(".lead .button");
  await chat.waitForTimeout(300);
  expect(await violations(chat)).toEqual([]);

  await chat.fill("input[name=name]", "Anna");
  await chat.fill("input[name=phone]", "0612345678");
  await chat.click(".lead .button");
  await ask(chat, "Hello");
  await chat.waitForSelector(".sources");
  journey.api.failures.push({ on: "POST /api/messages", status: 429, code: "rate_limited", retryAfter: 30 });
  await ask(chat, "And this?");
  await chat.waitForSelector(".failed-send");
  await chat.waitForFunction(() => document.getAnimations().length === 0);
  expect(await violations(chat)).toEqual([]);
  // The shop's page is not ours; what the loader adds to it is.
  const ofPage = await violations(journey.page.mainFrame());
  expect(ofPage.filter((violation) => !/^(region|landmark-one-main):/.test(violation))).toEqual([]);
});

test("a single-page shop: the launcher follows the page list without a reload", async () => {
  journey = await startJourney();
  journey.api.pages = { mode: "black", urls: ["/cart*"] };
  await journey.visit("/");
  const { page } = journey;
  const launcher = page.locator("button[aria-expanded]");
  expect(await launcher.isVisible()).toBe(true);
  await page.evaluate(() => history.pushState(null, "", "/cart/1"));
  expect(await launcher.isVisible()).toBe(false);
  await page.goBack();
  await launcher.waitFor({ state: "visible" });
});

test("opened as a page of its own it is a chat without a close button, and no personal data stays in the address", async () => {
  const { lead_form } = mockConfig();
  journey = await startJourney({ config: { lead_form: { ...lead_form, ask: "before_first_message" } } });
  const { page, server } = journey;
  const origin = `http://widget.localhost:${server.port}`;
  await page.goto(`${origin}/iframe/pk_demo?customer_name=Anna&agent=customer_support`);
  await page.waitForSelector("input[name=name]");
  expect(await page.inputValue("input[name=name]")).toBe("Anna");
  expect(page.url()).toBe(`${origin}/iframe/pk_demo?agent=customer_support`);
  expect(await page.locator(".header button").count()).toBe(0);
  expect(await page.evaluate(() => localStorage.length)).toBe(0);
  expect(journey.complaints).toEqual([]);
});

test("messages that came while the chat was closed stand on the launcher", async () => {
  journey = await startJourney({ stepMs: 30 });
  await journey.visit("/");
  const chat = await journey.open();
  await ask(chat, "Hello");
  await chat.waitForSelector(".thinking");
  await chat.press("textarea", "Escape");
  const launcher = journey.page.locator("button[aria-expanded=false]");
  await journey.page.getByRole("button", { name: "Chat: Zadelhoek (1)" }).waitFor();
  await launcher.click();
  await journey.page.getByRole("button", { name: "Chat: Zadelhoek", exact: true }).waitFor();
});
