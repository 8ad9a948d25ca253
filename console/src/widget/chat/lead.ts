import { problemFromError } from "../../api/problem";
import type { LeadField } from "../../api/types";
import type { Claims } from "../boot/route";
import { type ChatContext, isKnownCustomer } from "./state";

/** Enough to catch a slip; whether the address exists only a mail can tell. */
const EMAIL = /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/;

/** Five digits or more, of any script, with the usual separators. */
const PHONE = /^[ +().\-/]*(\p{N}[ +().\-/]*){5,}$/u;

export type LeadValues = Record<LeadField, string>;
export type LeadMistake = "missing" | "invalid";

/** What is wrong with the form, by field; empty when it can be sent. */
export function checkLead(
  values: LeadValues,
  fields: readonly LeadField[],
  required: readonly LeadField[],
): Partial<Record<LeadField, LeadMistake>> {
  const mistakes: Partial<Record<LeadField, LeadMistake>> = {};
  for (const field of fields) {
    const value = values[field].trim();
    if (value === "") {
      if (required.includes(field)) mistakes[field] = "missing";
    } else if ((field === "email" && !EMAIL.test(value)) || (field === "phone" && !PHONE.test(value))) {
      mistakes[field] = "invalid";
    }
  }
  return mistakes;
}

/** Creates the lead the shopper typed. True when the server has it; else the state names the problem. */
export async function submitLead(context: ChatContext, values: LeadValues): Promise<boolean> {
  const { store, config } = context;
  store.set({ leadProblem: null });
  const { fields, consent_version } = config.lead_form;
  const typed = (field: LeadField) => (fields.includes(field) ? values[field].trim() || null : null);
  const person = { name: typed("name"), email: typed("email"), phone: typed("phone") };
  try {
    await create(context, { ...store.get().claims, ...person }, consent_version);
    return true;
  } catch (error) {
    store.set({ leadProblem: problemFromError(error) });
    return false;
  }
}

/** The lead of a customer the shop named. No consent text was shown, so no consent is claimed. */
export async function createLeadOfClaims(context: ChatContext, claims: Claims): Promise<string | null> {
  if (!isKnownCustomer(claims) || context.config.lead_form.ask === "never") return null;
  try {
    return await create(context, claims, null);
  } catch (error) {
    const problem = problemFromError(error);
    // Something the chatbot requires is missing: the shopper can give it.
    if (problem.status === 422) context.store.set({ leadForm: "required", leadProblem: problem });
    throw problem;
  }
}

async function create(context: ChatContext, person: Claims, consentVersion: string | null): Promise<string> {
  const { api, storage, store, config, agent } = context;
  const lead = await api.createLead({
    api_key: config.key,
    name: person.name,
    email: person.email,
    phone: person.phone,
    leadable_id: person.customerId,
    leadable_type: person.customerId ? "customer" : null,
    agent_namespace: agent,
    consent_version: consentVersion,
  });
  storage.leadId.write(lead.id);
  store.set({ leadId: lead.id, leadForm: "hidden" });
  return lead.id;
}
