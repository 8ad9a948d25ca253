import type { SendMessage } from "../../api/types";

/** A message whose acceptance we never heard of. Delivered again with the same key it cannot act twice. */
export interface Unsent {
  idempotencyKey: string;
  body: SendMessage;
  /** ms since 1970 */
  at: number;
}

export interface Draft {
  text: string;
  unsent: Unsent[];
}

/** What one visitor of one chatbot keeps. Nothing is written before they act. */
export interface VisitorStorage {
  leadId: Slot<string>;
  threadUuid: Slot<string>;
  visitorToken: Slot<string>;
  draft: Slot<Draft>;
  clear(): void;
}

export interface Slot<Value> {
  read(): Value | null;
  write(value: Value | null): void;
}

const EMPTY_DRAFT: Draft = { text: "", unsent: [] };

/** `local` may throw on any use (blocked third-party storage, full disk): from then on memory is used. */
export function createVisitorStorage(key: string, local: () => Storage): VisitorStorage {
  const memory = new Map<string, string | null>();

  function slot<Value>(
    name: string,
    encode: (value: Value) => string,
    decode: (text: string) => Value,
  ): Slot<Value> {
    const item = `${name}:${key}`;
    return {
      read() {
        const text = memory.has(item) ? (memory.get(item) ?? null) : attempt(() => local().getItem(item));
        return text ? attempt(() => decode(text)) : null;
      },
      write(value) {
        const text = value === null ? null : encode(value);
        const stored = attempt(() => {
          if (text === null) local().removeItem(item);
          else local().setItem(item, text);
          return true;
        });
        if (stored) memory.delete(item);
        else memory.set(item, text);
      },
    };
  }

  const text = (name: string) => slot<string>(name, String, String);
  const storage = {
    leadId: text("leadId"),
    threadUuid: text("threadUuid"),
    visitorToken: text("visitorToken"),
    draft: slot<Draft>("draft", JSON.stringify, (value) => ({
      ...EMPTY_DRAFT,
      ...(JSON.parse(value) as Draft),
    })),
  };
  return {
    ...storage,
    clear() {
      for (const each of Object.values(storage)) each.write(null);
    },
  };
}

function attempt<Value>(action: () => Value): Value | null {
  try {
    return action();
  } catch {
    return null;
  }
}
