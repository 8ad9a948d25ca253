import { useEffect } from "react";
import type { Chat } from "../chat/chat";

/** A connection that broke while the device slept or was offline is tried again the moment it is back. */
export function useWakeUps(chat: Chat | null): void {
  useEffect(() => {
    if (!chat) return;
    const onVisible = () => {
      if (document.visibilityState === "visible") chat.reconnect();
    };
    window.addEventListener("online", chat.reconnect);
    document.addEventListener("visibilitychange", onVisible);
    return () => {
      window.removeEventListener("online", chat.reconnect);
      document.removeEventListener("visibilitychange", onVisible);
    };
  }, [chat]);
}
