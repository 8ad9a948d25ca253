import { type KeyboardEvent, type RefObject, type SubmitEvent, useId } from "react";
import { useTranslation } from "react-i18next";
import { sendBlock } from "../chat/state";
import { characterCount } from "../text/characters";
import { directionOf } from "../text/direction";
import { useChat, useChatState } from "./ChatContext";
import { SendIcon } from "./icons";
import { useAutoHeight } from "./use-auto-height";

/** Bounds what can be pasted, in UTF-16 units: a character is at most two. */
const UNITS_PER_CHARACTER_MAX = 2;

/** The box to write in. Enter sends; with Shift, Ctrl or Alt, or while an input method composes, it does not. */
export function Composer({ inputRef }: { inputRef: RefObject<HTMLTextAreaElement | null> }) {
  const { chat, config } = useChat();
  const state = useChatState();
  const { t, i18n } = useTranslation();
  const counterId = useId();
  useAutoHeight(inputRef, state.draft);
  const limit = config.limits.message_characters;
  const block = sendBlock(state, config, state.draft);
  const numbers = new Intl.NumberFormat(i18n.language);
  const counts = { used: numbers.format(characterCount(state.draft)), limit: numbers.format(limit) };

  function send(): void {
    if (chat.send(state.draft)) inputRef.current?.focus();
  }

  function onKeyDown(event: KeyboardEvent): void {
    const composing = event.nativeEvent.isComposing || event.keyCode === 229;
    if (
      event.key !== "Enter" ||
      composing ||
      event.shiftKey ||
      event.ctrlKey ||
      event.altKey ||
      event.metaKey
    )
      return;
    event.preventDefault();
    send();
  }

  function onSubmit(event: SubmitEvent): void {
    event.preventDefault();
    send();
  }

  return (
    <form className="composer" onSubmit={onSubmit}>
      <div className="composer-box">
        <textarea
          ref={inputRef}
          rows={1}
          dir={directionOf(state.draft)}
          value={state.draft}
          maxLength={limit * UNITS_PER_CHARACTER_MAX}
          aria-label={t("composer.label")}
          aria-describedby={counterId}
          placeholder={t("composer.placeholder")}
          enterKeyHint="send"
          disabled={config.demo}
          onChange={(event) => chat.setDraft(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <button type="submit" className="send" aria-label={t("composer.send")} disabled={block !== null}>
          <SendIcon />
        </button>
      </div>
      <p id={counterId} className="counter">
        {config.demo
          ? t("composer.demo")
          : block === "too_long"
            ? t("composer.tooLong", counts)
            : state.draft && t("composer.counter", counts)}
      </p>
    </form>
  );
}
