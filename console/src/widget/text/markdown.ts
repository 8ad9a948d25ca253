/**
 * The little Markdown an answer may carry: paragraphs, lists, bold and `[n]` markers. Everything else stays the text
 * it is. The result is data for text nodes, so nothing in an answer can become an element, a link or a request.
 */
export type Inline = { type: "text" | "bold"; text: string } | { type: "marker"; number: number };

export type Block =
  | { type: "paragraph"; lines: Inline[][] }
  | { type: "list"; ordered: boolean; items: Inline[][] };

const BULLET = /^\s*[-*•]\s+(.*)$/;
const NUMBERED = /^\s*\p{Nd}{1,3}[.)]\s+(.*)$/u;
const HEADING = /^#{1,6}\s+(.*)$/;
// No part may run past the start of the next one: that keeps the time linear in the length of a hostile answer.
const INLINE = /\*\*([^*\n]+)\*\*|\[(\d{1,3})\](?!\()|!?\[([^[\]\n]*)\]\((?:[^()\s]|\([^()\s]*\))*\)/g;

export function parseMarkdown(source: string): Block[] {
  const blocks: Block[] = [];
  let open: Block | null = null;
  for (const line of source.split("\n")) {
    if (line.trim() === "") {
      open = null;
      continue;
    }
    const block = blockOf(line);
    if (open?.type === "list" && block.type === "list" && open.ordered === block.ordered) {
      open.items.push(...block.items);
    } else if (open?.type === "paragraph" && block.type === "paragraph") {
      open.lines.push(...block.lines);
    } else {
      blocks.push(block);
      open = block;
    }
  }
  return blocks;
}

function blockOf(line: string): Block {
  const bullet = BULLET.exec(line)?.[1];
  if (bullet !== undefined) return { type: "list", ordered: false, items: [parseInline(bullet)] };
  const numbered = NUMBERED.exec(line)?.[1];
  if (numbered !== undefined) return { type: "list", ordered: true, items: [parseInline(numbered)] };
  const heading = HEADING.exec(line)?.[1];
  return { type: "paragraph", lines: [heading ? [{ type: "bold", text: heading }] : parseInline(line)] };
}

/** Of a Markdown link or image only the words are kept: links are made from the server's sources alone. */
function parseInline(text: string): Inline[] {
  const parts: Inline[] = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    if (match.index > end) parts.push({ type: "text", text: text.slice(end, match.index) });
    const [whole, bold, marker, linkText] = match;
    if (bold !== undefined) parts.push({ type: "bold", text: bold });
    else if (marker !== undefined) parts.push({ type: "marker", number: Number(marker) });
    else if (linkText) parts.push({ type: "text", text: linkText });
    end = match.index + whole.length;
  }
  if (end < text.length) parts.push({ type: "text", text: text.slice(end) });
  return parts;
}

/** The answer as it is read aloud: no signs, no markers. */
export function spokenText(source: string): string {
  return parseMarkdown(source)
    .map((block) => (block.type === "list" ? block.items : block.lines).map(spokenLine).join(" "))
    .join("\n");
}

function spokenLine(line: Inline[]): string {
  return line.map((part) => (part.type === "marker" ? "" : part.text)).join("");
}
