import { expect, test } from "vitest";
import { finishedSentences } from "./sentences";

test("only whole sentences are given, each once", () => {
  const first = finishedSentences("Yes. You can", 0, false);
  expect(first).toEqual({ text: "Yes.", spoken: 4 });
  expect(finishedSentences("Yes. You can return it. Bring", first.spoken, false).text).toBe(
    "You can return it.",
  );
});

test("a number with a point is not the end of a sentence", () => {
  expect(finishedSentences("It costs 12.50 euro", 0, false).text).toBe("");
});

test("the rest is given when nothing more comes", () => {
  expect(finishedSentences("Yes. And so", 4, true)).toEqual({ text: "And so", spoken: 11 });
  expect(finishedSentences("Yes. And so", 11, true).text).toBe("");
});

test("Persian sentences end too", () => {
  expect(finishedSentences("چرا؟ چون", 0, false).text).toBe("چرا؟");
});
