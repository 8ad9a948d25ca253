import { useId } from "react";
import { useTranslation } from "react-i18next";
import type { Source } from "../../api/types";
import { safeLink } from "../text/safe-link";
import { OutLink } from "./OutLink";

/** Where an answer comes from. */
export function Sources({ sources }: { sources: readonly Source[] }) {
  const { t, i18n } = useTranslation();
  const id = useId();
  if (sources.length === 0) return null;
  const numbers = new Intl.NumberFormat(i18n.language);

  return (
    <div className="sources">
      <p id={id} className="sources-title">
        {t("answer.sources")}
      </p>
      <ol aria-labelledby={id}>
        {sources.map((source) => {
          const href = safeLink(source.url);
          return (
            <li key={source.number}>
              <span className="source-number">{numbers.format(source.number)}</span>
              {href ? (
                <OutLink href={href}>
                  <bdi>{source.title}</bdi>
                </OutLink>
              ) : (
                <bdi>{source.title}</bdi>
              )}
            </li>
          );
        })}
      </ol>
    </div>
  );
}
