import { useTranslation } from "react-i18next";

const CODES = ["queued", "thinking", "searching", "writing", "retrying"] as const;

/** What the assistant is doing. Codes we do not know yet are "thinking". */
export function Thinking({ log }: { log: string | null }) {
  const { t } = useTranslation();
  const code = CODES.find((each) => each === log) ?? "thinking";
  return (
    <p className="thinking">
      <span className="light" aria-hidden="true" />
      {t(`status.${code}`)}
    </p>
  );
}
