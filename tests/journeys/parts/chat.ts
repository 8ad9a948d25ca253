import { expect, type FrameLocator, type Locator, type Page } from "@playwright/test";
import { texts } from "./texts.ts";

type Words = ReturnType<typeof texts>;

/** A shopper's hand on the widget of the page: launcher, frame, and what stands in it. */
export class Chat {
  readonly frame: FrameLocator;
  readonly launcher: Locator;
  readonly log: Locator;
  readonly answers: Locator;
  readonly questions: Locator;
  readonly input: Locator;
  private readonly words: Words;

  constructor(
    readonly page: Page,
    language: "en" | "nl" | "fa",
  ) {
    this.words = texts(language);
    this.launcher = page.getByRole("button", { name: /^(Chat|گفتگو): / });
    this.frame = page.frameLocator('iframe[src*="/iframe/pk_"]');
    this.log = this.frame.getByRole("log");
    this.answers = this.frame.getByRole("article", { name: this.words.assistant });
    this.questions = this.frame.getByRole("article", { name: this.words.you });
    this.input = this.frame.getByLabel(this.words.composer.label);
  }

  async open(): Promise<void> {
    await this.launcher.click();
    await expect(this.frame.getByText(this.words.disclosure)).toBeVisible();
  }

  async leaveDetails(name: string, phone: string): Promise<void> {
    await this.frame.getByLabel(this.words.lead.name).fill(name);
    await this.frame.getByLabel(this.words.lead.phone).fill(phone);
    await this.frame.getByRole("button", { name: this.words.lead.submit }).click();
  }

  async ask(question: string): Promise<void> {
    await this.input.fill(question);
    await this.input.press("Enter");
    await expect(this.questions.last()).toContainText(question);
  }

  /** The words of an answer, without its list of sources. */
  async text(answer: Locator): Promise<string> {
    const prose = answer.locator(".prose");
    return (await prose.count()) === 0 ? "" : (await prose.innerText()).trim();
  }

  /** Waits until an answer is complete: sources stand below it and nothing is being written. */
  async finished(answer: Locator): Promise<string> {
    await expect(answer.getByText(this.words.answer.sources)).toBeVisible({ timeout: 60_000 });
    await expect(answer.locator('[aria-busy="true"]')).toHaveCount(0);
    return this.text(answer);
  }

  /** Waits until something of the answer stands there and more is to come. */
  async begun(answer: Locator): Promise<string> {
    await expect.poll(() => this.text(answer), { intervals: [20] }).not.toBe("");
    await expect(answer.locator('[aria-busy="true"]')).toHaveCount(1);
    return this.text(answer);
  }
}
