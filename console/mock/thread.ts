import type { Message, Source, StreamMessage, ThreadState } from "../src/api/types.ts";

/** An answer that is being written. */
export interface Turn {
  uuid: string;
  sequence: number;
  attempt: number;
  /** Whole text of the answer in Unicode scalar values. */
  text: string[];
  written: number;
  sources: Source[];
}

export type Subscriber = (frame: string | null) => void;

/** One conversation of the mock: stored messages, at most one open turn, and who listens. */
export interface Thread {
  uuid: string;
  visitor: string;
  state: ThreadState;
  messages: Message[];
  turn: Turn | null;
  subscribers: Set<Subscriber>;
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

/** Stores the open answer and ends the stream, as the state `bot` demands; `closing` ends the conversation with it. */
export function finish(thread: Thread, closing = false): void {
  const { turn } = thread;
  if (!turn) return;
  const { uuid, sequence, sources } = turn;
  const message = {
    ...storedMessage({ uuid, sequence, role: "ai", text: turn.text.join("") }),
    sources,
    is_closing: closing,
  };
  thread.messages.push(message);
  thread.turn = null;
  send(thread, storedFrame(message) + endFrame(thread, message));
  if (thread.state === "bot") hangUp(thread);
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
    const known =
      Number(sequence) === turn.sequence && Number(attempt) === turn.attempt ? Number(characters) : 0;
    const piece = turn.text.slice(known, turn.written).join("");
    frames += frame("log", { level: "info", text: "thinking" });
    if (piece) frames += pieceFrame(turn, piece);
  } else if (thread.state === "bot" && last) frames += endFrame(thread, last);
  return frames;
}

export function pieceFrame(turn: Turn, text: string): string {
  const data: StreamMessage = {
    uuid: turn.uuid,
    sequence: turn.sequence,
    role: "ai",
    content: [{ type: "text", text: { value: text } }],
    replace: false,
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
  return frame("command", { name: "END", uuid, is_closing, state: thread.state }, `${sequence}.stored.0`);
}
