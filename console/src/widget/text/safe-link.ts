import { parseUrl } from "../../shared/url";

/** The address if it is one a shopper may be sent to, else null. */
export function safeLink(address: string | null): string | null {
  const url = address ? parseUrl(address) : null;
  return url && (url.protocol === "https:" || url.protocol === "http:") ? url.href : null;
}
