import type { i18n } from "i18next";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { I18nextProvider } from "react-i18next";
import { type Problem, problemFromError } from "../../api/problem";
import { supportedLanguage } from "../../shared/languages";
import { createLoader, type Environment, type Loaded } from "../boot/load";
import { loadTexts } from "../text/i18n";
import { applyLanguage, applyTheme } from "../theme/apply";
import { ChatContext } from "./ChatContext";
import { ChatScreen } from "./ChatScreen";
import { Unavailable } from "./Unavailable";
import { useLoaderMessages } from "./use-loader-messages";
import { useWakeUps } from "./use-wake-ups";

type Screen =
  | { name: "loading" }
  | ({ name: "chat" } & Loaded)
  | { name: "unavailable"; problem: Problem; texts: i18n };

export function App({ environment }: { environment: Environment }) {
  const { host } = environment;
  const [screen, setScreen] = useState<Screen>({ name: "loading" });
  const load = useMemo(() => createLoader(environment), [environment]);
  const isLoading = useRef(false);
  const chat = screen.name === "chat" ? screen.chat : null;
  const focusRequests = useLoaderMessages(environment, chat);
  useWakeUps(chat);

  const open = useCallback(async () => {
    if (isLoading.current) return;
    isLoading.current = true;
    try {
      const loaded = await load();
      applyLanguage(document.documentElement, supportedLanguage(loaded.config.language));
      applyTheme(document.documentElement, loaded.config);
      document.title = loaded.config.title;
      host.allow(loaded.config.allowed_domains);
      setScreen({ name: "chat", ...loaded });
      await loaded.chat.start();
    } catch (error) {
      const problem = problemFromError(error);
      // Without its config the chat's language is unknown; the browser's is the best guess.
      const language = supportedLanguage(navigator.language);
      const texts = await loadTexts(language);
      applyLanguage(document.documentElement, language);
      setScreen({ name: "unavailable", problem, texts });
    } finally {
      isLoading.current = false;
    }
  }, [load, host]);

  useEffect(() => void open(), [open]);

  const close = useMemo(() => (host.embedded ? () => host.post({ type: "btnClosed" }) : null), [host]);
  const value = useMemo(
    () => (screen.name === "chat" ? { chat: screen.chat, config: screen.config, close } : null),
    [screen, close],
  );

  if (screen.name === "loading") return <div className="skeleton" aria-hidden="true" />;
  return (
    <I18nextProvider i18n={screen.texts}>
      {screen.name === "unavailable" && <Unavailable problem={screen.problem} onRetry={() => void open()} />}
      {value && (
        <ChatContext.Provider value={value}>
          <ChatScreen focusRequests={focusRequests} />
        </ChatContext.Provider>
      )}
    </I18nextProvider>
  );
}
