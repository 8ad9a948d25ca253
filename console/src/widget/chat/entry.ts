import type { Problem } from "../../api/problem";
import type { Message, MessageRole, SentMessage, Source, TextPart } from "../../api/types";

/** One bubble. It keeps its `id` while the server's `uuid` and `sequence` become known. */
export interface Entry {
  id: string;
  uuid: string | null;
  sequence: number | null;
  role: MessageRole;
  text: string;
  /** `sending` and `failed` are a shopper's; `pending` is an answer that is still being written. */
  status: "sending" | "failed" | "pending" | "done";
  /** Code of the answer's last log line, until its text begins. */
  log: string | null;
  sources: Source[];
  refused: boolean;
  /** The answer could not be given. */
  unanswered: boolean;
  createdAt: number;
  /** Why a `failed` message was not sent. */
  problem: Problem | null;
  /** How far the stream has written this answer. */
  position: Position;
}

export interface Position {
  /** Names the attempt; empty before the first. Names have no order. */
  attempt: string;
  /** Unicode scalar values. */
  characters: number;
  /** Attempts that were given up. */
  past: readonly string[];
}

export const START: Position = { attempt: "", characters: 0, past: [] };

export function newEntry(
  fields: Pick<Entry, "id" | "role" | "text" | "status" | "createdAt"> & Partial<Entry>,
): Entry {
  return {
    uuid: null,
    sequence: null,
    log: null,
    sources: [],
    refused: false,
    unanswered: false,
    problem: null,
    position: START,
    ...fields,
  };
}

export function entryOfMessage(message: Message): Entry {
  return newEntry({
    id: message.uuid,
    uuid: message.uuid,
    sequence: message.sequence,
    role: message.role,
    // The stream tells an unfinished answer from its start.
    text: message.completed ? textOf(message.content) : "",
    status: message.completed ? "done" : "pending",
    sources: message.sources,
    refused: message.refused,
    unanswered: message.failed,
    createdAt: Date.parse(message.created_at),
  });
}

export function textOf(content: readonly TextPart[]): string {
  return content.map((part) => (part.type === "text" ? part.text.value : "")).join("");
}

/** In the thread's order; what the server has not numbered yet comes last, as it was added. */
export function sorted(entries: readonly Entry[]): Entry[] {
  const place = (entry: Entry) => entry.sequence ?? Number.POSITIVE_INFINITY;
  return [...entries].sort((a, b) => (place(a) === place(b) ? 0 : place(a) - place(b)));
}

export function changed(entries: readonly Entry[], id: string, change: Partial<Entry>): Entry[] {
  return entries.map((entry) => (entry.id === id ? { ...entry, ...change } : entry));
}

/** The bubble that stands for a message of the server: by its uuid, or by its number where the uuid is not known yet. */
export function sameMessage(
  entries: readonly Entry[],
  { uuid, sequence, role }: Pick<Message, "uuid" | "role"> & Pick<SentMessage, "sequence">,
): Entry | undefined {
  const known = entries.find((entry) => entry.uuid === uuid);
  if (known || sequence === null) return known;
  return entries.find((entry) => entry.uuid === null && entry.role === role && entry.sequence === sequence);
}

/** Lays stored messages over what is shown. A message already there keeps its bubble. */
export function merged(entries: readonly Entry[], messages: readonly Message[]): Entry[] {
  const result = [...entries];
  for (const message of messages) {
    const stored = entryOfMessage(message);
    const shown = sameMessage(result, message);
    if (!shown) result.push(stored);
    else if (stored.status === "done") result[result.indexOf(shown)] = { ...stored, id: shown.id };
  }
  return sorted(result);
}

/** The place of an answer that is being written, known by its number only. */
export function pendingEntry(sequence: number): Entry {
  const fields = {
    id: `pending-${sequence}`,
    role: "ai",
    text: "",
    status: "pending",
    log: "thinking",
  } as const;
  return newEntry({ ...fields, sequence, createdAt: Date.now() });
}

/** Answers the server is known to be writing, or to write next; one that waits has no number yet. */
export function pendingAnswers(entries: readonly Entry[]): Entry[] {
  return entries.filter(
    (entry) => entry.status === "pending" && (entry.uuid !== null || entry.sequence !== null),
  );
}
