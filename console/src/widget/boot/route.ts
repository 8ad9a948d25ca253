/** What a visitor is said to be. Taken from the address or an unproved token, so a claim only. */
export interface Claims {
  customerId: string | null;
  name: string | null;
  email: string | null;
  phone: string | null;
}

export interface Route {
  apiKey: string;
  threadUuid: string | null;
  /** Agent asked for by the address; the server decides whether it is allowed. */
  agent: string | null;
  claims: Claims;
}

export const NO_CLAIMS: Claims = { customerId: null, name: null, email: null, phone: null };

const CLAIM_PARAMETERS = ["customer_id", "customer_name", "customer_email", "customer_phone"] as const;

/**
 * Reads the address of the document: `/iframe/:apiKey`, `/iframe/:apiKey/:threadUuid` or
 * `/chatbot-iframe?api_key=`. Null when it is none of them.
 */
export function parseRoute(url: URL): Route | null {
  const [screen, ...segments] = url.pathname.split("/").filter(Boolean).map(decodeSegment);
  const query = url.searchParams;
  const apiKey =
    screen === "iframe" ? segments[0] : screen === "chatbot-iframe" ? query.get("api_key") : null;
  if (!apiKey) return null;
  return {
    apiKey,
    threadUuid: segments[1] ?? (query.get("thread_uuid") || null),
    agent: query.get("agent") || null,
    claims: {
      customerId: query.get("customer_id") || null,
      name: query.get("customer_name") || null,
      email: query.get("customer_email") || null,
      phone: query.get("customer_phone") || null,
    },
  };
}

/** The same address without personal data, or null when there is none in it. */
export function withoutClaims(url: URL): string | null {
  const cleaned = new URL(url);
  for (const parameter of CLAIM_PARAMETERS) cleaned.searchParams.delete(parameter);
  return cleaned.href === url.href ? null : cleaned.href;
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
