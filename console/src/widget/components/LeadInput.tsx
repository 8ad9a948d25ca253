import { useId } from "react";
import { useTranslation } from "react-i18next";
import type { LeadField } from "../../api/types";
import type { LeadMistake } from "../chat/lead";
import { directionOf } from "../text/direction";

interface Props {
  field: LeadField;
  value: string;
  required: boolean;
  /** The shop's page filled it in, and nobody has proved it. */
  claimed: boolean;
  mistake: LeadMistake | null;
  onChange: (value: string) => void;
}

/** The lengths are those the server takes. */
const INPUTS = {
  name: { type: "text", autoComplete: "name", maxLength: 100 },
  phone: { type: "tel", autoComplete: "tel", maxLength: 32 },
  email: { type: "email", autoComplete: "email", maxLength: 254 },
} as const;

export function LeadInput({ field, value, required, claimed, mistake, onChange }: Props) {
  const { t } = useTranslation();
  const id = useId();
  const hint = mistake ? mistakeText() : claimed ? t("lead.unverified") : null;

  function mistakeText(): string {
    if (mistake === "missing" || field === "name") return t("lead.missing");
    return field === "email" ? t("lead.invalidEmail") : t("lead.invalidPhone");
  }

  return (
    <div className="field">
      <label htmlFor={id}>
        {t(`lead.${field}`)}
        {!required && <span className="muted"> ({t("lead.optional")})</span>}
      </label>
      <input
        id={id}
        name={field}
        type={INPUTS[field].type}
        autoComplete={INPUTS[field].autoComplete}
        dir={field === "name" ? directionOf(value) : "ltr"}
        maxLength={INPUTS[field].maxLength}
        value={value}
        required={required}
        aria-invalid={mistake !== null}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      {hint && (
        <p id={`${id}-hint`} className={mistake ? "field-error" : "muted field-hint"}>
          {hint}
        </p>
      )}
    </div>
  );
}
