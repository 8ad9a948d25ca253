/** What the loader (in the shop's page) and the widget app (in the frame) say to each other. */

/** The only window message; everything after it goes over the port that comes with it. */
export interface Hello {
  vitrine: 1;
  type: "hello";
  /** Address of the shop's page. */
  page: string;
  /** A token signed by the shop that says who the visitor is. */
  identity?: string;
}

/** From the loader to the app. `focus` is false when the chat is only restored after a page change. */
export type LoaderMessage =
  | { type: "opened"; focus: boolean }
  | { type: "closed" }
  | { type: "identify"; jwt: string }
  | { type: "reset" };

/** From the app to the loader. */
export type AppMessage =
  | { type: "initialized" }
  | { type: "threadCreated"; uuid: string }
  | { type: "btnClosed" }
  | { type: "unread"; count: number };
