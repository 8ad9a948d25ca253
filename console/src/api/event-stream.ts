import { createParser, type EventSourceMessage } from "eventsource-parser";
import { Problem } from "./problem";

/** The server sends a comment every 15 s; three missed ones mean that nobody is there any more. */
const SILENCE_MAX_MS = 45_000;

/** One event may not be longer than this many UTF-16 units. */
const EVENT_LENGTH_MAX = 1_000_000;

/** Reads server-sent events until the server ends the stream. Throws a `Problem` when the connection dies. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  onRetry: (delayMs: number) => void,
): AsyncGenerator<EventSourceMessage> {
  const ready: EventSourceMessage[] = [];
  const parser = createParser({
    onEvent: (event) => ready.push(event),
    onRetry,
    maxBufferSize: EVENT_LENGTH_MAX,
    onError: (error) => {
      if (error.type === "max-buffer-size-exceeded") throw new Problem("unreadable", { cause: error });
    },
  });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (;;) {
      const chunk = await orSilence(reader.read());
      if (chunk.done) return;
      parser.feed(decoder.decode(chunk.value, { stream: true }));
      yield* ready.splice(0);
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

async function orSilence<Value>(read: Promise<Value>): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Problem("timeout")), SILENCE_MAX_MS);
  });
  try {
    return await Promise.race([read, silence]);
  } finally {
    clearTimeout(timer);
  }
}
