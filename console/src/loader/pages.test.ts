import { expect, test } from "vitest";
import { isListedPage } from "./pages";

const at = (path: string) => new URL(path, "https://shop.example");

test.each([
  [[], "/any", true],
  [["/products/*"], "/products/a/b", true],
  [["/products/*"], "/cart", false],
  [["/cart"], "/cart/", true],
  [["/cart"], "/cart/pay", false],
  [["*/sale/*-bike"], "/nl/sale/red-bike", true],
  [["*/sale/*-bike"], "/nl/sale/red-bikes", false],
  [["/ab*ba"], "/aba", false],
  [["https://shop.example/cart*"], "/cart/1", true],
  [["https://other.example/*"], "/cart", false],
  [["/انگشتر/*"], "/%D8%A7%D9%86%DA%AF%D8%B4%D8%AA%D8%B1/1", true],
  [["/a.b"], "/axb", false],
])("white list %j at %s: %s", (urls, path, expected) => {
  expect(isListedPage({ mode: "white", urls }, at(path))).toBe(expected);
});

test("a black list is the opposite, and empty it means every page too", () => {
  expect(isListedPage({ mode: "black", urls: ["/cart"] }, at("/cart"))).toBe(false);
  expect(isListedPage({ mode: "black", urls: ["/cart"] }, at("/"))).toBe(true);
  expect(isListedPage({ mode: "black", urls: [] }, at("/"))).toBe(true);
});
