import { contrast, parseHex, type Rgb, TEXT_CONTRAST, textOn } from "../../shared/contrast";

const DEFAULT_BRAND: Rgb = [14, 165, 233];

/** The surfaces brand-coloured text stands on, as in `tokens.css`; the one with less contrast decides. */
const SURFACES: Record<"light" | "dark", readonly Rgb[]> = {
  light: [
    [255, 255, 255],
    [241, 240, 235],
  ],
  dark: [
    [26, 34, 43],
    [13, 18, 23],
  ],
};

const STEP = 0.05;

/** The colours made from the merchant's one: its fill as it is, and everything that is read guarded at 4.5 : 1. */
export function brandColors(brandColor: string, theme: "light" | "dark"): Record<string, string> {
  const brand = parseHex(brandColor) ?? DEFAULT_BRAND;
  return {
    "--brand": css(brand),
    "--on-brand": textOn(brand),
    "--brand-text": css(readable(brand, theme)),
  };
}

/** The brand colour, darkened or lightened just as far as it takes to read it on our surfaces. */
function readable(brand: Rgb, theme: "light" | "dark"): Rgb {
  const end = theme === "light" ? 0 : 255;
  for (let share = 0; share < 1; share += STEP) {
    const color = brand.map((channel) => Math.round(channel + (end - channel) * share)) as [
      number,
      number,
      number,
    ];
    if (SURFACES[theme].every((surface) => contrast(color, surface) >= TEXT_CONTRAST)) return color;
  }
  return [end, end, end];
}

function css([red, green, blue]: Rgb): string {
  return `rgb(${red} ${green} ${blue})`;
}
