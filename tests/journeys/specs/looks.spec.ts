import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { expect, test } from "../parts/browser.ts";
import { Chat } from "../parts/chat.ts";
import { stack } from "../parts/stack.ts";

// Pictures for people to look at. What can be asserted about looks stands beside each.

async function picture(page: Page, name: string): Promise<void> {
  mkdirSync(stack.pictures, { recursive: true });
  await page.screenshot({ path: join(stack.pictures, `${name}.png`) });
}

async function background(chat: Chat): Promise<number> {
  const color = await chat.frame.locator("body").evaluate((body) => getComputedStyle(body).backgroundColor);
  const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map(Number);
  return (red + green + blue) / 3;
}

test("light, on a large screen", async ({ page }) => {
  await page.goto(stack.zadelhoek);
  const chat = new Chat(page, "nl");
  await picture(page, "shop-nl");
  await chat.open();
  await picture(page, "light-welcome");
  await chat.ask("Hoe lang mag ik iets terugsturen?");
  await chat.begun(chat.answers.last());
  await picture(page, "light-writing");
  await chat.finished(chat.answers.last());
  await picture(page, "light-answer");
  expect(await background(chat)).toBeGreaterThan(200);
});

test("dark, on a large screen", async ({ page }) => {
  await page.goto(`${stack.negin}/en.html`);
  const chat = new Chat(page, "en");
  await chat.open();
  await picture(page, "dark-welcome");
  await chat.ask("How do I find my ring size?");
  await chat.finished(chat.answers.last());
  await picture(page, "dark-answer");
  expect(await background(chat)).toBeLessThan(80);
});

test("Persian, right to left", async ({ page }) => {
  await page.goto(stack.negin);
  const chat = new Chat(page, "fa");
  await chat.open();
  await picture(page, "persian-details");
  await chat.leaveDetails("مریم", "09120000000");
  await chat.ask("سایز انگشترم را چطور پیدا کنم؟");
  await chat.finished(chat.answers.last());
  await picture(page, "persian-answer");
  const [question, frame] = await Promise.all([
    chat.questions.last().boundingBox(),
    page.locator('iframe[src*="/iframe/pk_"]').boundingBox(),
  ]);
  expect(question && frame && question.width <= frame.width).toBe(true);
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true });

  test("the answer fits", async ({ page }) => {
    await page.goto(stack.zadelhoek);
    await picture(page, "phone-shop");
    const chat = new Chat(page, "nl");
    await chat.open();
    await chat.ask("Welke framemaat heb ik nodig?");
    await chat.finished(chat.answers.last());
    await picture(page, "phone-answer");
    const overflow = await chat.frame
      .locator("html")
      .evaluate((root) => root.scrollWidth - root.clientWidth);
    expect(overflow).toBe(0);
  });
});
