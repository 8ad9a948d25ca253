import { type SubmitEvent, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { LeadField } from "../../api/types";
import { checkLead, type LeadMistake, type LeadValues } from "../chat/lead";
import { problemText } from "../text/problem-text";
import { safeLink } from "../text/safe-link";
import { useChat, useChatState } from "./ChatContext";
import { LeadInput } from "./LeadInput";
import { OutLink } from "./OutLink";

interface Props {
  title: string;
  intro: string;
  submit: string;
  /** Offered beside the button when the form is not required. */
  onNotNow?: () => void;
}

/** Asks for the fields the chatbot wants, with the shop's consent text and privacy page beside them. */
export function LeadForm({ title, intro, submit, onNotNow }: Props) {
  const { chat, config } = useChat();
  const { claims, leadProblem } = useChatState();
  const { t } = useTranslation();
  const titleId = useId();
  const form = useRef<HTMLFormElement>(null);
  const { fields, required, consent_text: consentText, privacy_url: privacyUrl } = config.lead_form;
  const [values, setValues] = useState<LeadValues>({
    name: claims.name ?? "",
    phone: claims.phone ?? "",
    email: claims.email ?? "",
  });
  const [mistakes, setMistakes] = useState<Partial<Record<LeadField, LeadMistake>>>({});
  const [submitting, setSubmitting] = useState(false);
  const privacy = safeLink(privacyUrl);

  async function onSubmit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (submitting) return;
    const found = checkLead(values, fields, required);
    setMistakes(found);
    const first = fields.find((field) => found[field]);
    if (first) {
      form.current?.querySelector<HTMLInputElement>(`[name="${first}"]`)?.focus();
      return;
    }
    setSubmitting(true);
    // On success the form goes away with its state.
    if (!(await chat.submitLead(values))) setSubmitting(false);
  }

  return (
    <form
      ref={form}
      className="lead"
      aria-labelledby={titleId}
      noValidate
      onSubmit={(event) => void onSubmit(event)}
    >
      <h2 id={titleId}>{title}</h2>
      <p className="muted">{intro}</p>
      {fields.map((field) => (
        <LeadInput
          key={field}
          field={field}
          value={values[field]}
          required={required.includes(field)}
          claimed={claims[field] !== null && claims[field] === values[field]}
          mistake={mistakes[field] ?? (leadProblem?.errors[field] ? "invalid" : null)}
          onChange={(value) => setValues({ ...values, [field]: value })}
        />
      ))}
      {leadProblem && (
        <p className="field-error" role="alert">
          {problemText(t, leadProblem)}
        </p>
      )}
      {consentText && (
        <p className="consent" dir="auto">
          {consentText}
        </p>
      )}
      {privacy && (
        <p className="consent">
          <OutLink href={privacy}>{t("lead.privacy")}</OutLink>
        </p>
      )}
      <div className="actions">
        <button type="submit" className="button" disabled={submitting}>
          {submit}
        </button>
        {onNotNow && (
          <button type="button" className="text-button" onClick={onNotNow}>
            {t("lead.notNow")}
          </button>
        )}
      </div>
    </form>
  );
}
