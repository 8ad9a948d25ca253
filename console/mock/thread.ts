import type {
  Message,
  Source,
  StreamCommand,
  StreamLog,
  StreamMessage,
  ThreadState,
} from "../src/api/types.ts";

/** A question that waits behind another answer, and the answer it will get. */
export interface QueuedTurn {
  uuid: string;
  attempt: string;
  /** Whole text of the answer in Unicode scalar values. */
  text: string[];
  written: number;
  sources: Source[];
}

/** An answer that is being written. Its place is kept free for it. */
export interface Turn extends QueuedTurn {
  sequence: number;
}

export type Subscriber = (frame: string | null) => void;

/** One conversation of the mock: stored messages, at most one open turn, and who listens. */
export interface Thread {
  uuid: string;
  visitor: string;
  state: ThreadState;
  messages: Message[];
  turn: Turn | null;
  queued: QueuedTurn | null;
  subscribers: Set<Subscriber>;
  onTurn: () => void;
}

/** Where the next message stands. */
export function nextSequence(thread: Thread): number {
  return Math.max(thread.messages.at(-1)?.sequence ?? 0, thread.turn?.sequence ?? 0) + 1;
}

/** Begins to write an answer. */
export function dispatch(thread: Thread, queued: QueuedTurn): Turn {
  const turn = { ...queued, sequence: nextSequence(thread) };
  thread.turn = turn;
  thread.queued = null;
  thread.onTurn();
  return turn;
}

export function storedMessage(
  fields: Pick<Message, "uuid" | "sequence" | "role"> & { text: string },
): Message {
  const { text, ...rest } = fields;
  return {
    ...rest,
    content: [{ type: "text", text: { value: text } }],
    created_at: new Date().toISOString(),
    is_closing: false,
    feedback: null,
    feedback_reason: null,
    completed: true,
    sources: [],
    refused: false,
    failed: false,
  };
}

/** Writes the next piece of the open answer to everybody who listens. */
export function writeOn(thread: Thread, characters: number): void {
  const { turn } = thread;
  if (!turn) return;
  const piece = turn.text.slice(turn.written, turn.written + characters);
  turn.written += piece.length;
  send(thread, pieceFrame(turn, piece.join("")));
}

/**
 * Stores the open answer and begins the next one. Without a next one it ends the stream, as the state `bot` demands;
 * `closing` ends the conversation.
 */
export function finish(thread: Thread, closing = false): void {
  const { turn } = thread;
  if (!turn) return;
  const { uuid, sequence, sources } = turn;
  const message = {
    ...storedMessage({ uuid, sequence, role: "ai", text: turn.text.join("") }),
    sources,
    is_closing: closing,
  };
  thread.messages = [...thread.messages, message].sort((a, b) => a.sequence - b.sequence);
  thread.turn = null;
  send(thread, storedFrame(message) + endFrame(thread, message));
  if (thread.queued) dispatch(thread, thread.queued);
  else if (thread.state === "bot") hangUp(thread);
}

/** Breaks all connections, as a restarted server does. */
export function hangUp(thread: Thread): void {
  for (const subscriber of thread.subscribers) subscriber(null);
  thread.subscribers.clear();
}

export function send(thread: Thread, frame: string): void {
  for (const subscriber of thread.subscribers) subscriber(frame);
}

/** What a stream begins with: all that was stored after `lastEventId`, then the open answer from where it stopped. */
export function openingFrames(thread: Thread, lastEventId: string | null): string {
  const [sequence, attempt, characters] = (lastEventId ?? "").split(".");
  const isStored = attempt === "stored";
  const missed = thread.messages.filter(
    (message) =>
      lastEventId !== null &&
      (message.sequence > Number(sequence) || (!isStored && message.sequence === Number(sequence))),
  );
  const { turn } = thread;
  const last = thread.messages.at(-1);
  let frames = `retry: 1000\n\n${missed.map(storedFrame).join("")}`;
  if (turn) {
    const known = Number(sequence) === turn.sequence && attempt === turn.attempt ? Number(characters) : null;
    const piece = turn.text.slice(known ?? 0, turn.written).join("");
    frames += frame("log", { level: "info", text: "thinking" } satisfies StreamLog);
    if (piece) frames += pieceFrame(turn, piece, known === null);
  } else if (thread.state === "bot" && last) frames += endFrame(thread, last);
  return frames;
}

export function pieceFrame(turn: Turn, text: string, replace = false): string {
  const data: StreamMessage = {
    uuid: turn.uuid,
    sequence: turn.sequence,
    role: "ai",
    content: [{ type: "text", text: { value: text } }],
    replace,
  };
  return frame("message", data, `${turn.sequence}.${turn.attempt}.${turn.written}`);
}

export function frame(event: string, data: object, id?: string): string {
  return `${id ? `id: ${id}\n` : ""}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

function storedFrame({ uuid, sequence, role, content, sources, refused, failed }: Message): string {
  const data: StreamMessage = { uuid, sequence, role, content, replace: true, sources, refused, failed };
  return frame("message", data, `${sequence}.stored.0`);
}

function endFrame(thread: Thread, { uuid, sequence, is_closing }: Message): string {
  const data: StreamCommand = { name: "END", uuid, is_closing, state: thread.state };
  return frame("command", data, `${sequence}.stored.0`);
}
