import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Entry } from "../chat/entry";
import { spokenText } from "../text/markdown";
import { finishedSentences } from "../text/sentences";

/** Announcements kept in the document; a screen reader has long queued the older ones. */
const KEPT_MAX = 6;

export interface Announcement {
  id: number;
  text: string;
}

/** What is new in answers since the last change: that somebody thinks, finished sentences, and the rest at the end. */
export function useAnnouncements(entries: readonly Entry[], restoring: boolean): Announcement[] {
  const { t } = useTranslation();
  const spoken = useRef<Map<string, number> | null>(null);
  const nextId = useRef(0);
  const [announcements, setAnnouncements] = useState<Announcement[]>([]);

  useEffect(() => {
    if (restoring) {
      spoken.current = null;
      return;
    }
    const lengths = spoken.current ?? alreadyThere(entries);
    spoken.current = lengths;
    const texts: string[] = [];
    const newestKnown = entries.findLastIndex((entry) => lengths.has(entry.id));
    for (const [index, entry] of entries.entries()) {
      if (entry.role === "human") continue;
      if (!lengths.has(entry.id)) {
        if (index < newestKnown && entry.status === "done") {
          // The shopper asked for earlier messages; they were heard when they were new.
          lengths.set(entry.id, Number.MAX_SAFE_INTEGER);
          continue;
        }
        lengths.set(entry.id, 0);
        if (entry.status === "pending") texts.push(t("status.thinking"));
      }
      const complete = entry.status === "done";
      const whole = entry.unanswered && !entry.text ? t("answer.unanswered") : spokenText(entry.text);
      const next = finishedSentences(whole, lengths.get(entry.id) ?? 0, complete);
      lengths.set(entry.id, next.spoken);
      if (next.text) texts.push(next.text);
    }
    if (texts.length === 0) return;
    const added = texts.map((text) => ({ id: nextId.current++, text }));
    setAnnouncements((shown) => [...shown, ...added].slice(-KEPT_MAX));
  }, [entries, restoring, t]);

  return announcements;
}

/** What was restored after a page change has been heard before. */
function alreadyThere(entries: readonly Entry[]): Map<string, number> {
  const done = entries.filter((entry) => entry.status === "done");
  return new Map(done.map((entry) => [entry.id, Number.MAX_SAFE_INTEGER]));
}
