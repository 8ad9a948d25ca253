import type { Credentials } from "./credentials";
import { callJson, type Fetch, send } from "./http";
import type {
  CreatedLead,
  CreatedThread,
  CreateLead,
  CreateThread,
  Envelope,
  MessageList,
  SendMessage,
  SentMessage,
} from "./types";

/** The shopper API: one method per call, answers typed, failures thrown as `Problem`. */
export interface ShopperApi {
  createLead(lead: CreateLead): Promise<CreatedLead>;
  createThread(thread: CreateThread): Promise<CreatedThread>;
  listMessages(query: { threadUuid: string; limit: number; cursor?: string }): Promise<MessageList>;
  sendMessage(message: SendMessage, idempotencyKey: string): Promise<SentMessage>;
  /** Opens the thread's stream; the body is server-sent events. */
  openEvents(query: {
    threadUuid: string;
    lastEventId: string | null;
    signal: AbortSignal;
  }): Promise<Response>;
}

export function createShopperApi(fetch: Fetch, credentials: Credentials): ShopperApi {
  const { authorized, keepVisitor } = credentials;

  return {
    async createLead(lead) {
      const { data } = await authorized((token) =>
        callJson<Envelope<CreatedLead>>(fetch, { method: "POST", path: "/api/leads", token, body: lead }),
      );
      keepVisitor(data.visitor_token);
      return data;
    },

    async createThread(thread) {
      const { data } = await authorized((token) =>
        callJson<Envelope<CreatedThread>>(fetch, {
          method: "POST",
          path: "/api/thread",
          token,
          body: thread,
        }),
      );
      keepVisitor(data.visitor_token);
      return data;
    },

    listMessages({ threadUuid, limit, cursor }) {
      const query = new URLSearchParams({ thread_uuid: threadUuid, limit: String(limit) });
      if (cursor) query.set("cursor", cursor);
      return authorized((token) => callJson<MessageList>(fetch, { path: `/api/messages?${query}`, token }));
    },

    async sendMessage(message, idempotencyKey) {
      // The answer comes over the stream, so there is no reason to hold this call open for it.
      const headers = { "Idempotency-Key": idempotencyKey, Prefer: "respond-async" };
      const { data } = await authorized((token) =>
        callJson<Envelope<SentMessage>>(fetch, {
          method: "POST",
          path: "/api/messages",
          token,
          headers,
          body: message,
        }),
      );
      return data;
    },

    openEvents({ threadUuid, lastEventId, signal }) {
      const headers: Record<string, string> = { Accept: "text/event-stream" };
      if (lastEventId) headers["Last-Event-ID"] = lastEventId;
      const path = `/api/threads/${encodeURIComponent(threadUuid)}/events`;
      return authorized((token) => send(fetch, { path, token, headers }, signal));
    },
  };
}
