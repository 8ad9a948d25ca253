import { useTranslation } from "react-i18next";
import { problemText } from "../text/problem-text";
import { useChat, useChatState } from "./ChatContext";
import { RetryButton } from "./RetryButton";

/** What the shopper should know about the connection and about who answers. */
export function Notices() {
  const { chat } = useChat();
  const { connection, threadState, restoreProblem } = useChatState();
  const { t } = useTranslation();

  return (
    <div role="status">
      {restoreProblem && (
        <p className="notice">
          {problemText(t, restoreProblem)}{" "}
          <RetryButton retryAt={restoreProblem.retryAt} onRetry={() => void chat.start()}>
            {t("retry")}
          </RetryButton>
        </p>
      )}
      {connection === "reconnecting" && <p className="notice">{t("connection.reconnecting")}</p>}
      {connection === "lost" && (
        <p className="notice">
          {t("connection.lost")}{" "}
          <button type="button" className="text-button" onClick={chat.reconnect}>
            {t("connection.reconnect")}
          </button>
        </p>
      )}
      {connection !== "lost" && (threadState === "waiting" || threadState === "owner") && (
        <p className="notice">{t(`status.${threadState}`)}</p>
      )}
    </div>
  );
}
