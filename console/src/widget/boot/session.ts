import type { Session } from "../../api/types";

/** Reads the session the server wrote into the document. An unreadable one is an empty one. */
export function readSession(document: Document): Session {
  try {
    const value: unknown = JSON.parse(document.getElementById("vitrine-session")?.textContent ?? "{}");
    return value && typeof value === "object" ? (value as Session) : {};
  } catch {
    return {};
  }
}
