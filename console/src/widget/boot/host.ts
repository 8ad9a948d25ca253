import type { AppMessage, Hello, LoaderMessage } from "../../shared/protocol";
import { parseUrl } from "../../shared/url";
import { isAllowedOrigin } from "./allowed-origin";

/** A loader that is there has said hello by then; after it the page counts as one without a loader. */
const HELLO_WAIT_MS = 500;

/** Messages kept for a page that has not been recognised yet. */
const WAITING_MAX = 20;

/** The shop's page around us. */
export interface Host {
  /** False when the chat is its own page: there is nothing to close. */
  readonly embedded: boolean;
  /** Tells the page something; kept back until the page has been recognised, dropped if it never is. */
  post(message: AppMessage): void;
  /** Hears what the loader says, from the first message on. */
  onMessage(listener: (message: LoaderMessage) => void): void;
  /** Names the pages that may talk to us; until then nothing is answered. */
  allow(allowedDomains: readonly string[]): void;
}

/** Listens for the loader from now on, so call it before anything that waits. */
export function connectHost(window: Window): Host {
  const embedded = window.parent !== window;
  const waiting: AppMessage[] = [];
  const heard: LoaderMessage[] = [];
  let listener: ((message: LoaderMessage) => void) | null = null;
  let allowed: readonly string[] | null = null;
  let hello: MessageEvent | null = null;
  let deliver: ((message: AppMessage) => void) | null = null;

  function tell(message: LoaderMessage): void {
    if (listener) listener(message);
    else if (heard.length < WAITING_MAX) heard.push(message);
  }

  function recognise(through: (message: AppMessage) => void): void {
    deliver = through;
    through({ type: "initialized" });
    for (const message of waiting.splice(0)) through(message);
  }

  function answerHello(): void {
    if (!allowed || !hello) return;
    const event = hello;
    hello = null;
    const port = event.ports[0];
    if (!port || !isAllowedOrigin(event.origin, allowed)) {
      console.warn(`[vitrine] ignored a message from ${event.origin}: not an allowed domain of this chatbot`);
      return;
    }
    const { identity } = event.data as Hello;
    if (typeof identity === "string") tell({ type: "identify", jwt: identity });
    port.onmessage = (message: MessageEvent<LoaderMessage>) => tell(message.data);
    recognise((message) => port.postMessage(message));
  }

  function answerReferrer(): void {
    if (deliver || !allowed) return;
    const origin = parseUrl(window.document.referrer)?.origin ?? "";
    if (!isAllowedOrigin(origin, allowed)) return;
    recognise((message) => window.parent.postMessage(message, origin));
  }

  window.addEventListener("message", (event) => {
    if (!isHello(event.data) || !embedded || event.source !== window.parent) return;
    hello = event;
    answerHello();
  });

  return {
    embedded,
    post(message) {
      if (deliver) deliver(message);
      else if (embedded && waiting.length < WAITING_MAX) waiting.push(message);
    },
    onMessage(next) {
      listener = next;
      for (const message of heard.splice(0)) next(message);
    },
    allow(allowedDomains) {
      allowed = allowedDomains;
      answerHello();
      if (embedded) window.setTimeout(answerReferrer, HELLO_WAIT_MS);
    },
  };
}

function isHello(data: unknown): data is Hello {
  const hello = data as Partial<Hello> | null;
  return typeof hello === "object" && hello?.vitrine === 1 && hello.type === "hello";
}
