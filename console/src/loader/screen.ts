import { FULL_SCREEN } from "./style";

/**
 * Where the chat takes the whole screen: keeps it above the on-screen keyboard and the page behind it still.
 * Gives the function that does so for the present state; it also runs by itself until `signal`.
 */
export function createFit(panel: HTMLElement, signal: AbortSignal): () => void {
  const viewport = window.visualViewport;
  const page = document.documentElement.style;
  let overflow: string | null = null;

  function fit(): void {
    const full = !panel.hidden && matchMedia(FULL_SCREEN).matches;
    panel.style.height = full && viewport ? `${viewport.height}px` : "";
    panel.style.top = full && viewport ? `${viewport.offsetTop}px` : "";
    if (full) {
      overflow ??= page.overflow;
      page.overflow = "hidden";
    } else if (overflow !== null) {
      page.overflow = overflow;
      overflow = null;
    }
  }

  viewport?.addEventListener("resize", fit, { signal });
  viewport?.addEventListener("scroll", fit, { signal });
  return fit;
}
