import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { CHATBOT_LANGUAGES } from "../src/shared/languages.ts";

const directory = fileURLToPath(new URL("../assets/i18n/widget/", import.meta.url));
const sources = fileURLToPath(new URL("../src/widget/", import.meta.url));

/** Every text by its key, `section.name`. */
function texts(language: string): Map<string, string> {
  const found = new Map<string, string>();
  const collect = (value: unknown, path: string[]): void => {
    if (typeof value === "string") found.set(path.join("."), value);
    else for (const [name, child] of Object.entries(value as object)) collect(child, [...path, name]);
  };
  collect(JSON.parse(readFileSync(`${directory}${language}.json`, "utf8")), []);
  return found;
}

const placeholders = (text: string) => (text.match(/\{\{\w+\}\}/g) ?? []).sort().join();

const problems: string[] = [];
const english = texts("en");

const files = readdirSync(directory).sort().join();
const expected = CHATBOT_LANGUAGES.map((language) => `${language}.json`)
  .sort()
  .join();
if (files !== expected) problems.push(`languages are ${files}, not ${expected}`);

for (const language of CHATBOT_LANGUAGES) {
  const translated = texts(language);
  for (const [key, text] of english) {
    const other = translated.get(key);
    if (!other) problems.push(`${language}: ${key} is missing`);
    else if (placeholders(other) !== placeholders(text))
      problems.push(`${language}: ${key} has other placeholders`);
  }
  for (const key of translated.keys())
    if (!english.has(key)) problems.push(`${language}: ${key} is not in English`);
}

const code = readdirSync(sources, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file) && !file.includes(".test."))
  .map((file) => readFileSync(sources + file, "utf8"))
  .join("\n");
for (const key of english.keys()) {
  const section = key.split(".")[0];
  // Some keys are built from a code: `status.${code}`.
  const used = code.includes(`"${key}"`) || code.includes(`\`${section}.\${`);
  if (!used) problems.push(`${key} is not used`);
}

for (const problem of problems) console.error(`error: ${problem}`);
console.info(`${english.size} texts in ${CHATBOT_LANGUAGES.length} languages`);
process.exitCode = problems.length > 0 ? 1 : 0;
