import { useEffect, useRef, useState } from "react";
import { claimsOfToken } from "../boot/claims";
import type { Environment } from "../boot/load";
import type { Chat } from "../chat/chat";

/** Does what the shop's page asks for; gives how often it asked for the focus. */
export function useLoaderMessages({ host, storage }: Environment, chat: Chat | null): number {
  const [focusRequests, setFocusRequests] = useState(0);
  const person = useRef<string | null>(null);

  useEffect(() => {
    if (!chat) return;
    // On a shared computer nothing of the last person may stay, in memory neither: the document starts afresh.
    const startAfresh = () => {
      storage.clear();
      location.reload();
    };
    host.onMessage((message) => {
      switch (message.type) {
        case "opened":
          chat.setOpen(true);
          if (message.focus) setFocusRequests((count) => count + 1);
          break;
        case "closed":
          chat.setOpen(false);
          break;
        case "identify": {
          const claims = claimsOfToken(message.jwt);
          if (person.current !== null && person.current !== claims.customerId) return startAfresh();
          person.current = claims.customerId;
          chat.claim(claims);
          break;
        }
        case "reset":
          startAfresh();
      }
    });
  }, [host, storage, chat]);

  return focusRequests;
}
