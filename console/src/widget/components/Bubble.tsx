import { useTranslation } from "react-i18next";
import type { Entry } from "../chat/entry";
import { Answer } from "./Answer";
import { FailedSend } from "./FailedSend";
import { Sources } from "./Sources";
import { Thinking } from "./Thinking";

/** One message. Only what the shopper wrote is on their side; only the AI carries the AI's mark. */
export function Bubble({ entry }: { entry: Entry }) {
  return entry.role === "human" ? <HumanBubble entry={entry} /> : <AnswerBubble entry={entry} />;
}

function HumanBubble({ entry }: { entry: Entry }) {
  const { t } = useTranslation();
  return (
    <article className="message message-human" aria-label={t("you")}>
      <div className={`bubble bubble-human bubble-${entry.status}`} dir="auto">
        {entry.text}
      </div>
      {entry.status === "failed" && entry.problem && <FailedSend id={entry.id} problem={entry.problem} />}
    </article>
  );
}

function AnswerBubble({ entry }: { entry: Entry }) {
  const { t } = useTranslation();
  const isAi = entry.role === "ai";
  return (
    <article className="message" aria-label={isAi ? t("assistant") : t("person")}>
      <p className={isAi ? "sender sender-ai" : "sender"} aria-hidden="true">
        {isAi ? t("assistant") : t("person")}
      </p>
      <div className="bubble bubble-answer" aria-busy={entry.status === "pending"}>
        {entry.text && (
          <div className="prose" dir="auto">
            <Answer text={entry.text} sources={entry.sources} />
          </div>
        )}
        {entry.status === "pending" && <Thinking log={entry.text ? "writing" : entry.log} />}
        {entry.unanswered && !entry.text && <p className="unanswered">{t("answer.unanswered")}</p>}
        <Sources sources={entry.sources} />
      </div>
    </article>
  );
}
