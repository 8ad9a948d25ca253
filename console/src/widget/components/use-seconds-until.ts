import { useEffect, useState } from "react";

/** Whole seconds left until `moment` (ms since 1970); 0 when it is over or there is none. */
export function useSecondsUntil(moment: number | null): number {
  const [now, setNow] = useState(() => Date.now());
  const isOver = moment === null || moment <= now;

  useEffect(() => {
    if (isOver) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [isOver]);

  return isOver ? 0 : Math.ceil((moment - now) / 1000);
}
