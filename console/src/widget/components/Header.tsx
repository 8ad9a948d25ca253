import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useChat } from "./ChatContext";
import { CloseIcon, WindowIcon } from "./icons";

export function Header() {
  const { config, close } = useChat();
  const { t } = useTranslation();
  const [avatarBroken, setAvatarBroken] = useState(false);
  const avatar = config.interface.avatar_url;

  return (
    <header className="header">
      <span className="avatar">
        {avatar && !avatarBroken ? (
          <img src={avatar} alt="" onError={() => setAvatarBroken(true)} />
        ) : (
          <WindowIcon />
        )}
      </span>
      <div className="header-text">
        <h1 dir="auto">{config.title}</h1>
        <p>{t("assistant")}</p>
      </div>
      {close && (
        <button type="button" className="icon-button" aria-label={t("close")} onClick={close}>
          <CloseIcon />
        </button>
      )}
    </header>
  );
}
