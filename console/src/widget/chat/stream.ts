import { readEvents } from "../../api/event-stream";
import { type Problem, problemFromError } from "../../api/problem";
import type { ShopperApi } from "../../api/shopper";
import type { StreamCommand, StreamLog, StreamMessage } from "../../api/types";

/** Tries without a single useful event before the shopper is asked. */
const ATTEMPTS_MAX = 8;
const DELAY_MAX_MS = 15_000;

export type ThreadEvent =
  | { type: "message"; id: string; data: StreamMessage }
  | { type: "log"; data: StreamLog }
  | { type: "command"; data: StreamCommand };

/** What to do after an event: `restart` reads the unfinished answer again from its start. */
export type Verdict = "continue" | "restart" | "done";

export type Connection = "idle" | "live" | "reconnecting" | "lost";

export interface ThreadStream {
  close(): void;
  /** Tries again now instead of when the pause is over. */
  wake(): void;
}

interface Listener {
  onEvent(event: ThreadEvent): Verdict;
  /** The server ended the stream in order: is there more to come? */
  onEnd(): Promise<"continue" | "done">;
  onConnection(connection: Connection): void;
  /** The thread cannot be followed at all. */
  onRefused(problem: Problem): void;
}

/** Follows a thread until `done`, through any number of broken connections. */
export function openThreadStream(
  api: ShopperApi,
  threadUuid: string,
  listener: Listener,
  random: () => number = Math.random,
): ThreadStream {
  const closing = new AbortController();
  let wake: () => void = () => undefined;
  let failures = 0;
  let retryMs = 1000;
  let lastEventId: string | null = null;

  async function readOnce(): Promise<"again" | "done"> {
    const response = await api.openEvents({ threadUuid, lastEventId, signal: closing.signal });
    if (!response.body) return "again";
    listener.onConnection("live");
    for await (const raw of readEvents(response.body, (delayMs) => (retryMs = delayMs))) {
      const event = parseEvent(raw.event ?? "message", raw.id ?? "", raw.data);
      if (closing.signal.aborted) return "done";
      if (!event) continue;
      const verdict = listener.onEvent(event);
      if (verdict === "done") return "done";
      if (verdict === "restart") {
        lastEventId = null;
        return "again";
      }
      if (raw.id) lastEventId = raw.id;
      // An END alone is no progress: a server that only repeats it must not be asked for ever.
      if (event.type !== "command") failures = 0;
    }
    return (await listener.onEnd()) === "done" ? "done" : "again";
  }

  function pause(problem: Problem | null): Promise<void> {
    const ceiling = Math.min(retryMs * 2 ** (failures - 1), DELAY_MAX_MS);
    const asked = problem?.retryAt ? problem.retryAt - Date.now() : 0;
    // Half fixed, half random: many visitors of a restarted server must not come back at one moment.
    const delay = Math.max(ceiling / 2 + (ceiling / 2) * random(), asked);
    return new Promise((resolve) => {
      const timer = failures < ATTEMPTS_MAX ? setTimeout(resolve, delay) : undefined;
      wake = () => {
        clearTimeout(timer);
        if (failures >= ATTEMPTS_MAX) failures = 0;
        resolve();
      };
    });
  }

  async function follow(): Promise<void> {
    while (!closing.signal.aborted) {
      let problem: Problem | null = null;
      try {
        if ((await readOnce()) === "done") break;
      } catch (error) {
        problem = problemFromError(error);
        if (closing.signal.aborted) return;
        if (isFinal(problem)) {
          listener.onRefused(problem);
          break;
        }
      }
      failures += 1;
      listener.onConnection(failures < ATTEMPTS_MAX ? "reconnecting" : "lost");
      await pause(problem);
    }
    if (!closing.signal.aborted) listener.onConnection("idle");
    closing.abort();
  }

  void follow();
  return {
    close() {
      closing.abort();
      wake();
    },
    wake: () => wake(),
  };
}

/** A refusal that repeating does not change. */
function isFinal(problem: Problem): boolean {
  return problem.status >= 400 && problem.status < 500 && problem.status !== 429 && problem.status !== 408;
}

function parseEvent(type: string, id: string, data: string): ThreadEvent | null {
  try {
    const value = JSON.parse(data);
    if (type === "message") return { type, id, data: value as StreamMessage };
    if (type === "log") return { type, data: value as StreamLog };
    return type === "command" ? { type, data: value as StreamCommand } : null;
  } catch {
    return null;
  }
}
