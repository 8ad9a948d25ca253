import type { ChatbotConfig } from "../../api/types";
import { type ChatbotLanguage, isRightToLeft } from "../../shared/languages";
import { brandColors } from "./brand";

/** Sets language, direction and colours of the document. Only through the object model: the CSP forbids style attributes. */
export function applyTheme(root: HTMLElement, config: ChatbotConfig): void {
  root.dir = config.interface.orientation;
  root.dataset.theme = config.interface.theme;
  for (const [name, value] of Object.entries(
    brandColors(config.interface.brand_color, config.interface.theme),
  )) {
    root.style.setProperty(name, value);
  }
}

export function applyLanguage(root: HTMLElement, language: ChatbotLanguage): void {
  root.lang = language;
  root.dir = isRightToLeft(language) ? "rtl" : "ltr";
}
