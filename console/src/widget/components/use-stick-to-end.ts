import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Entry } from "../chat/entry";

/** Closer to the end than this counts as being there, in CSS pixels. */
const NEAR = 48;

/** Keeps the end of the log in view while the reader is there, and leaves readers further up alone. */
export function useStickToEnd(entries: readonly Entry[]): {
  ref: RefObject<HTMLDivElement | null>;
  atEnd: boolean;
  toEnd: () => void;
} {
  const ref = useRef<HTMLDivElement>(null);
  const sticking = useRef(true);
  const [atEnd, setAtEnd] = useState(true);
  const own = entries.findLast((entry) => entry.role === "human")?.id;

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

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each change of the log
  useLayoutEffect(() => {
    if (sticking.current) toEnd();
  }, [entries]);

  return { ref, atEnd, toEnd };
}
