import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Entry } from "../chat/entry";

/** Closer to the end than this counts as being there, in CSS pixels. */
const NEAR = 48;

/** Keeps the end of the log in view while the reader is there, and what readers further up see where it is. */
export function useStickToEnd(entries: readonly Entry[]): {
  ref: RefObject<HTMLDivElement | null>;
  atEnd: boolean;
  toEnd: () => void;
} {
  const ref = useRef<HTMLDivElement>(null);
  const sticking = useRef(true);
  // Distance of the view's top from the end of the log: earlier messages do not change it.
  const fromEnd = useRef(0);
  const [atEnd, setAtEnd] = useState(true);
  const own = entries.findLast((entry) => entry.role === "human")?.id;
  const oldest = entries[0]?.id;

  const toEnd = useCallback(() => {
    sticking.current = true;
    if (ref.current) ref.current.scrollTop = ref.current.scrollHeight;
  }, []);

  useEffect(() => {
    const log = ref.current;
    if (!log) return;
    const onScroll = () => {
      sticking.current = log.scrollHeight - log.scrollTop - log.clientHeight < NEAR;
      setAtEnd(sticking.current);
      fromEnd.current = log.scrollHeight - log.scrollTop;
    };
    const onResize = new ResizeObserver(() => {
      if (sticking.current) toEnd();
    });
    log.addEventListener("scroll", onScroll, { passive: true });
    onResize.observe(log);
    return () => {
      log.removeEventListener("scroll", onScroll);
      onResize.disconnect();
    };
  }, [toEnd]);

  // What the shopper has just said is always shown.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each message of their own
  useLayoutEffect(toEnd, [own]);

  // A browser keeps the place by itself only where something stands above the view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when earlier messages are added
  useLayoutEffect(() => {
    const log = ref.current;
    if (log && !sticking.current) log.scrollTop = log.scrollHeight - fromEnd.current;
  }, [oldest]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each change of the log
  useLayoutEffect(() => {
    if (sticking.current) toEnd();
    if (ref.current) fromEnd.current = ref.current.scrollHeight - ref.current.scrollTop;
  }, [entries]);

  return { ref, atEnd, toEnd };
}
