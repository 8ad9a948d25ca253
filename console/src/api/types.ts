/**
 * The API's types under the names this package uses, and what is not HTTP. The HTTP shapes come from the API's own
 * description (`npm run generate`); everything else names them through this file only.
 */

import type * as generated from "./types.gen";

/**
 * A shape of the description, said more exactly. A field the description does not have, or has with another type, fails
 * the type check, so nothing here can drift away from the API.
 */
type Exactly<
  Shape,
  Fields extends { [Name in keyof Fields]: Name extends keyof Shape ? Shape[Name] : never },
> = Omit<Shape, keyof Fields> & Fields;

export type LeadField = "name" | "phone" | "email";
export type ThreadState = "bot" | "waiting" | "owner" | "closed";
export type MessageRole = "human" | "ai" | "owner";
export type SourceKind = "faq" | "document" | "product";

/** Body of a successful answer. */
export type Envelope<Data> = Omit<generated.EnvelopeSentMessage, "data"> & { data: Data };

export type ProblemCode = generated.Code;
export type ProblemBody = generated.ProblemBody;

export type ChatbotInterface = Exactly<
  generated.Interface,
  { theme: "light" | "dark"; orientation: "ltr" | "rtl"; avatar_url: string | null }
>;

export type LeadFormConfig = Exactly<
  generated.LeadFormBody,
  {
    ask: "before_first_message" | "later" | "never";
    fields: LeadField[];
    required: LeadField[];
    privacy_url: string | null;
    consent_text: string | null;
    consent_version: string | null;
  }
>;

export type ChatbotConfig = Exactly<
  generated.ChatbotConfigBody,
  { interface: ChatbotInterface; lead_form: LeadFormConfig }
>;

export type CreateLead = generated.CreateLead;
export type CreatedLead = generated.CreatedLead;
export type CreateThread = generated.CreateThread;
export type CreatedThread = Exactly<generated.CreatedThread, { state: ThreadState }>;

export type TextPart = generated.Part;
export type Source = Exactly<generated.SourceBody, { kind: SourceKind; url: string | null }>;

export type Message = Exactly<
  generated.Message,
  { role: MessageRole; sources: Source[]; feedback: boolean | null; feedback_reason: string | null }
>;

export type MessagesMeta = Exactly<
  generated.MessagesMeta,
  { state: ThreadState; pending: number | null; next_cursor: string | null }
>;

export type MessageList = Exactly<generated.MessageList, { data: Message[]; meta: MessagesMeta }>;

export type SendMessage = generated.SendMessage;

/** `sequence` is null while the question waits behind another answer. */
export type SentMessage = Exactly<
  generated.SentMessage,
  { sequence: number | null; state: ThreadState; sources: Source[] }
>;

/** `event: message` of the thread's stream. The description has no events; their parts are those of a message. */
export type StreamMessage = Pick<Message, "uuid" | "sequence" | "role" | "content"> &
  Partial<Pick<Message, "sources" | "refused" | "failed">> & {
    /** Whether this is the whole text instead of a continuation. */
    replace: boolean;
  };

/** `event: log`: `text` is a code that the widget translates. */
export interface StreamLog {
  level: "info" | "warn" | "error";
  text: string;
}

/** `event: command`. */
export type StreamCommand = Pick<Message, "is_closing"> & {
  name: string;
  /** The answer that is complete; null when there is none yet. */
  uuid: Message["uuid"] | null;
  state: ThreadState;
};

/** What the served document carries in `<script id="vitrine-session">`. */
export type Session = Partial<
  Pick<generated.ChatbotConfigBody, "key" | "embed_token" | "embed_token_expires_at">
>;

/** What the server inlines into the loader. */
export interface Launcher {
  key: string;
  widgetOrigin: string;
  title: string;
  language: string;
  brandColor: string;
  theme: "light" | "dark";
  orientation: "ltr" | "rtl";
  bottom: number;
  right: number;
  visible: boolean;
  pages: { mode: "white" | "black"; urls: string[] };
}
