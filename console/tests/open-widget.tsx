import { render, screen } from "@testing-library/react";
import { createMockApi, type MockApi } from "../mock/api.ts";
import type { ChatbotConfig } from "../src/api/types.ts";
import type { AppMessage, LoaderMessage } from "../src/shared/protocol.ts";
import type { Environment } from "../src/widget/boot/load.ts";
import { NO_CLAIMS, type Route } from "../src/widget/boot/route.ts";
import { createVisitorStorage } from "../src/widget/boot/storage.ts";
import { App } from "../src/widget/components/App.tsx";

export interface Widget {
  api: MockApi;
  /** What the shop's page heard. */
  posted: AppMessage[];
  /** What the loader says. */
  tell: (message: LoaderMessage) => void;
  unmount: () => void;
}

/** Opens the real app over the mock API; with `api` it is the next page of the same visit. */
export async function openWidget(
  options: {
    config?: Partial<ChatbotConfig>;
    route?: Partial<Route>;
    api?: MockApi;
    storage?: () => Storage;
  } = {},
): Promise<Widget> {
  const api = options.api ?? createMockApi(options.config);
  const posted: AppMessage[] = [];
  let listener: (message: LoaderMessage) => void = () => undefined;
  const environment: Environment = {
    fetch: api.fetch,
    session: {},
    storage: createVisitorStorage(api.config.key, options.storage ?? (() => localStorage)),
    route: { apiKey: api.config.key, threadUuid: null, agent: null, claims: NO_CLAIMS, ...options.route },
    host: {
      embedded: true,
      post: (message) => posted.push(message),
      onMessage(next) {
        listener = next;
      },
      allow: () => posted.push({ type: "initialized" }),
    },
  };
  const { unmount } = render(<App environment={environment} />);
  await screen.findByRole("main");
  return { api, posted, tell: (message) => listener(message), unmount };
}

/** The mock's only thread. */
export function onlyThread(api: MockApi) {
  const [thread] = api.threads.values();
  if (!thread) throw new Error("no thread was created");
  return thread;
}
