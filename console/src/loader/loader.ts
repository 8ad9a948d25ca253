import type { Launcher } from "../api/types";
import type { AppMessage, LoaderMessage } from "../shared/protocol";
import { createFrame, type Frame } from "./frame";
import { watchNavigation } from "./navigation";
import { isListedPage } from "./pages";
import { createFit } from "./screen";
import { createView } from "./view";

/** What the shop's own scripts can do: `window.vitrine`. */
export interface VitrineApi {
  open(): void;
  close(): void;
  /** Says who the visitor is, with a token the shop has signed. */
  identify(jwt: string): void;
  /** The person has left: forgets them. */
  reset(): void;
  /** Takes everything out of the page. */
  destroy(): void;
}

export function startLoader(config: Launcher): VitrineApi {
  const view = createView(config);
  const openKey = `vitrine:open:${config.key}`;
  const destroyed = new AbortController();
  const fit = createFit(view.panel, destroyed.signal);
  let frame: Frame | null = null;
  let identity: string | undefined;
  let isOpen = false;
  let unread = 0;
  let takesFocus = false;
  let mustReset = false;

  function render(): void {
    const listed = isListedPage(config.pages, location);
    view.launcher.hidden = !config.visible || !listed;
    view.panel.hidden = !isOpen || !listed;
    view.label(isOpen, unread);
    fit();
  }

  function news(): LoaderMessage {
    if (!mustReset) return isOpen ? { type: "opened", focus: takesFocus } : { type: "closed" };
    // The chat starts afresh then, and asks again.
    mustReset = false;
    return { type: "reset" };
  }

  /** Tells the chat the news; it is loaded for that where it is not yet there. */
  function tell(): void {
    if (frame) frame.tell();
    else {
      frame = createFrame(config, { identity: () => identity, news, onMessage, onShow });
      view.panel.append(frame.element);
    }
  }

  function setOpen(open: boolean, focus: boolean): void {
    if (open === isOpen) return;
    isOpen = open;
    takesFocus = focus;
    tell();
    render();
    if (focus) (open ? frame?.element : view.launcher)?.focus();
  }

  /** By the visitor's own hand; only that is remembered for the next page. */
  function act(open: boolean): void {
    setOpen(open, true);
    inSession((storage) => (open ? storage.setItem(openKey, "1") : storage.removeItem(openKey)));
  }

  function onShow(): void {
    view.panel.classList.add("shown");
  }

  function onMessage(message: AppMessage): void {
    if (message.type === "unread") {
      unread = message.count;
      render();
      return;
    }
    if (message.type === "initialized") {
      onShow();
      view.panel.classList.add("ready");
    }
    if (message.type === "btnClosed") act(false);
    const detail = message.type === "threadCreated" ? { uuid: message.uuid } : null;
    dispatchEvent(new CustomEvent(`vitrine:${message.type}`, { detail }));
  }

  view.launcher.onclick = () => act(!isOpen);
  view.host.onkeydown = (event) => {
    if (event.key === "Escape" && isOpen) act(false);
  };
  watchNavigation(render, destroyed.signal);
  // Beside the body, not in it: shops that swap the body must not reload the chat.
  document.documentElement.append(view.host);
  render();
  if (inSession((storage) => storage.getItem(openKey))) setOpen(true, false);

  return {
    open: () => setOpen(true, true),
    // The focus is taken back only from the chat, never from where the visitor is in the page.
    close: () => setOpen(false, document.activeElement === view.host),
    identify(jwt) {
      identity = jwt;
      frame?.tell({ type: "identify", jwt });
    },
    reset() {
      identity = undefined;
      mustReset = true;
      tell();
    },
    destroy() {
      setOpen(false, false);
      destroyed.abort();
      view.host.remove();
      delete window.vitrine;
    },
  };
}

/** Where storage is blocked nothing is remembered. */
function inSession<Value>(action: (storage: Storage) => Value): Value | undefined {
  try {
    return action(sessionStorage);
  } catch {
    return undefined;
  }
}
