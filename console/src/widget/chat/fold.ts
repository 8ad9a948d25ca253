import type { StreamMessage } from "../../api/types";
import { type Entry, newEntry, type Position, sameMessage, sorted, textOf } from "./entry";

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
  const { attempt, characters } = position;
  const at = reached(entry.position, attempt);
  if (!at) return entry;
  if (data.replace) {
    return characters < at.characters
      ? entry
      : { ...entry, text, log: null, position: { ...at, characters } };
  }
  const scalars = [...text];
  const start = characters - scalars.length;
  if (start > at.characters) return "gap";
  if (characters <= at.characters) return entry;
  const kept = at.characters > 0 ? entry.text : "";
  const more = scalars.slice(at.characters - start).join("");
  return { ...entry, text: kept + more, log: null, position: { ...at, characters } };
}

/** How far `attempt` was written; null when another one has replaced it. */
function reached(at: Position, attempt: string): Position | null {
  if (attempt === at.attempt) return at;
  if (at.past.includes(attempt)) return null;
  return { attempt, characters: 0, past: at.attempt ? [...at.past, at.attempt] : at.past };
}

/** Ids are `sequence.attempt.characters` while writing and `sequence.stored.0` afterwards. */
function parsePosition(id: string): Pick<Position, "attempt" | "characters"> | "stored" | null {
  const [, attempt, characters] = id.split(".");
  if (attempt === "stored") return "stored";
  if (!attempt || !characters || !/^\d+$/.test(characters)) return null;
  return { attempt, characters: Number(characters) };
}
