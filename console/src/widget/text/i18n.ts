import { createInstance, type i18n } from "i18next";
import type en from "../../../assets/i18n/widget/en.json";
import type { ChatbotLanguage } from "../../shared/languages";

declare module "i18next" {
  interface CustomTypeOptions {
    resources: { translation: typeof en };
    enableSelector: false;
  }
}

type Texts = { default: typeof en };

// One chunk for each language; only the one in use is ever loaded.
const CHUNKS = import.meta.glob<Texts>("../../../assets/i18n/widget/*.json");

/** The widget's texts in one language. */
export async function loadTexts(language: ChatbotLanguage): Promise<i18n> {
  const texts = await CHUNKS[`../../../assets/i18n/widget/${language}.json`]?.();
  const instance = createInstance();
  await instance.init({
    lng: language,
    resources: { [language]: { translation: texts?.default ?? {} } },
    fallbackLng: false,
    // React escapes; escaping twice would show entities.
    interpolation: { escapeValue: false },
  });
  return instance;
}
