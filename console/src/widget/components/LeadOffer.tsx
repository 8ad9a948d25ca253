import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useChat, useChatState } from "./ChatContext";
import { LeadForm } from "./LeadForm";

/** Where the chatbot asks later: after the first answer, once, and never in the way. */
export function LeadOffer() {
  const { chat, config } = useChat();
  const { entries, leadId, leadForm } = useChatState();
  const { t } = useTranslation();
  const [declined, setDeclined] = useState(false);
  const [hadLead] = useState(leadId !== null);
  const { ask, fields } = config.lead_form;
  const answered = entries.some((entry) => entry.role === "ai" && entry.status === "done");

  if (ask !== "later" || fields.length === 0 || declined || hadLead || !answered) return null;
  if (leadId) {
    return (
      <p className="notice" role="status">
        {t("lead.saved")}
      </p>
    );
  }
  if (leadForm !== "offered") {
    return (
      <button type="button" className="text-button lead-offer" onClick={() => chat.showLeadForm(true)}>
        {t("lead.offer")}
      </button>
    );
  }
  return (
    <LeadForm
      title={t("lead.offerTitle")}
      intro={t("lead.offer")}
      submit={t("lead.save")}
      onNotNow={() => {
        chat.showLeadForm(false);
        setDeclined(true);
      }}
    />
  );
}
