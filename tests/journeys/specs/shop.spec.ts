import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "../parts/browser.ts";
import { Chat } from "../parts/chat.ts";
import { stack } from "../parts/stack.ts";

const manifest = join(stack.manifests, "zadelhoek.yaml");

test.describe("an edited manifest", () => {
  const original = readFileSync(manifest, "utf8");
  test.afterEach(() => writeFileSync(manifest, original));

  test("shows in the widget, and a broken one changes nothing", async ({ page }) => {
    const headline = "Vandaag gratis lampjes";
    writeFileSync(manifest, original.replace(/headline: .*/, `headline: ${headline}`));
    await expect(async () => {
      await page.goto(stack.zadelhoek);
      const chat = new Chat(page, "nl");
      if (!(await chat.frame.getByText(headline).isVisible())) await chat.open();
      await expect(chat.frame.getByText(headline)).toBeVisible({ timeout: 1_000 });
      await page.evaluate(() => sessionStorage.clear());
    }).toPass({ timeout: 20_000 });

    writeFileSync(manifest, `${original}\n  broken: [`);
    await page.goto(stack.zadelhoek);
    const chat = new Chat(page, "nl");
    await chat.open();
    await expect(chat.frame.getByText(headline)).toBeVisible();
  });
});

test("a shop that is not allowed cannot frame the widget", async ({ page }) => {
  const refused: string[] = [];
  page.on("console", (message) => {
    if (/frame-ancestors/.test(message.text())) refused.push(message.text());
  });
  await page.goto(stack.stranger);
  await new Chat(page, "nl").launcher.click();
  await expect.poll(() => refused.length).toBeGreaterThan(0);
  await expect(page.frameLocator("iframe").getByRole("textbox")).toHaveCount(0);
});

test("before the first click the shop's page makes one request and does not move", async ({ page }) => {
  const requests: string[] = [];
  page.on("request", (request) => {
    if (new URL(request.url()).host === new URL(stack.widget).host) requests.push(request.url());
  });
  await page.goto(stack.zadelhoek);
  await expect(new Chat(page, "nl").launcher).toBeVisible();
  expect(requests).toHaveLength(1);
  expect(requests[0]).toMatch(/\/w\/pk_[\w-]+\.js$/);
  const stored = await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie]);
  expect(stored).toEqual([0, 0, ""]);
});

test("on a phone the chat fills the screen and its close button ends it", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 780 });
  await page.goto(stack.zadelhoek);
  const chat = new Chat(page, "nl");
  await chat.open();
  const frame = page.locator('iframe[src*="/iframe/pk_"]');
  await expect.poll(async () => (await frame.boundingBox())?.width).toBe(390);
  await chat.frame.getByRole("button", { name: "Chat sluiten" }).click();
  await expect(frame).toBeHidden();
});

test("on a large screen the chat is 448 by 768", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 1000 });
  await page.goto(stack.zadelhoek);
  await new Chat(page, "nl").open();
  const box = await page.locator('iframe[src*="/iframe/pk_"]').boundingBox();
  expect([box?.width, box?.height]).toEqual([448, 768]);
});
