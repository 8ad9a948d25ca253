/** Contrast that text needs (WCAG 2.2, 1.4.3). */
export const TEXT_CONTRAST = 4.5;

export type Rgb = readonly [red: number, green: number, blue: number];

/** Reads `#rgb` or `#rrggbb`; null for anything else. */
export function parseHex(color: string): Rgb | null {
  const digits = /^#([\da-f]{3}|[\da-f]{6})$/i.exec(color)?.[1];
  if (!digits) return null;
  const value = Number.parseInt(digits.length === 3 ? digits.replace(/./g, "$&$&") : digits, 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** WCAG contrast ratio of two colours, 1 to 21. */
export function contrast(first: Rgb, second: Rgb): number {
  const a = luminance(first) + 0.05;
  const b = luminance(second) + 0.05;
  return a > b ? a / b : b / a;
}

/** The text colour for a fill: white if it can be read there, else black. One of the two always can. */
export function textOn(fill: Rgb): "#fff" | "#000" {
  return 1.05 / (luminance(fill) + 0.05) >= TEXT_CONTRAST ? "#fff" : "#000";
}

function luminance([red, green, blue]: Rgb): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function linear(channel: number): number {
  const value = channel / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}
