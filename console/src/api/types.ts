/** Shapes of the shopper API. Everything else in this package names them through this file only. */

/** Body of every successful answer. */
export interface Envelope<Data, Meta = undefined> {
  data: Data;
  message: string;
  meta: Meta;
}

/** `application/problem+json` (RFC 9457) with our machine-readable `code`. */
export interface ProblemBody {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  message: string;
  errors?: Record<string, string[]>;
}

export type LeadField = "name" | "phone" | "email";
export type ThreadState = "bot" | "waiting" | "owner" | "closed";
export type MessageRole = "human" | "ai" | "owner";
export type SourceKind = "faq" | "document" | "product";

export interface ChatbotInterface {
  headline: string;
  welcome_message: string;
  brand_color: string;
  theme: "light" | "dark";
  orientation: "ltr" | "rtl";
  bottom: number;
  right: number;
  avatar_url: string | null;
}

export interface LeadFormConfig {
  ask: "before_first_message" | "later" | "never";
  fields: LeadField[];
  required: LeadField[];
  privacy_url: string | null;
  consent_text: string | null;
  consent_version: string | null;
}

export interface ChatbotConfig {
  key: string;
  title: string;
  agent: string;
  language: string;
  interface: ChatbotInterface;
  allowed_domains: string[];
  show_branding: boolean;
  demo: boolean;
  visible: boolean;
  lead_form: LeadFormConfig;
  limits: { message_characters: number };
  embed_token: string;
  /** RFC 3339. */
  embed_token_expires_at: string;
}

export interface CreateLead {
  api_key: string;
  name: string | null;
  email: string | null;
  phone: string | null;
  leadable_id: string | null;
  leadable_type: "customer" | "user" | null;
  agent_namespace: string;
  consent_version: string | null;
}

export interface CreatedLead {
  id: string;
  visitor_token: string;
}

export interface CreateThread {
  lead_id?: string;
  agent_namespace: string;
  api_key?: string;
}

export interface CreatedThread {
  uuid: string;
  state: ThreadState;
  visitor_token: string;
}

export interface TextPart {
  type: "text";
  text: { value: string };
}

export interface Source {
  number: number;
  title: string;
  url: string | null;
  kind: SourceKind;
}

export interface Message {
  uuid: string;
  sequence: number;
  role: MessageRole;
  content: TextPart[];
  created_at: string;
  is_closing: boolean;
  feedback: boolean | null;
  feedback_reason: string | null;
  completed: boolean;
  sources: Source[];
  refused: boolean;
  failed: boolean;
}

export interface MessagesMeta {
  state: ThreadState;
  /** Sequence of the answer that is still being written. */
  pending: number | null;
  next_cursor: string | null;
}

export interface SendMessage {
  thread_uuid: string;
  agent_namespace: string;
  messages: TextPart[];
  customer_id?: string;
}

/** `uuid` and `sequence` are the answer's; `content` is empty while it is still being written. */
export interface SentMessage {
  uuid: string;
  sequence: number;
  content: TextPart[];
  is_closing: boolean;
  state: ThreadState;
  sources: Source[];
  refused: boolean;
  failed: boolean;
  question_uuid: string;
  question_sequence: number;
}

/** `event: message` of the thread's stream. The last three fields come with the stored answer only. */
export interface StreamMessage {
  uuid: string;
  sequence: number;
  role: MessageRole;
  content: TextPart[];
  replace: boolean;
  sources?: Source[];
  refused?: boolean;
  failed?: boolean;
}

/** `event: log`: `text` is a code that the widget translates. */
export interface StreamLog {
  level: "info" | "warn" | "error";
  text: string;
}

/** `event: command`. */
export interface StreamCommand {
  name: string;
  uuid: string;
  is_closing: boolean;
  state: ThreadState;
}

/** What the served document carries in `<script id="vitrine-session">`. */
export interface Session {
  key?: string;
  embed_token?: string;
  embed_token_expires_at?: string;
}

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
