import type { StreamMessage } from "../../api/types";
import { type Entry, newEntry, type Position, START, sameMessage, sorted, textOf } from "./entry";

/**
 * Lays one `message` event over the entries. Repeated, late and overlapping events change nothing twice.
 * `gap` says that text is missing in between: the stream has to be read again from the start of the answer.
 */
export function fold(
  entries: readonly Entry[],
  event: { id: string; data: StreamMessage },
  now: number,
): { entries: Entry[]; gap: boolean } {
  const { data } = event;
  const shown = find(entries, data);
  const entry =
    shown ?? newEntry({ id: data.uuid, role: data.role, text: "", status: "pending", createdAt: now });
  if (entry.status === "done" && entry.role !== "human") return { entries: [...entries], gap: false };

  const next = written(entry, event.id, data);
  if (next === "gap") return { entries: [...entries], gap: true };
  const placed = { ...next, uuid: data.uuid, sequence: data.sequence };
  const list = shown ? entries.map((each) => (each === shown ? placed : each)) : [...entries, placed];
  return { entries: sorted(list), gap: false };
}

function find(entries: readonly Entry[], data: StreamMessage): Entry | undefined {
  return (
    sameMessage(entries, data) ??
    // An answer can be streamed before the call that asked for it has returned.
    (data.role === "ai"
      ? entries.find((entry) => entry.status === "pending" && entry.uuid === null)
      : undefined)
  );
}

function written(entry: Entry, id: string, data: StreamMessage): Entry | "gap" {
  const text = textOf(data.content);
  const position = parsePosition(id);
  if (position === "stored") {
    return {
      ...entry,
      text,
      status: "done",
      log: null,
      sources: data.sources ?? [],
      refused: data.refused ?? false,
      unanswered: data.failed ?? false,
    };
  }
  if (!position) return entry;
  const at = entry.position;
  if (position.attempt < at.attempt) return entry;
  if (data.replace) {
    const behind = position.attempt === at.attempt && position.characters < at.characters;
    return behind ? entry : { ...entry, text, log: null, position };
  }
  const from = position.attempt === at.attempt ? at : { ...START, attempt: position.attempt };
  const scalars = [...text];
  const start = position.characters - scalars.length;
  if (start > from.characters) return "gap";
  if (position.characters <= from.characters) return entry;
  const kept = position.attempt === at.attempt ? entry.text : "";
  return { ...entry, text: kept + scalars.slice(from.characters - start).join(""), log: null, position };
}

/** Ids are `sequence.attempt.characters` while writing and `sequence.stored.0` afterwards. */
function parsePosition(id: string): Position | "stored" | null {
  const [, attempt, characters] = id.split(".");
  if (attempt === "stored") return "stored";
  const position = { attempt: Number(attempt), characters: Number(characters) };
  return Number.isInteger(position.attempt) && Number.isInteger(position.characters) ? position : null;
}
