import { createContext, useContext, useSyncExternalStore } from "react";
import type { ChatbotConfig } from "../../api/types";
import type { Chat } from "../chat/chat";
import type { ChatState } from "../chat/state";

interface ChatValue {
  chat: Chat;
  config: ChatbotConfig;
  /** Closes the frame; null where the chat is its own page. */
  close: (() => void) | null;
}

export const ChatContext = createContext<ChatValue | null>(null);

export function useChat(): ChatValue {
  const value = useContext(ChatContext);
  if (!value) throw new Error("useChat needs a ChatContext above it");
  return value;
}

export function useChatState(): ChatState {
  const { store } = useChat().chat;
  return useSyncExternalStore(store.subscribe, store.get);
}
