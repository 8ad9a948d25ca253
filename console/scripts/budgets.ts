import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { mockConfig, mockLauncher } from "../mock/data.ts";

/** Bytes after gzip: the one request before the first click, with a usual chatbot's settings in it. */
const LOADER_MAX = 3_000;

/** Bytes after gzip: script, style and the largest language that the first open of the chat loads. */
const FIRST_OPEN_MAX = 60_000;

const PLACEHOLDER = '"__VITRINE_LAUNCHER__"';
const SESSION = '<script id="vitrine-session" type="application/json">{}</script>';

/** Measures what was built, prints it, and gives what is wrong with it. */
export function checkBudgets(dist: string): string[] {
  const problems: string[] = [];
  const zipped = (content: string | Buffer) => gzipSync(content, { level: 9 }).length;
  const size = (file: string) => zipped(readFileSync(`${dist}/${file}`));

  const loader = readFileSync(`${dist}/loader.js`, "utf8");
  if (loader.split(PLACEHOLDER).length !== 2)
    problems.push(`loader.js must contain ${PLACEHOLDER} exactly once`);
  const pages = { mode: "black" as const, urls: ["/checkout/*", "/cart"] };
  const settings = JSON.stringify(mockLauncher("https://widget.example.com", mockConfig(), pages));
  report("loader.js as served", zipped(loader.replace(PLACEHOLDER, () => settings)), LOADER_MAX);

  const html = readFileSync(`${dist}/widget.html`, "utf8");
  if (html.split(SESSION).length !== 2) problems.push(`widget.html must contain ${SESSION} exactly once`);
  if (/<script(?![^>]*\bsrc=)(?![^>]*application\/json)|<style|\sstyle=|\son\w+=/.test(html)) {
    problems.push("widget.html must not contain inline script, style or handlers");
  }

  const assets = readdirSync(`${dist}/assets`);
  const isLanguage = (file: string) => /^(en|nl|fr|de|it|es|be|ar|fa)-[\w-]+\.js$/.test(file);
  const entries = assets.filter((file) => !isLanguage(file));
  const languages = assets.filter(isLanguage);
  if (languages.length !== 9) problems.push(`assets must contain nine languages, not ${languages.length}`);
  for (const file of entries) console.info(`  assets/${file}: ${size(`assets/${file}`)} B`);
  const largest = Math.max(...languages.map((file) => size(`assets/${file}`)));
  console.info(`  largest language: ${largest} B`);
  const firstOpen = entries.reduce((total, file) => total + size(`assets/${file}`), largest);
  report("first open", firstOpen, FIRST_OPEN_MAX);
  return problems;

  function report(what: string, bytes: number, max: number): void {
    console.info(`${what}: ${bytes} B of ${max} B after gzip`);
    if (bytes > max) problems.push(`${what} is ${bytes - max} B above its budget`);
  }
}
