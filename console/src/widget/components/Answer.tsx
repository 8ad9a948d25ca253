import { Fragment, useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Source } from "../../api/types";
import { type Inline, parseMarkdown } from "../text/markdown";
import { safeLink } from "../text/safe-link";
import { OutLink } from "./OutLink";

/** The text of an answer. Parts have no identity of their own, so their place is their key. */
export function Answer({ text, sources }: { text: string; sources: readonly Source[] }) {
  const blocks = useMemo(() => parseMarkdown(text), [text]);
  return blocks.map((block, place) => {
    if (block.type === "paragraph") {
      return (
        <p key={place}>
          {block.lines.map((line, index) => (
            <Fragment key={index}>
              {index > 0 && <br />}
              <Line parts={line} sources={sources} />
            </Fragment>
          ))}
        </p>
      );
    }
    const items = block.items.map((item, index) => (
      <li key={index}>
        <Line parts={item} sources={sources} />
      </li>
    ));
    return block.ordered ? <ol key={place}>{items}</ol> : <ul key={place}>{items}</ul>;
  });
}

function Line({ parts, sources }: { parts: readonly Inline[]; sources: readonly Source[] }) {
  return parts.map((part, index) => {
    if (part.type === "marker") return <Marker key={index} number={part.number} sources={sources} />;
    return part.type === "bold" ? (
      <strong key={index}>{part.text}</strong>
    ) : (
      <Fragment key={index}>{part.text}</Fragment>
    );
  });
}

/** A marker links only to what the server named as a source; until then, or without a page, it is a plain number. */
function Marker({ number, sources }: { number: number; sources: readonly Source[] }) {
  const { t, i18n } = useTranslation();
  const source = sources.find((each) => each.number === number);
  const href = safeLink(source?.url ?? null);
  const shown = <sup>{number.toLocaleString(i18n.language)}</sup>;
  if (!source) return <span className="marker">{shown}</span>;
  const label = t("answer.source", { number, title: source.title });
  if (href) {
    return (
      <OutLink className="marker" href={href} label={label}>
        {shown}
      </OutLink>
    );
  }
  return (
    <span className="marker" title={source.title}>
      {shown}
    </span>
  );
}
