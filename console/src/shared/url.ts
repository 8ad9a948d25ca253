/** The address, or null when it is none. (`URL.parse` is too new for some of our visitors' browsers.) */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
