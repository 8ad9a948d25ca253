import AxeBuilder from "@axe-core/playwright";
import type { Page } from "@playwright/test";
import { expect, test } from "../parts/browser.ts";
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
    .poll(
      async () => {
        const text = await chat.text(answer);
        if (text !== seen.at(-1)) seen.push(text);
        return seen.length;
      },
      { intervals: [20] },
    )
    .toBeGreaterThan(3);
  // Each state goes on from the one before: nothing jumps.
  for (const [index, text] of seen.entries()) {
    expect(text.startsWith(seen[index - 1] ?? "")).toBe(true);
  }

  const text = await chat.finished(answer);
  expect(text).toMatch(/30 dagen/);
  const link = answer.getByRole("link").first();
  expect(await link.getAttribute("href")).toBe(`${stack.zadelhoek}/levering.html#retour`);
  await expect(chat.questions).toHaveCount(1);
  await expect(chat.answers).toHaveCount(1);
});

test("a Persian shopper leaves a name first and is answered right to left", async ({ page }) => {
  await page.goto(stack.negin);
  const chat = new Chat(page, "fa");
  await chat.open();
  await expect(chat.input).toHaveCount(0);
  await chat.leaveDetails("مریم", "09120000000");
  await chat.ask("هزینه ارسال چقدر است؟");
  const text = await chat.finished(chat.answers.last());
  expect(text).toContain("تومان");
  await expect(chat.frame.locator("html")).toHaveAttribute("dir", "rtl");
  const prose = chat.answers.last().locator(".prose").first();
  expect(await prose.evaluate((element) => getComputedStyle(element).direction)).toBe("rtl");
});

test("on the English page the English chatbot answers in English", async ({ page }) => {
  await page.goto(`${stack.zadelhoek}/en.html`);
  const chat = new Chat(page, "en");
  await chat.open();
  await chat.leaveDetails("Sam", "0612345678");
  await chat.ask("What does delivery cost?");
  expect(await chat.finished(chat.answers.last())).toMatch(/parcel|bike/);
  await expect(chat.frame.locator("html")).toHaveAttribute("lang", "en");
  const link = chat.answers.last().getByRole("link").first();
  expect(await link.getAttribute("href")).toContain(`${stack.zadelhoek}/en.html`);
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
    await expectAccessible(page);
    await chat.leaveDetails("Sam", "0612345678");
    await expect(chat.input).toBeFocused();
    await chat.ask(language === "fa" ? "هزینهٔ ارسال چقدر است؟" : "What does delivery cost?");
    await chat.finished(chat.answers.last());
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await expect(chat.launcher).toBeFocused();
  });
}

/** No violation in the chat's frame. */
async function expectAccessible(page: Page): Promise<void> {
  // The frame stands in the shadow root of the loader's element, beside the body.
  const frame = { fromShadowDom: ["html > div[lang]", 'iframe[src*="/iframe/pk_"]'] as [string, string] };
  const found = await new AxeBuilder({ page }).include({ fromFrames: [frame, "html"] }).analyze();
  expect(found.passes.length).toBeGreaterThan(10);
  expect(found.violations).toEqual([]);
}
