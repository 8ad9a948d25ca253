import { type RefObject, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Announcer } from "./Announcer";
import { Bubble } from "./Bubble";
import { useChat, useChatState } from "./ChatContext";
import { DownIcon } from "./icons";
import { LeadOffer } from "./LeadOffer";
import { ShopWindow } from "./ShopWindow";
import { useStickToEnd } from "./use-stick-to-end";

/** The conversation. It is not itself a live region: a growing answer would be read in pieces. */
export function MessageLog() {
  const { chat, config } = useChat();
  const { entries, earlierCursor, restoring } = useChatState();
  const { t } = useTranslation();
  const { ref, atEnd, toEnd } = useStickToEnd(entries);
  useFocusAfter(earlierCursor !== null, ref);
  const { headline, welcome_message: welcome } = config.interface;

  return (
    <div className="log-frame">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard */}
      <div ref={ref} className="log" role="log" aria-live="off" aria-label={t("log.label")} tabIndex={0}>
        {earlierCursor && (
          <button type="button" className="text-button log-earlier" onClick={() => void chat.loadEarlier()}>
            {t("log.earlier")}
          </button>
        )}
        {!earlierCursor && (
          <div className="welcome">
            {entries.length === 0 && <ShopWindow />}
            <h2 dir="auto">{headline}</h2>
            <p dir="auto">{welcome}</p>
          </div>
        )}
        {entries.map((entry) => (
          <Bubble key={entry.id} entry={entry} />
        ))}
        <LeadOffer />
      </div>
      {!atEnd && (
        <button type="button" className="to-end" aria-label={t("log.newest")} onClick={toEnd}>
          <DownIcon />
        </button>
      )}
      <Announcer entries={entries} restoring={restoring} />
    </div>
  );
}

/** The button that had the focus goes away with the last page: the focus stays in the log. */
function useFocusAfter(hasButton: boolean, log: RefObject<HTMLElement | null>): void {
  const had = useRef(hasButton);
  useEffect(() => {
    if (had.current && !hasButton && document.activeElement === document.body) log.current?.focus();
    had.current = hasButton;
  }, [hasButton, log]);
}
