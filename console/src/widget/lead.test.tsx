import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { mockConfig } from "../../mock/data";
import { onlyThread, openWidget } from "../../tests/open-widget";
import { checkLead } from "./chat/lead";

const LEAD_FORM = { ...mockConfig().lead_form, ask: "before_first_message" as const };
const leadRequest = (requests: { path: string; body: unknown }[]) =>
  requests.find(({ path }) => path === "/api/leads");

test("the form stands before the first message, with the shop's consent text and privacy page", async () => {
  const { api } = await openWidget({ config: { lead_form: LEAD_FORM } });
  expect(screen.queryByRole("textbox", { name: "Your message" })).toBeNull();
  expect(screen.getByText(/keeps your details for two years/)).toBeDefined();
  expect(screen.getByRole("link", { name: /How the shop handles your data/ })).toBeDefined();

  await userEvent.type(screen.getByLabelText("Name"), "Anna");
  await userEvent.type(screen.getByLabelText("Phone number"), "+31 6 1234 5678");
  await userEvent.click(screen.getByRole("button", { name: "Start the chat" }));

  const box = await screen.findByRole("textbox", { name: "Your message" });
  expect(leadRequest(api.requests)?.body).toEqual({
    api_key: "pk_demo",
    name: "Anna",
    phone: "+31 6 1234 5678",
    email: null,
    leadable_id: null,
    leadable_type: null,
    agent_namespace: "customer_support",
    consent_version: "c-1",
  });
  await userEvent.type(box, "Hello{Enter}");
  await waitFor(() => expect(onlyThread(api).messages).toHaveLength(1));
  expect(api.requests.find(({ path }) => path === "/api/thread")?.body).toMatchObject({
    lead_id: localStorage.getItem("leadId:pk_demo"),
  });
});

test("mistakes are named at their fields and nothing is sent", async () => {
  const { api } = await openWidget({ config: { lead_form: LEAD_FORM } });
  await userEvent.type(screen.getByLabelText(/E-mail/), "not an address");
  await userEvent.click(screen.getByRole("button", { name: "Start the chat" }));
  expect(screen.getAllByText("Fill in this field.")).toHaveLength(2);
  expect(screen.getByText(/Enter an e-mail address/)).toBeDefined();
  expect(document.activeElement).toBe(screen.getByLabelText("Name"));
  expect(leadRequest(api.requests)).toBeUndefined();
});

test("a customer known by id and e-mail is not asked; the lead is made when they write", async () => {
  const claims = { customerId: "c-7", name: "Anna", email: "anna@example.com", phone: null };
  const { api } = await openWidget({ config: { lead_form: LEAD_FORM }, route: { claims } });
  expect(leadRequest(api.requests)).toBeUndefined();
  await userEvent.type(screen.getByRole("textbox", { name: "Your message" }), "Hello{Enter}");
  await waitFor(() => expect(api.threads.size).toBe(1));
  expect(leadRequest(api.requests)?.body).toMatchObject({
    leadable_id: "c-7",
    leadable_type: "customer",
    consent_version: null,
  });
});

test("what the address claims is prefilled and marked as unverified", async () => {
  const claims = { customerId: null, name: "Anna", email: null, phone: null };
  await openWidget({ config: { lead_form: LEAD_FORM }, route: { claims } });
  expect(screen.getByLabelText<HTMLInputElement>("Name").value).toBe("Anna");
  expect(screen.getByText(/not verified/)).toBeDefined();
});

test("a lead the server no longer knows brings the form back and keeps the text", async () => {
  localStorage.setItem("leadId:pk_demo", "erased");
  const { api } = await openWidget({ config: { lead_form: LEAD_FORM } });
  api.failures.push({ on: "POST /api/thread", status: 404, code: "lead_not_found" });
  await userEvent.type(screen.getByRole("textbox", { name: "Your message" }), "Hello{Enter}");
  await userEvent.type(await screen.findByLabelText("Name"), "Anna");
  await userEvent.type(screen.getByLabelText("Phone number"), "0612345678");
  await userEvent.click(screen.getByRole("button", { name: "Start the chat" }));
  const box = await screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Your message" });
  expect(box.value).toBe("Hello");
});

test.each([
  ["phone", "۰۹۱۲۳۴۵۶۷۸۹", undefined],
  ["phone", "call me", "invalid"],
  ["email", "a@b", "invalid"],
  ["email", "anna@example.com", undefined],
  ["email", "", undefined],
] as const)("%s %j is %s", (field, value, mistake) => {
  const values = { name: "", phone: "", email: "", [field]: value };
  expect(checkLead(values, [field], [])[field]).toBe(mistake);
});
