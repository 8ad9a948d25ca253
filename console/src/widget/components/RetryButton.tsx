import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useSecondsUntil } from "./use-seconds-until";

interface Props {
  /** ms since 1970 before which trying is pointless */
  retryAt: number | null;
  onRetry: () => void;
  children: ReactNode;
}

/** A button that waits as long as the server asked for, and says so. */
export function RetryButton({ retryAt, onRetry, children }: Props) {
  const { t, i18n } = useTranslation();
  const seconds = useSecondsUntil(retryAt);
  const duration = new Intl.NumberFormat(i18n.language, {
    style: "unit",
    unit: "second",
    unitDisplay: "long",
  });
  return (
    <>
      {seconds > 0 && (
        <span className="muted">{t("problem.wait", { duration: duration.format(seconds) })}</span>
      )}
      <button type="button" className="text-button" disabled={seconds > 0} onClick={onRetry}>
        {children}
      </button>
    </>
  );
}
