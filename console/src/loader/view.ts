import type { Launcher } from "../api/types";
import { styleSheet } from "./style";

/** The word for a chat where it is not "Chat"; with the ones left out these are the nine chatbot languages. */
const NAMES: Record<string, string> = { be: "Чат", ar: "محادثة", fa: "گفتگو" };

/** What the loader draws: the launcher, and the panel the chat's frame stands in. */
export interface View {
  host: HTMLElement;
  launcher: HTMLButtonElement;
  panel: HTMLElement;
  /** Shows on the launcher whether the chat is open and how many messages wait. */
  label(open: boolean, unread: number): void;
}

export function createView(config: Launcher): View {
  const host = document.createElement("div");
  const panel = document.createElement("div");
  const launcher = document.createElement("button");
  const badge = document.createElement("span");
  const root = host.attachShadow({ mode: "open" });
  // A constructed style sheet passes a shop's strict CSP where a style element or attribute would not.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styleSheet(config));
  root.adoptedStyleSheets = [sheet];
  host.lang = config.language;
  panel.hidden = true;
  launcher.type = "button";
  launcher.append(badge);
  root.append(panel, launcher);

  function label(open: boolean, unread: number): void {
    const name = `${NAMES[config.language] ?? "Chat"}: ${config.title}`;
    launcher.setAttribute("aria-label", unread ? `${name} (${unread})` : name);
    launcher.setAttribute("aria-expanded", `${open}`);
    badge.hidden = !unread;
    badge.textContent = unread > 9 ? "9+" : `${unread}`;
  }

  return { host, launcher, panel, label };
}
