import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "@playwright/test";
import { Chat } from "../parts/chat.ts";
import { stack } from "../parts/stack.ts";

test("a Dutch shopper asks about returns and reads the answer as it is written", async ({ page }) => {
  await page.goto(stack.zadelhoek);
  const chat = new Chat(page, "nl");
  await chat.open();
  await chat.ask("Hoe lang mag ik iets terugsturen?");

  const answer = chat.answers.last();
  const seen = [await chat.begun(answer)];
  await expect
    .poll(async () => {
      const text = await chat.text(answer);
      if (text !== seen.at(-1)) seen.push(text);
      return seen.length;
    })
    .toBeGreaterThan(2);

  const text = await chat.finished(answer);
  expect(text).toMatch(/dagen|maand/);
  const link = answer.getByRole("link").first();
  expect(await link.getAttribute("href")).toContain(new URL(stack.zadelhoek).host);
  await expect(chat.questions).toHaveCount(1);
  await expect(chat.answers).toHaveCount(1);
});

test("a Persian shopper leaves a name first and is answered right to left", async ({ page }) => {
  await page.goto(stack.negin);
  const chat = new Chat(page, "fa");
  await chat.open();
  await chat.leaveDetails("مریم", "09120000000");
  await chat.ask("هزینه ارسال چقدر است؟");
  const text = await chat.finished(chat.answers.last());
  expect(text).toMatch(/[\u0600-\u06ff]/);
  await expect(chat.frame.locator("html")).toHaveAttribute("dir", "rtl");
});

test("what the shop does not know is refused, without a source", async ({ page }) => {
  await page.goto(stack.zadelhoek);
  const chat = new Chat(page, "nl");
  await chat.open();
  await chat.ask("Wat is de hoofdstad van Mongolië?");
  await expect(chat.answers.last()).toContainText("ik gok liever niet");
  await expect(chat.answers.last().getByRole("link")).toHaveCount(0);
});

for (const [language, shop] of [
  ["en", `${stack.zadelhoek}/en.html`],
  ["fa", stack.negin],
] as const) {
  test(`the widget can be used by everyone (${language})`, async ({ page }) => {
    await page.goto(shop);
    const chat = new Chat(page, language);
    await chat.open();
    await chat.leaveDetails("Sam", "0612345678");
    await expect(chat.input).toBeFocused();
    const found = await new AxeBuilder({ page }).include('iframe[src*="/iframe/pk_"]').analyze();
    expect(found.violations).toEqual([]);
    await page.keyboard.press("Escape");
    await expect(chat.launcher).toBeFocused();
  });
}
