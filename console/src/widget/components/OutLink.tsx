import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

interface Props {
  /** Checked with `safeLink`. */
  href: string;
  className?: string;
  /** Read instead of the content. */
  label?: string;
  children: ReactNode;
}

/** A link that leaves the chat where it is. */
export function OutLink({ href, className, label, children }: Props) {
  const { t } = useTranslation();
  return (
    <a
      href={href}
      className={className}
      target="_blank"
      rel="noopener noreferrer"
      aria-label={label && `${label} (${t("opensNewWindow")})`}
    >
      {children}
      {!label && <span className="visually-hidden"> ({t("opensNewWindow")})</span>}
    </a>
  );
}
