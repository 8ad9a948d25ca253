import type { Problem } from "../../api/problem";
import type { ShopperApi } from "../../api/shopper";
import type { ChatbotConfig, ThreadState } from "../../api/types";
import type { Claims } from "../boot/route";
import type { VisitorStorage } from "../boot/storage";
import { characterCount } from "../text/characters";
import type { Entry } from "./entry";
import type { Store } from "./store";
import type { Connection } from "./stream";

export interface ChatState {
  entries: Entry[];
  threadUuid: string | null;
  threadState: ThreadState;
  creatingThread: boolean;
  /** The stored conversation is being fetched. */
  restoring: boolean;
  /** Why the stored conversation could not be fetched. */
  restoreProblem: Problem | null;
  connection: Connection;
  /** Names the messages before the oldest shown; null when there are none. */
  earlierCursor: string | null;
  draft: string;
  leadId: string | null;
  /** `required` stands in the way of the first message, `offered` does not. */
  leadForm: "hidden" | "required" | "offered";
  leadProblem: Problem | null;
  claims: Claims;
  open: boolean;
  unread: number;
}

/** What the parts of the chat share. */
export interface ChatContext {
  store: Store<ChatState>;
  api: ShopperApi;
  storage: VisitorStorage;
  config: ChatbotConfig;
  agent: string;
  onThreadCreated: (uuid: string) => void;
  onUnread: (count: number) => void;
}

/** Why the shopper cannot send `text` now, or null when they can. */
export function sendBlock(
  state: ChatState,
  config: ChatbotConfig,
  text: string,
): "empty" | "too_long" | "creating_thread" | "demo" | "closed" | "lead" | "restoring" | null {
  if (config.demo) return "demo";
  if (state.threadState === "closed") return "closed";
  if (state.leadForm === "required") return "lead";
  if (state.creatingThread) return "creating_thread";
  if (state.restoring) return "restoring";
  if (text.trim() === "") return "empty";
  return characterCount(text) > config.limits.message_characters ? "too_long" : null;
}

/** A customer the address names with id and e-mail is not asked again; their lead is created by itself. */
export function isKnownCustomer(claims: Claims): boolean {
  return claims.customerId !== null && claims.email !== null;
}

/** What the lead form has to do for this visitor. */
export function leadFormFor(
  config: ChatbotConfig,
  state: Pick<ChatState, "leadId" | "claims" | "threadUuid">,
) {
  const { ask, fields } = config.lead_form;
  const settled = state.leadId !== null || state.threadUuid !== null || isKnownCustomer(state.claims);
  return ask === "before_first_message" && fields.length > 0 && !settled && !config.demo
    ? "required"
    : "hidden";
}
