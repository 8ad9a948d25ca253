import { fireEvent, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { openWidget } from "../../tests/open-widget";

const box = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Your message" });
const sendButton = () => screen.getByRole<HTMLButtonElement>("button", { name: "Send" });

test("only Enter alone sends", async () => {
  const { api } = await openWidget();
  await userEvent.type(box(), "Hello");
  for (const modifier of [{ shiftKey: true }, { ctrlKey: true }, { altKey: true }]) {
    fireEvent.keyDown(box(), { key: "Enter", ...modifier });
  }
  expect(box().value).toBe("Hello");
  fireEvent.keyDown(box(), { key: "Enter" });
  await waitFor(() => expect(api.threads.size).toBe(1));
  expect(box().value).toBe("");
});

test("Enter that ends a composition does not send", async () => {
  await openWidget();
  await userEvent.type(box(), "にほん");
  fireEvent.keyDown(box(), { key: "Enter", keyCode: 229 });
  fireEvent.keyDown(box(), { key: "Enter", isComposing: true });
  expect(box().value).toBe("にほん");
});

test("an empty or blank message cannot be sent", async () => {
  await openWidget();
  expect(sendButton().disabled).toBe(true);
  await userEvent.type(box(), "   ");
  expect(sendButton().disabled).toBe(true);
  await userEvent.type(box(), "x");
  expect(sendButton().disabled).toBe(false);
});

test("the box holds as many characters as the chatbot allows, and counts them", async () => {
  await openWidget({ config: { limits: { message_characters: 20 } } });
  await userEvent.type(box(), "Hello");
  expect(screen.getByText("5 of 20 characters")).toBeDefined();
  fireEvent.input(box(), { target: { value: "🚲".repeat(20) } });
  expect(screen.getByText("20 of 20 characters")).toBeDefined();
  expect(box().value.length).toBeLessThanOrEqual(box().maxLength);
  expect(sendButton().disabled).toBe(false);
  fireEvent.input(box(), { target: { value: "x".repeat(21) } });
  expect(sendButton().disabled).toBe(true);
  expect(screen.getByText("The message is too long: at most 20 characters.")).toBeDefined();
});

test("a demo says that sending is off", async () => {
  await openWidget({ config: { demo: true } });
  expect(box().disabled).toBe(true);
  expect(sendButton().disabled).toBe(true);
  expect(screen.getByText("This is a demo: sending is switched off.")).toBeDefined();
});

test("Escape and the close button tell the shop's page", async () => {
  const { posted } = await openWidget();
  await userEvent.click(screen.getByRole("button", { name: "Close chat" }));
  expect(posted.at(-1)).toEqual({ type: "btnClosed" });
  await userEvent.type(box(), "{Escape}");
  expect(posted.filter(({ type }) => type === "btnClosed")).toHaveLength(2);
});
