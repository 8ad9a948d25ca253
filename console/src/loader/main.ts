import type { Launcher } from "../api/types";
import { startLoader, type VitrineApi } from "./loader";

declare global {
  interface Window {
    vitrine?: VitrineApi;
  }
}

// The script may stand in a page twice, or run again after a page change without a reload: one chat is enough.
// The server replaces the text by the chatbot's own settings.
window.vitrine ??= startLoader("__VITRINE_LAUNCHER__" as unknown as Launcher);
