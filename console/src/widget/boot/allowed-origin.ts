import { parseUrl } from "../../shared/url";

/**
 * Whether a page of this origin may talk to the widget. An entry is `host`, `host:port` or `*.host`; without a port
 * it means the scheme's own. An empty list allows all: which pages may frame us at all is the server's decision.
 */
export function isAllowedOrigin(origin: string, allowedDomains: readonly string[]): boolean {
  const url = parseUrl(origin);
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:")) return false;
  return allowedDomains.length === 0 || allowedDomains.some((entry) => matches(url, entry));
}

function matches(origin: URL, entry: string): boolean {
  const isWildcard = entry.startsWith("*.");
  // As an address of the same scheme, so that its own port and the spelling of the host are normal.
  const allowed = parseUrl(`${origin.protocol}//${isWildcard ? entry.slice(2) : entry}`);
  if (!allowed || allowed.port !== origin.port) return false;
  return isWildcard ? origin.hostname.endsWith(`.${allowed.hostname}`) : origin.hostname === allowed.hostname;
}
