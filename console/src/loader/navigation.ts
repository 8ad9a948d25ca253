/** Calls `onChange` after every change of address until `signal`, also after those a single-page shop makes itself. */
export function watchNavigation(onChange: () => void, signal: AbortSignal): void {
  for (const name of ["pushState", "replaceState"] as const) {
    const original = history[name];
    const ours: typeof original = (...state) => {
      original.apply(history, state);
      onChange();
    };
    history[name] = ours;
    signal.addEventListener("abort", () => {
      // Somebody may have wrapped ours; then it has to stay.
      if (history[name] === ours) history[name] = original;
    });
  }
  addEventListener("popstate", onChange, { signal });
}
