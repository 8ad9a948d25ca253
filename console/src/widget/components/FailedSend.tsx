import { useTranslation } from "react-i18next";
import type { Problem } from "../../api/problem";
import { problemText } from "../text/problem-text";
import { useChat } from "./ChatContext";
import { AlertIcon } from "./icons";
import { RetryButton } from "./RetryButton";

/** Under a message that did not arrive: what happened, and the two ways on. */
export function FailedSend({ id, problem }: { id: string; problem: Problem }) {
  const { chat } = useChat();
  const { t } = useTranslation();
  return (
    <div className="failed-send" role="alert">
      <p>
        <AlertIcon />
        <span>
          <strong>{t("failed.title")}</strong> {problemText(t, problem)} {t("failed.kept")}
        </span>
      </p>
      <div className="actions">
        <RetryButton retryAt={problem.retryAt} onRetry={() => chat.retry(id)}>
          {t("retry")}
        </RetryButton>
        <button type="button" className="text-button" onClick={() => chat.takeBack(id)}>
          {t("failed.edit")}
        </button>
      </div>
    </div>
  );
}
