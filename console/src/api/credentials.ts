import { callJson, type Fetch } from "./http";
import { Problem } from "./problem";
import type { ChatbotConfig, Envelope, Session } from "./types";

/** The embed token is renewed when it has less than this left. */
const RENEW_BEFORE_MS = 60_000;

/** Where a visitor token outlives the document. */
export interface TokenStore {
  read(): string | null;
  write(token: string | null): void;
}

/** The two tokens of a visitor: the visitor token once there is one, before that the document's embed token. */
export interface Credentials {
  /** Reads the chatbot's config, which also renews the embed token for the same visitor. */
  loadConfig(): Promise<ChatbotConfig>;
  /** Runs `call` with a token that is good; a refused one is renewed and the call repeated once. */
  authorized<Result>(call: (token: string) => Promise<Result>): Promise<Result>;
  /** Keeps the visitor token a lead or thread was answered with. */
  keepVisitor(token: string): void;
}

export function createCredentials(options: {
  fetch: Fetch;
  apiKey: string;
  session: Session;
  store: TokenStore;
  /** Called when the server no longer knows this visitor, so that what belongs to them is dropped. */
  onVisitorLost: () => void;
}): Credentials {
  const { fetch, apiKey, store, onVisitorLost } = options;
  let embedToken = options.session.embed_token ?? null;
  let expiresAt = Date.parse(options.session.embed_token_expires_at ?? "") || 0;
  let loading: Promise<ChatbotConfig> | null = null;

  function loadConfig(): Promise<ChatbotConfig> {
    loading ??= fetchConfig().finally(() => {
      loading = null;
    });
    return loading;
  }

  async function fetchConfig(): Promise<ChatbotConfig> {
    const { data } = await callJson<Envelope<ChatbotConfig>>(fetch, {
      path: `/api/chatbot-config?api_key=${encodeURIComponent(apiKey)}`,
      token: store.read() ?? embedToken,
    });
    embedToken = data.embed_token;
    expiresAt = Date.parse(data.embed_token_expires_at) || 0;
    return data;
  }

  async function currentToken(): Promise<string> {
    const visitorToken = store.read();
    if (visitorToken) return visitorToken;
    if (!embedToken || expiresAt - Date.now() < RENEW_BEFORE_MS) await loadConfig();
    return embedToken ?? "";
  }

  async function authorized<Result>(call: (token: string) => Promise<Result>): Promise<Result> {
    const token = await currentToken();
    try {
      return await call(token);
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 401) throw error;
    }
    if (store.read() === token) {
      store.write(null);
      onVisitorLost();
    }
    await loadConfig();
    return call(await currentToken());
  }

  return { loadConfig, authorized, keepVisitor: (token) => store.write(token) };
}
