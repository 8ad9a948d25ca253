import { useTranslation } from "react-i18next";
import { safeLink } from "../text/safe-link";
import { useChat } from "./ChatContext";
import { OutLink } from "./OutLink";

/** What a shopper must always be able to see: that this is an AI, and where the shop explains what it does with data. */
export function Footer() {
  const { config } = useChat();
  const { t } = useTranslation();
  const privacy = safeLink(config.lead_form.privacy_url);

  return (
    <footer className="footer">
      <p>{t("disclosure")}</p>
      {(privacy || config.show_branding) && (
        <p className="footer-links">
          {privacy && <OutLink href={privacy}>{t("privacy")}</OutLink>}
          {config.show_branding && <span>{t("branding")}</span>}
        </p>
      )}
    </footer>
  );
}
