import { expect, test } from "vitest";
import { parseMarkdown, spokenText } from "./markdown";

const text = (value: string) => ({ type: "text", text: value });

test("paragraphs, lines, bold and markers", () => {
  expect(parseMarkdown("Within **30 days** [1].\nSecond line\n\nNew")).toEqual([
    {
      type: "paragraph",
      lines: [
        [
          text("Within "),
          { type: "bold", text: "30 days" },
          text(" "),
          { type: "marker", number: 1 },
          text("."),
        ],
        [text("Second line")],
      ],
    },
    { type: "paragraph", lines: [[text("New")]] },
  ]);
});

test("lists, with Persian digits too", () => {
  expect(parseMarkdown("- one\n- two\n۱. یک\n۲. دو")).toEqual([
    { type: "list", ordered: false, items: [[text("one")], [text("two")]] },
    { type: "list", ordered: true, items: [[text("یک")], [text("دو")]] },
  ]);
});

test("of links and images only the words stay", () => {
  const [block] = parseMarkdown("![cat](https://evil.example/x.png) and [click](javascript:alert(1))[2]");
  const parts = block?.type === "paragraph" ? (block.lines[0] ?? []) : [];
  expect(parts.map((part) => (part.type === "marker" ? part.number : part.text)).join("|")).toBe(
    "cat| and |click|2",
  );
});

test("HTML is text", () => {
  expect(parseMarkdown("<img src=x onerror=alert(1)>")).toEqual([
    { type: "paragraph", lines: [[text("<img src=x onerror=alert(1)>")]] },
  ]);
});

test("an answer that only opened its bold is still shown", () => {
  expect(parseMarkdown("Within **30 da")).toEqual([{ type: "paragraph", lines: [[text("Within **30 da")]] }]);
});

test("a hostile text takes no time", () => {
  const started = performance.now();
  parseMarkdown("**[".repeat(20_000) + "[](".repeat(20_000) + "- ".repeat(20_000));
  expect(performance.now() - started).toBeLessThan(1000);
});

test("read aloud, signs and markers are silent", () => {
  expect(spokenText("Within **30 days** [1].\n\n- one")).toBe("Within 30 days .\none");
});
