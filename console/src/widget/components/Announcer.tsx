import type { Entry } from "../chat/entry";
import { useAnnouncements } from "./use-announcements";

/** Reads to a screen reader what the others say, sentence by sentence. */
export function Announcer({ entries, restoring }: { entries: readonly Entry[]; restoring: boolean }) {
  const announcements = useAnnouncements(entries, restoring);
  return (
    <div className="visually-hidden" role="status" aria-live="polite" aria-atomic="false">
      {announcements.map(({ id, text }) => (
        <p key={id} dir="auto">
          {text}
        </p>
      ))}
    </div>
  );
}
