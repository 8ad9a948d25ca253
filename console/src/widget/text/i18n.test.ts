import { expect, test } from "vitest";
import { CHATBOT_LANGUAGES, supportedLanguage } from "../../shared/languages";
import { loadTexts } from "./i18n";

test.each(CHATBOT_LANGUAGES)("the texts of %s load and take values", async (language) => {
  const { t } = await loadTexts(language);
  expect(t("answer.source", { number: 1, title: "<b>&" })).toContain("<b>&");
  expect(t("composer.counter", { used: "1", limit: "300" })).toMatch(/\b1\b.*\b300\b/);
});

test("a regional language is its language, an unknown one English", () => {
  expect(supportedLanguage("nl-BE")).toBe("nl");
  expect(supportedLanguage("tlh")).toBe("en");
  expect(supportedLanguage(undefined)).toBe("en");
});
