import { readFileSync } from "node:fs";

interface Texts {
  disclosure: string;
  close: string;
  assistant: string;
  you: string;
  log: { label: string };
  status: { thinking: string };
  answer: { sources: string };
  composer: { label: string; send: string };
  lead: { title: string; name: string; phone: string; submit: string };
}

/** The widget's own words, from the files it is built from. */
export function texts(language: "en" | "nl" | "fa"): Texts {
  const file = new URL(`../../../console/assets/i18n/widget/${language}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")) as Texts;
}
