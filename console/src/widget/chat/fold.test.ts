import { expect, test } from "vitest";
import type { StreamMessage } from "../../api/types";
import type { Entry } from "./entry";
import { fold } from "./fold";

const NOW = 0;

function message(id: string, text: string, more: Partial<StreamMessage> = {}) {
  const content = [{ type: "text" as const, text: { value: text } }];
  return { id, data: { uuid: "a", sequence: 2, role: "ai" as const, content, replace: false, ...more } };
}

function folded(...events: ReturnType<typeof message>[]): {
  text: string;
  status: string | undefined;
  gap: boolean;
} {
  let entries: Entry[] = [];
  let gap = false;
  for (const event of events) {
    const result = fold(entries, event, NOW);
    entries = result.entries;
    gap ||= result.gap;
  }
  expect(entries.length).toBeLessThanOrEqual(1);
  return { text: entries[0]?.text ?? "", status: entries[0]?.status, gap };
}

const stored = message("2.stored.0", "Hello there.", {
  replace: true,
  sources: [],
  refused: true,
  failed: false,
});

test("pieces are put together", () => {
  expect(folded(message("2.1.5", "Hello"), message("2.1.11", " there"))).toMatchObject({
    text: "Hello there",
    status: "pending",
    gap: false,
  });
});

test("a repeated or overlapping piece changes nothing twice", () => {
  const twice = folded(
    message("2.1.5", "Hello"),
    message("2.1.5", "Hello"),
    message("2.1.11", "Hello there"),
  );
  expect(twice.text).toBe("Hello there");
});

test("positions count Unicode scalar values, not UTF-16 units", () => {
  expect(folded(message("2.1.2", "👋🏽"), message("2.1.4", "🏽 ا")).text).toBe("👋🏽 ا");
});

test("a missing piece is noticed and not papered over", () => {
  expect(folded(message("2.1.5", "Hello"), message("2.1.20", "lo"))).toMatchObject({
    text: "Hello",
    gap: true,
  });
});

test("a new attempt starts the text again, and the old one is no longer heard", () => {
  const events = [
    message("2.1.5", "Wrong"),
    message("2.2.3", "Rig"),
    message("2.1.9", "Wrong one"),
    message("2.2.5", "ht"),
  ];
  expect(folded(...events)).toMatchObject({ text: "Right", gap: false });
});

test("attempts are names without an order", () => {
  const later = "01994c1e-0000-7000-8000-000000000000";
  const earlier = "f3c5ab10-0000-4000-8000-000000000000";
  const events = [
    message(`2.${earlier}.5`, "Wrong"),
    message(`2.${later}.0`, "", { replace: true }),
    message(`2.${later}.3`, "Rig"),
    message(`2.${earlier}.9`, " one"),
    message(`2.${later}.5`, "ht"),
  ];
  expect(folded(...events)).toMatchObject({ text: "Right", gap: false });
});

test("an attempt that is first heard in its middle is read again", () => {
  expect(folded(message("2.1.5", "Wrong"), message("2.2.9", "later"))).toMatchObject({
    text: "Wrong",
    gap: true,
  });
});

test("replace sets the whole text, but never takes back what is newer", () => {
  const whole = message("2.1.12", "Hello there!", { replace: true });
  const late = message("2.1.3", "Hel", { replace: true });
  expect(folded(message("2.1.5", "Hallo"), whole, late).text).toBe("Hello there!");
});

test("what is stored is final", () => {
  expect(folded(message("2.1.5", "Hallo"), stored, message("2.2.3", "new"), stored)).toMatchObject({
    text: "Hello there.",
    status: "done",
  });
});

test("an answer takes the place that waits for it", () => {
  const waiting = {
    ...fold([], message("2.1.0", ""), NOW).entries[0],
    id: "local",
    uuid: null,
    sequence: null,
  } as Entry;
  const { entries } = fold([waiting], message("2.1.5", "Hello"), NOW);
  expect(entries.map(({ id, uuid }) => [id, uuid])).toEqual([["local", "a"]]);
});

test("messages stand in the thread's order however they arrive", () => {
  let { entries } = fold([], message("5.stored.0", "later", { uuid: "b", sequence: 5, role: "owner" }), NOW);
  ({ entries } = fold(entries, stored, NOW));
  expect(entries.map(({ sequence }) => sequence)).toEqual([2, 5]);
});
