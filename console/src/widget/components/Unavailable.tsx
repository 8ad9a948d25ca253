import { useTranslation } from "react-i18next";
import type { Problem } from "../../api/problem";
import { problemText } from "../text/problem-text";
import { AlertIcon } from "./icons";
import { RetryButton } from "./RetryButton";

interface Props {
  problem: Problem;
  onRetry: () => void;
}

/** The chat could not be opened at all. In a shop's page the loader's own bar above stays, with its close button. */
export function Unavailable({ problem, onRetry }: Props) {
  const { t } = useTranslation();
  return (
    <main className="chat unavailable">
      <div role="alert">
        <AlertIcon />
        <h1>{t("unavailable.title")}</h1>
        <p>{problemText(t, problem)}</p>
        <div className="actions">
          <RetryButton retryAt={problem.retryAt} onRetry={onRetry}>
            {t("retry")}
          </RetryButton>
        </div>
      </div>
    </main>
  );
}
