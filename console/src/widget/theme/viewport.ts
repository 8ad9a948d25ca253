/**
 * Keeps the chat above the on-screen keyboard where it is its own page. In a frame the loader does this: only the
 * outermost page learns how much of it can be seen.
 */
export function followViewport(window: Window): void {
  const viewport = window.visualViewport;
  if (!viewport) return;
  const update = () => {
    window.document.documentElement.style.setProperty("--viewport-height", `${viewport.height}px`);
    // Some browsers scroll the page under the keyboard; the chat already fits, so scroll back.
    window.scrollTo(0, 0);
  };
  viewport.addEventListener("resize", update);
  update();
}
