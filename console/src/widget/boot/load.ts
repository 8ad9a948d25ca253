import type { i18n } from "i18next";
import { type Credentials, createCredentials } from "../../api/credentials";
import type { Fetch } from "../../api/http";
import { createShopperApi } from "../../api/shopper";
import type { ChatbotConfig, Session } from "../../api/types";
import { supportedLanguage } from "../../shared/languages";
import { type Chat, createChat, initialState } from "../chat/chat";
import { createStore } from "../chat/store";
import { loadTexts } from "../text/i18n";
import type { Host } from "./host";
import type { Route } from "./route";
import type { VisitorStorage } from "./storage";

export interface Environment {
  fetch: Fetch;
  host: Host;
  route: Route;
  session: Session;
  storage: VisitorStorage;
}

export interface Loaded {
  config: ChatbotConfig;
  chat: Chat;
  texts: i18n;
}

/** The part of loading that can be repeated: a failure throws a `Problem` and leaves nothing behind. */
export function createLoader(environment: Environment): () => Promise<Loaded> {
  const { fetch, route, session, storage } = environment;
  const credentials = createCredentials({
    fetch,
    apiKey: route.apiKey,
    session,
    store: storage.visitorToken,
    onVisitorLost() {
      storage.leadId.write(null);
      storage.threadUuid.write(null);
    },
  });
  return async () => {
    const config = await credentials.loadConfig();
    const texts = await loadTexts(supportedLanguage(config.language));
    return { config, texts, chat: chatOf(environment, credentials, config) };
  };
}

function chatOf(
  { fetch, host, route, storage }: Environment,
  credentials: Credentials,
  config: ChatbotConfig,
): Chat {
  const draft = storage.draft.read()?.text ?? "";
  const threadUuid = route.threadUuid ?? storage.threadUuid.read();
  return createChat({
    store: createStore(initialState(route.claims, draft, storage.leadId.read(), threadUuid)),
    api: createShopperApi(fetch, credentials),
    storage,
    config,
    agent: route.agent ?? config.agent,
    onThreadCreated: (uuid) => host.post({ type: "threadCreated", uuid }),
    onUnread: (count) => host.post({ type: "unread", count }),
  });
}
