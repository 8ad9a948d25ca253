import { changed, type Entry, merged, pendingAnswers } from "./entry";
import { fold } from "./fold";
import type { ChatContext } from "./state";
import { openThreadStream, type ThreadEvent, type ThreadStream, type Verdict } from "./stream";

/** Messages fetched at once. */
export const PAGE_LENGTH = 50;

/** Keeps the thread's stream open while an answer is being written or a person is involved, and only then. */
export interface Follower {
  /** Call after anything that may have made a stream necessary. */
  follow(): void;
  /** Tries a broken connection again now. */
  wake(): void;
  stop(): void;
}

export function createFollower(context: ChatContext): Follower {
  const { store, api } = context;
  let stream: ThreadStream | null = null;
  // The last event told of a complete answer.
  let ended = false;

  function isNeeded(): boolean {
    const { entries, threadState } = store.get();
    return pendingAnswers(entries).length > 0 || threadState === "waiting" || threadState === "owner";
  }

  function follow(): void {
    const { threadUuid } = store.get();
    if (!threadUuid || !isNeeded()) return;
    if (stream) {
      // A pause between two tries is over as soon as the server was heard of otherwise.
      stream.wake();
      return;
    }
    const opened = openThreadStream(api, threadUuid, {
      onEvent,
      onEnd: () => reconcile(threadUuid),
      onConnection(connection) {
        store.set({ connection });
        if (connection === "idle" && stream === opened) {
          stream = null;
          follow();
        }
      },
      onRefused() {
        store.set({ entries: givenUp(store.get().entries), threadState: "bot" });
      },
    });
    stream = opened;
  }

  function onEvent(event: ThreadEvent): Verdict {
    const { entries } = store.get();
    ended = event.type === "command";
    if (event.type === "log") {
      // Answers are written one after the other.
      const [current] = pendingAnswers(entries);
      if (current) store.set({ entries: changed(entries, current.id, { log: event.data.text }) });
      return "continue";
    }
    if (event.type === "message") {
      const folded = fold(entries, event, Date.now());
      if (folded.gap) return "restart";
      countUnread(entries.filter(isAnswered).length, folded.entries.filter(isAnswered).length);
      store.set({ entries: folded.entries });
      return "continue";
    }
    if (event.data.name !== "END") return "continue";
    store.set({ threadState: event.data.is_closing ? "closed" : event.data.state });
    // Otherwise the server ends the stream: it knows of questions that wait and are not in the list yet.
    return event.data.is_closing ? "done" : "continue";
  }

  function countUnread(before: number, after: number): void {
    const { open, unread } = store.get();
    if (open || after <= before) return;
    store.set({ unread: unread + after - before });
    context.onUnread(store.get().unread);
  }

  /** The stored messages are the truth: takes what the stream did not tell and drops what will never come. */
  async function reconcile(threadUuid: string): Promise<"continue" | "done"> {
    if (ended && !isNeeded()) return "done";
    const { data, meta } = await api.listMessages({ threadUuid, limit: PAGE_LENGTH });
    const before = store.get().entries;
    const entries = merged(before, data).filter(
      (entry) => entry.status !== "pending" || entry.sequence === null || meta.pending !== null,
    );
    countUnread(before.filter(isAnswered).length, entries.filter(isAnswered).length);
    store.set({ entries, threadState: meta.state });
    return isNeeded() ? "continue" : "done";
  }

  return {
    follow,
    wake: () => stream?.wake(),
    stop() {
      stream?.close();
      stream = null;
      store.set({ connection: "idle" });
    },
  };
}

/** Nothing more can be heard of these answers: say so instead of letting them think for ever. */
function givenUp(entries: Entry[]): Entry[] {
  return entries.map((entry) =>
    entry.status === "pending" ? { ...entry, status: "done", log: null, unanswered: true } : entry,
  );
}

function isAnswered(entry: { role: string; status: string }): boolean {
  return entry.role !== "human" && entry.status === "done";
}
