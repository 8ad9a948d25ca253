import { type RefObject, useLayoutEffect } from "react";

/** Lets a text box grow with its text; the style sheet says how far. */
export function useAutoHeight(ref: RefObject<HTMLTextAreaElement | null>, text: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured again for each text
  useLayoutEffect(() => {
    const box = ref.current;
    if (!box) return;
    box.style.height = "auto";
    box.style.height = `${box.scrollHeight}px`;
  }, [ref, text]);
}
