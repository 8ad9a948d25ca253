import { expect, test } from "../parts/browser.ts";
import { Chat } from "../parts/chat.ts";
import { stack } from "../parts/stack.ts";

test("an answer goes on while the shopper changes the page, and ends once", async ({ page }) => {
  await page.goto(stack.zadelhoek);
  const before = new Chat(page, "nl");
  await before.open();
  await before.ask("Wat kost het om een fiets te laten bezorgen?");
  const begun = await before.begun(before.answers.last());

  await page.getByRole("navigation").first().getByRole("link").nth(1).click();
  await page.waitForURL(/accessoires\.html/);
  const after = new Chat(page, "nl");
  const text = await after.finished(after.answers.last());
  expect(text.length).toBeGreaterThan(begun.length);
  expect(text.startsWith(begun.slice(0, 10))).toBe(true);
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
  await expect(again.questions).toHaveCount(1);
  await expect(again.input).toHaveValue("En nog een vraag");
});

test.describe("where third-party storage is blocked", () => {
  test.use({ thirdPartyStorage: "blocked" });

  test("the chat answers from memory", async ({ page }) => {
    await page.goto(stack.zadelhoek);
    const chat = new Chat(page, "nl");
    await chat.open();
    const denied = await chat.frame.locator("html").evaluate(() => {
      try {
        return `kept ${localStorage.length}`;
      } catch (error) {
        return (error as Error).name;
      }
    });
    expect(denied).toBe("SecurityError");
    await chat.ask("Wat zijn de openingstijden?");
    await chat.finished(chat.answers.last());
    await chat.ask("Wat kost een onderhoudsbeurt?");
    await chat.finished(chat.answers.last());
    await expect(chat.answers).toHaveCount(2);
  });
});
