import type {
  ChatbotConfig,
  CreatedLead,
  CreatedThread,
  Envelope,
  Launcher,
  MessageList,
  ProblemBody,
  ProblemCode,
  SendMessage,
  SentMessage,
} from "../src/api/types.ts";
import { ANSWERS, type MockAnswer, mockConfig } from "./data.ts";
import {
  dispatch,
  nextSequence,
  openingFrames,
  type QueuedTurn,
  type Subscriber,
  storedMessage,
  type Thread,
} from "./thread.ts";

export interface Recorded {
  method: string;
  path: string;
  headers: Headers;
  body: unknown;
}

/** A failure the mock answers instead of doing what it was asked. */
export interface Failure {
  /** Start of `METHOD /path`. */
  on: string;
  status: number;
  code: ProblemCode;
  retryAfter?: number;
  errors?: Record<string, string[]>;
  /** The call takes effect, only its answer is lost. */
  afterwards?: boolean;
}

/** The shopper API in memory, as the contract has it. Used instead of `fetch` in tests and behind `serve.ts`. */
export interface MockApi {
  fetch(input: string, init?: RequestInit): Promise<Response>;
  config: ChatbotConfig;
  pages: Launcher["pages"];
  /** Answers questions; what it gives is written by the test, or by `serve.ts` on a clock. */
  answer: (question: string) => MockAnswer;
  requests: Recorded[];
  failures: Failure[];
  threads: Map<string, Thread>;
  /** Tokens that are good, with the visitor they belong to. */
  tokens: Map<string, string>;
  onTurn: (thread: Thread) => void;
}

