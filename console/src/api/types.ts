/**
 * The API's types under the names this package uses, and what is not HTTP. The HTTP shapes come from the API's own
 * description (`npm run generate`); everything else names them through this file only.
 */

import type * as generated from "./types.gen";

export type LeadField = generated.LeadField;
export type ThreadState = generated.ThreadState;
export type MessageRole = generated.Role;

/** Body of a successful answer. */
export type Envelope<Data> = Omit<generated.EnvelopeSentMessage, "data"> & { data: Data };

export type ProblemCode = generated.Code;
export type ProblemBody = generated.ProblemBody;

export type ChatbotConfig = generated.ChatbotConfigBody;

export type CreateLead = generated.CreateLead;
export type CreatedLead = generated.CreatedLead;
export type CreateThread = generated.CreateThread;
export type CreatedThread = generated.CreatedThread;

export type TextPart = generated.Part;
export type Source = generated.SourceBody;
export type Message = generated.Message;
export type MessageList = generated.MessageList;

export type SendMessage = generated.SendMessage;
/** `sequence` is null while the question waits behind another answer. */
export type SentMessage = generated.SentMessage;

/** `event: message` of the thread's stream. */
export type StreamMessage = generated.StreamMessage;
/** `event: log`: `text` is a code that the widget translates. */
export type StreamLog = generated.StreamLog;
/** `event: command`. */
export type StreamCommand = generated.StreamCommand;

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
  theme: generated.Theme;
  orientation: generated.Orientation;
  bottom: number;
  right: number;
  visible: boolean;
  pages: { mode: "white" | "black"; urls: string[] };
}
