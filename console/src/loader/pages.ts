import type { Launcher } from "../api/types";

/**
 * Whether the chat belongs on this page. Entries are path globs in which `*` stands for anything, or whole
 * addresses with them; an empty list of either kind means every page.
 */
export function isListedPage(pages: Launcher["pages"], page: Location | URL): boolean {
  if (pages.urls.length === 0) return true;
  const path = normal(page.pathname);
  const listed = pages.urls.some((glob) =>
    matches(normal(glob), /^https?:/.test(glob) ? normal(page.origin + page.pathname) : path),
  );
  return listed === (pages.mode === "white");
}

/** Decoded and without the last slash, so that `/cart` and `/cart/` are one page. */
function normal(path: string): string {
  let text = path;
  try {
    text = decodeURI(path);
  } catch {
    // Not an encoded path: compare it as it is.
  }
  return text.length > 1 ? text.replace(/\/$/, "") : text;
}

/** Piece by piece instead of by a regular expression, whose time could explode on the shop's page. */
function matches(glob: string, path: string): boolean {
  const pieces = glob.split("*");
  const first = pieces.shift() as string;
  const last = pieces.pop();
  if (last === undefined) return path === first;
  if (!path.startsWith(first)) return false;
  let from = first.length;
  for (const piece of pieces) {
    const at = path.indexOf(piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return path.length - from >= last.length && path.endsWith(last);
}
