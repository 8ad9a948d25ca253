import { expect, test } from "vitest";
import { contrast, parseHex, type Rgb, textOn } from "../../shared/contrast";
import { brandColors } from "./brand";

const rgb = (css: string | undefined) => (css?.match(/\d+/g) ?? []).map(Number) as unknown as Rgb;
const COLORS = [
  "#0ea5e9",
  "#ffffff",
  "#000000",
  "#ffe600",
  "#777777",
  "#7a1f3d",
  "#0f5f63",
  "#ff0000",
  "#0f0",
];

test.each(COLORS)("everything that is read on or in %s has a contrast of 4.5 or more", (color) => {
  const brand = parseHex(color) as Rgb;
  expect(contrast(brand, parseHex(textOn(brand)) as Rgb)).toBeGreaterThanOrEqual(4.5);
  for (const [theme, surfaces] of [
    ["light", ["#ffffff", "#f1f0eb"]],
    ["dark", ["#1a222b", "#0d1217"]],
  ] as const) {
    const text = rgb(brandColors(color, theme)["--brand-text"]);
    for (const surface of surfaces)
      expect(contrast(text, parseHex(surface) as Rgb)).toBeGreaterThanOrEqual(4.5);
  }
});

test("the merchant's colour itself is not changed, and nonsense is our default", () => {
  expect(brandColors("#0ea5e9", "light")["--brand"]).toBe("rgb(14 165 233)");
  expect(brandColors("red; } body {", "light")["--brand"]).toBe("rgb(14 165 233)");
});
