import { expect, test } from "@playwright/test";
import { Chat } from "../parts/chat.ts";
import { stack } from "../parts/stack.ts";

test("an answer goes on while the shopper changes the page, and ends once", async ({ page }) => {
  await page.goto(stack.zadelhoek);
  await new Chat(page, "nl").open();
  const before = new Chat(page, "nl");
  await before.ask("Wat kost het om een fiets te laten bezorgen?");
  const begun = await before.begun(before.answers.last());

  await page.getByRole("navigation").first().getByRole("link").nth(1).click();
  await page.waitForURL(/\.html/);
  const after = new Chat(page, "nl");
  const text = await after.finished(after.answers.last());
  expect(text.replace(/\s+/g, " ").startsWith(begun.replace(/\s+/g, " ").slice(0, 10))).toBe(true);
  await expect(after.questions).toHaveCount(1);
  await expect(after.answers).toHaveCount(1);
});

test("a reload keeps the conversation and what was being typed", async ({ page }) => {
  await page.goto(stack.zadelhoek);
  const chat = new Chat(page, "nl");
  await chat.open();
  await chat.ask("Welke betaalmethoden zijn er?");
  const text = await chat.finished(chat.answers.last());
  await chat.input.fill("En nog een vraag");

  await page.reload();
  const again = new Chat(page, "nl");
  await expect(again.answers).toHaveCount(1);
  expect(await again.finished(again.answers.last())).toBe(text);
  await expect(again.input).toHaveValue("En nog een vraag");
});

test("a browser that blocks third-party storage still gets an answer", async ({ page }) => {
  // What Chromium does to a frame of another site when its storage is blocked.
  await page.addInitScript(() => {
    if (window === window.top) return;
    for (const name of ["localStorage", "sessionStorage"]) {
      Object.defineProperty(window, name, {
        get() {
          throw new DOMException("Access is denied for this document.", "SecurityError");
        },
      });
    }
  });
  await page.goto(stack.zadelhoek);
  const chat = new Chat(page, "nl");
  await chat.open();
  await chat.ask("Wat zijn de openingstijden?");
  await chat.finished(chat.answers.last());
});
