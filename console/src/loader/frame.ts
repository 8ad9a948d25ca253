import type { Launcher } from "../api/types";
import type { AppMessage, LoaderMessage } from "../shared/protocol";

/** The chat's frame is shown as it is when it has not answered by then; its own error text may stand in it. */
const ANSWER_WAIT_MS = 4000;

export interface Frame {
  element: HTMLIFrameElement;
  /** Says something to the chat, `news` unless it is given. Before the chat listens nothing is said and `news` kept. */
  tell(message?: LoaderMessage): void;
}

export function createFrame(
  { key, widgetOrigin, title }: Launcher,
  options: {
    identity: () => string | undefined;
    /** What the chat has to know now; asked for when it listens. */
    news: () => LoaderMessage;
    onMessage: (message: AppMessage) => void;
    onShow: () => void;
  },
): Frame {
  const element = document.createElement("iframe");
  let port: MessagePort | null = null;

  element.title = title;
  // Without a loader's hello the chat goes by the referrer, whatever the shop's own policy is.
  element.referrerPolicy = "strict-origin-when-cross-origin";
  element.onload = () => {
    const channel = new MessageChannel();
    port = channel.port1;
    port.onmessage = (event: MessageEvent<AppMessage>) => options.onMessage(event.data);
    const hello = { vitrine: 1, type: "hello", page: location.href, identity: options.identity() };
    element.contentWindow?.postMessage(hello, widgetOrigin, [channel.port2]);
    port.postMessage(options.news());
    setTimeout(options.onShow, ANSWER_WAIT_MS);
  };
  element.src = `${widgetOrigin}/iframe/${key}`;

  return { element, tell: (message) => port?.postMessage(message ?? options.news()) };
}
