import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useChat, useChatState } from "./ChatContext";
import { Composer } from "./Composer";
import { Footer } from "./Footer";
import { Header } from "./Header";
import { LeadForm } from "./LeadForm";
import { MessageLog } from "./MessageLog";
import { Notices } from "./Notices";

interface Props {
  /** Counts the times the shopper opened the chat; each moves the focus into it. */
  focusRequests: number;
}

export function ChatScreen({ focusRequests }: Props) {
  const { chat, config, close } = useChat();
  const { leadForm, threadState, restoring } = useChatState();
  const { t } = useTranslation();
  const main = useRef<HTMLElement>(null);
  const input = useRef<HTMLTextAreaElement>(null);
  const asksFirst = leadForm === "required" && !restoring;

  useEffect(() => {
    if (focusRequests === 0) return;
    // On a touch screen focus in a text box would throw up the keyboard over the greeting.
    const target = matchMedia("(pointer: coarse)").matches
      ? main.current
      : main.current?.querySelector<HTMLElement>(".lead input, textarea:enabled");
    (target ?? main.current)?.focus();
  }, [focusRequests]);

  const wasAsking = useRef(asksFirst);
  useEffect(() => {
    // The form the focus was in has gone: the conversation goes on in the box.
    if (wasAsking.current && !asksFirst) input.current?.focus();
    wasAsking.current = asksFirst;
  }, [asksFirst]);

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === "Escape" && !event.isComposing) close?.();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [close]);

  return (
    <main ref={main} className="chat" tabIndex={-1} aria-label={config.title}>
      <Header />
      {asksFirst ? (
        <div className="ask-first">
          <div className="welcome">
            <p className="welcome-headline" dir="auto">
              {config.interface.headline}
            </p>
            <p dir="auto">{config.interface.welcome_message}</p>
          </div>
          <LeadForm title={t("lead.title")} intro={t("lead.intro")} submit={t("lead.submit")} />
        </div>
      ) : (
        <MessageLog />
      )}
      <Notices />
      {!asksFirst && threadState !== "closed" && <Composer inputRef={input} />}
      {threadState === "closed" && (
        <div className="closed" role="status">
          <p>{t("composer.closed")}</p>
          <button type="button" className="button" onClick={chat.newConversation}>
            {t("composer.newConversation")}
          </button>
        </div>
      )}
      <Footer />
    </main>
  );
}