export function createMockApi(config: Partial<ChatbotConfig> = {}): MockApi {
  const sent = new Map<string, { body: string; answer: SentMessage }>();
  let count = 0;
  const next = (prefix: string) => `${prefix}-${++count}`;

  const api: MockApi = {
    config: mockConfig(config),
    pages: { mode: "white", urls: [] },
    answer: () => ANSWERS.en,
    requests: [],
    failures: [],
    threads: new Map(),
    tokens: new Map(),
    onTurn: () => undefined,
    async fetch(input, init = {}) {
      const url = new URL(input, "http://widget.localhost");
      const method = init.method ?? "GET";
      const headers = new Headers(init.headers);
      const body = typeof init.body === "string" ? JSON.parse(init.body) : null;
      api.requests.push({ method, path: url.pathname + url.search, headers, body });
      const failure = api.failures.find(({ on }) => `${method} ${url.pathname}`.startsWith(on));
      if (failure) api.failures.splice(api.failures.indexOf(failure), 1);
      if (failure && !failure.afterwards) return problem(failure);
      const response = route(method, url, headers, body, init.signal ?? null);
      if (failure) throw new TypeError("Failed to fetch");
      return response;
    },
  };

  function route(
    method: string,
    url: URL,
    headers: Headers,
    body: unknown,
    signal: AbortSignal | null,
  ): Response {
    const visitor = api.tokens.get(headers.get("Authorization")?.replace("Bearer ", "") ?? "");
    const call = `${method} ${url.pathname}`;
    if (call === "GET /api/chatbot-config") return data<ChatbotConfig>(configFor(visitor ?? next("visitor")));
    if (!visitor) return problem({ status: 401, code: "token_invalid" });
    if (call === "POST /api/leads")
      return data<CreatedLead>({ id: next("lead"), visitor_token: tokenFor(visitor) }, 201);
    if (call === "POST /api/thread") return data(createThread(visitor), 201);
    const uuid = url.searchParams.get("thread_uuid") ?? (body as SendMessage | null)?.thread_uuid;
    const thread = api.threads.get(uuid ?? /\/api\/threads\/([^/]+)\/events$/.exec(url.pathname)?.[1] ?? "");
    if (thread?.visitor !== visitor) return problem({ status: 404, code: "thread_not_found" });
    if (call === "GET /api/messages") return listMessages(thread, url.searchParams);
    if (call === "POST /api/messages") return acceptMessage(thread, headers, body as SendMessage);
    return events(thread, headers.get("Last-Event-ID"), signal);
  }

  function configFor(visitor: string): ChatbotConfig {
    const expires = new Date(Date.now() + 15 * 60_000).toISOString();
    return { ...api.config, embed_token: tokenFor(visitor), embed_token_expires_at: expires };
  }

  function tokenFor(visitor: string): string {
    const token = next("token");
    api.tokens.set(token, visitor);
    return token;
  }

  function createThread(visitor: string): CreatedThread {
    const thread: Thread = {
      uuid: next("thread"),
      visitor,
      state: "bot",
      messages: [],
      turn: null,
      queued: null,
      subscribers: new Set(),
      onTurn: () => api.onTurn(thread),
    };
    api.threads.set(thread.uuid, thread);
    return { uuid: thread.uuid, state: thread.state, visitor_token: tokenFor(visitor) };
  }

  function listMessages(thread: Thread, query: URLSearchParams): Response {
    const before = Number(query.get("cursor") ?? Number.POSITIVE_INFINITY);
    const older = thread.messages.filter(({ sequence }) => sequence < before).toReversed();
    const page = older.slice(0, Number(query.get("limit") ?? 50));
    const next_cursor = page.length < older.length ? String(page.at(-1)?.sequence) : null;
    const meta = { state: thread.state, pending: thread.turn?.sequence ?? null, next_cursor };
    return Response.json({ data: page, message: "", meta } satisfies MessageList);
  }

  function acceptMessage(thread: Thread, headers: Headers, body: SendMessage): Response {
    const key = headers.get("Idempotency-Key") ?? next("key");
    const known = sent.get(key);
    if (known && known.body !== JSON.stringify(body))
      return problem({ status: 422, code: "idempotency_mismatch" });
    if (known) return data(known.answer, 202);
    const text = body.messages[0]?.text.value ?? "";
    const sequence = nextSequence(thread);
    const question = storedMessage({ uuid: next("message"), sequence, role: "human", text });
    thread.messages.push(question);
    const turn = thread.queued ?? turnFor(text);
    const answer: SentMessage = {
      uuid: turn.uuid,
      sequence: thread.state === "bot" ? place(thread, turn) : null,
      content: [],
      is_closing: false,
      state: thread.state,
      sources: [],
      refused: false,
      failed: false,
      question_uuid: question.uuid,
      question_sequence: question.sequence,
    };
    sent.set(key, { body: JSON.stringify(body), answer });
    return data(answer, 202);
  }

  function turnFor(question: string): QueuedTurn {
    const { text, sources } = api.answer(question);
    return { uuid: next("turn"), attempt: next("attempt"), text: [...text], written: 0, sources };
  }

  /** Begins the answer, or lets it wait behind another one; questions that wait get one answer together. */
  function place(thread: Thread, turn: QueuedTurn): number | null {
    if (!thread.turn) return dispatch(thread, turn).sequence;
    thread.queued = turn;
    return null;
  }

  function events(thread: Thread, lastEventId: string | null, signal: AbortSignal | null): Response {
    const encoder = new TextEncoder();
    let subscriber: Subscriber = () => undefined;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        subscriber = (frame) =>
          frame === null ? controller.close() : controller.enqueue(encoder.encode(frame));
        subscriber(openingFrames(thread, lastEventId));
        if (!thread.turn && thread.state === "bot") return controller.close();
        thread.subscribers.add(subscriber);
        signal?.addEventListener("abort", () => {
          if (thread.subscribers.delete(subscriber)) controller.error(signal.reason);
        });
      },
      cancel: () => void thread.subscribers.delete(subscriber),
    });
    return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
  }

  return api;
}

function data<Data>(value: Data, status = 200): Response {
  return Response.json({ data: value, message: "" } satisfies Envelope<Data>, { status });
}

function problem({ status, code, retryAfter, errors }: Omit<Failure, "on">): Response {
  const headers: Record<string, string> = { "Content-Type": "application/problem+json" };
  if (retryAfter) headers["Retry-After"] = String(retryAfter);
  const body: ProblemBody = { type: "about:blank", title: code, status, detail: code, code, message: code };
  if (errors) body.errors = errors;
  return new Response(JSON.stringify(body), { status, headers });
}
