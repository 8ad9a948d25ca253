import { type Claims, NO_CLAIMS } from "./route";

/**
 * What a shop's token says, without any proof: only the server can check its signature. Used to prefill the lead form
 * and to notice that another person uses the browser now.
 */
export function claimsOfToken(jwt: string): Claims {
  try {
    const payload = (jwt.split(".")[1] ?? "").replace(/-/g, "+").replace(/_/g, "/");
    const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0));
    const claims = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
    const text = (name: string) => (typeof claims[name] === "string" && claims[name] ? claims[name] : null);
    return { customerId: text("sub"), name: text("name"), email: text("email"), phone: text("phone") };
  } catch {
    return NO_CLAIMS;
  }
}
