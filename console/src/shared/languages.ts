/** Languages a chatbot can speak; every text of the widget exists in each of them. */
export const CHATBOT_LANGUAGES = ["en", "nl", "fr", "de", "it", "es", "be", "ar", "fa"] as const;

export type ChatbotLanguage = (typeof CHATBOT_LANGUAGES)[number];

/** The supported language of a tag such as `nl-BE`; English for any other. */
export function supportedLanguage(tag: string | undefined): ChatbotLanguage {
  const primary = tag?.toLowerCase().split("-")[0];
  return CHATBOT_LANGUAGES.find((language) => language === primary) ?? "en";
}

export function isRightToLeft(language: string): boolean {
  return language === "ar" || language === "fa";
}
