import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { createMockApi } from "../../mock/api";
import { finish, frame, hangUp, send, storedMessage, writeOn } from "../../mock/thread";
import { onlyThread, openWidget } from "../../tests/open-widget";

const box = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Your message" });

async function ask(text: string): Promise<void> {
  await userEvent.type(box(), `${text}{Enter}`);
}

test("an answer is thought about, streamed, and ends with its sources", async () => {
  const { api, posted } = await openWidget();
  await ask("Can I return it?");

  expect(await screen.findByText("Thinking…", { selector: ".thinking" })).toBeDefined();
  await waitFor(() => expect(onlyThread(api).subscribers.size).toBe(1));
  act(() => writeOn(onlyThread(api), 20));
  expect(await screen.findByText(/Yes. You can return/)).toBeDefined();

  act(() => finish(onlyThread(api)));
  const link = await screen.findByRole("link", { name: /^Returns and exchanges/ });
  expect(link.getAttribute("href")).toBe("https://shop.example/returns");
  expect(link.getAttribute("target")).toBe("_blank");
  expect(link.getAttribute("rel")).toBe("noopener noreferrer");
  expect(screen.getByRole("link", { name: /^Source 1: Returns/ })).toBeDefined();
  expect(screen.getByText("30 days").tagName).toBe("STRONG");
  await waitFor(() => expect(onlyThread(api).subscribers.size).toBe(0));
  expect(posted.map(({ type }) => type)).toEqual(["initialized", "threadCreated"]);
});

test("no stream is opened while nothing is being written", async () => {
  const { api } = await openWidget();
  await ask("Hello");
  await waitFor(() => expect(onlyThread(api).subscribers.size).toBe(1));
  act(() => finish(onlyThread(api)));
  await screen.findByText("Sources");
  expect(api.requests.filter(({ path }) => path.endsWith("/events"))).toHaveLength(1);
});

test("a send carries an idempotency key, asks for no wait, and bears the visitor's token", async () => {
  const { api } = await openWidget();
  await ask("Hello");
  await waitFor(() => expect(api.threads.size).toBe(1));
  const sent = await waitFor(() => {
    const request = api.requests.find(({ method, path }) => method === "POST" && path === "/api/messages");
    if (!request) throw new Error("not sent yet");
    return request;
  });
  expect(sent.headers.get("Idempotency-Key")).toMatch(/^[\da-f-]{36}$/);
  expect(sent.headers.get("Prefer")).toBe("respond-async");
  expect(sent.headers.get("Authorization")).toBe(`Bearer ${localStorage.getItem("visitorToken:pk_demo")}`);
});

test("a failed send keeps the text and tries again with the same key", async () => {
  const { api } = await openWidget();
  api.failures.push({ on: "POST /api/messages", status: 500, code: "internal", afterwards: true });
  await ask("Only once");

  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toContain("Not sent.");
  expect(screen.queryByText("Thinking…", { selector: ".thinking" })).toBeNull();
  await userEvent.click(within(alert).getByRole("button", { name: "Try again" }));

  await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
  const sent = api.requests.filter(({ method, path }) => method === "POST" && path === "/api/messages");
  expect(sent).toHaveLength(2);
  expect(sent[1]?.headers.get("Idempotency-Key")).toBe(sent[0]?.headers.get("Idempotency-Key"));
  expect(onlyThread(api).messages.map(({ role }) => role)).toEqual(["human"]);
  expect(screen.getAllByText("Only once")).toHaveLength(1);
});

test("too many messages: says so and waits as long as the server asks", async () => {
  const { api } = await openWidget();
  api.failures.push({ on: "POST /api/messages", status: 429, code: "rate_limited", retryAfter: 30 });
  await ask("Hello");
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toMatch(/too many messages.*again in (29|30) seconds/);
  expect(within(alert).getByRole<HTMLButtonElement>("button", { name: "Try again" }).disabled).toBe(true);

  await userEvent.click(within(alert).getByRole("button", { name: "Change the text" }));
  expect(box().value).toBe("Hello");
  expect(screen.queryByRole("alert")).toBeNull();
});

test("a broken stream goes on where it stopped, without a gap or a repetition", async () => {
  vi.spyOn(Math, "random").mockReturnValue(0);
  const { api } = await openWidget();
  await ask("Hello");
  await waitFor(() => expect(onlyThread(api).subscribers.size).toBe(1));
  const thread = onlyThread(api);
  act(() => writeOn(thread, 10));
  await screen.findByText(/^Yes. You c/);
  act(() => hangUp(thread));
  writeOn(thread, 10);

  await waitFor(() => expect(thread.subscribers.size).toBe(1), { timeout: 4000 });
  expect(api.requests.at(-1)?.headers.get("Last-Event-ID")).toBe(`2.${thread.turn?.attempt}.10`);
  act(() => finish(thread));
  await screen.findByText("Sources");
  expect(screen.getAllByText(/Yes. You can return a bicycle/, { selector: ".prose p" })).toHaveLength(1);
  vi.restoreAllMocks();
});

test("an answer that is being written goes on after a change of page", async () => {
  const first = await openWidget();
  await ask("Hello");
  await waitFor(() => expect(onlyThread(first.api).subscribers.size).toBe(1));
  act(() => writeOn(onlyThread(first.api), 8));
  first.unmount();

  await openWidget({ api: first.api });
  expect(await screen.findByText("Hello")).toBeDefined();
  expect(await screen.findByText(/^Yes. You/)).toBeDefined();
  act(() => finish(onlyThread(first.api)));
  expect(await screen.findByText("Sources")).toBeDefined();
  expect(screen.getAllByRole("article")).toHaveLength(2);
});

test("what a page change interrupted is delivered once by the next page", async () => {
  const first = await openWidget();
  first.api.failures.push({ on: "POST /api/messages", status: 500, code: "internal", afterwards: true });
  await ask("Interrupted");
  await screen.findByRole("alert");
  first.unmount();

  await openWidget({ api: first.api });
  await waitFor(() => expect(screen.getAllByText("Interrupted")).toHaveLength(1));
  await waitFor(() => expect(localStorage.getItem("draft:pk_demo")).toBeNull());
  expect(onlyThread(first.api).messages).toHaveLength(1);
  expect(screen.queryByRole("alert")).toBeNull();
});

test("a draft survives a change of page", async () => {
  const first = await openWidget();
  await userEvent.type(box(), "Half a quest");
  first.unmount();
  await openWidget({ api: first.api });
  expect(box().value).toBe("Half a quest");
});

test("nothing is stored before the visitor acts", async () => {
  await openWidget();
  expect(localStorage).toHaveLength(0);
});

test("storage that throws means memory only", async () => {
  const { api } = await openWidget({
    storage: () => {
      throw new DOMException("blocked", "SecurityError");
    },
  });
  await ask("Hello");
  await waitFor(() => expect(onlyThread(api).subscribers.size).toBe(1));
  act(() => finish(onlyThread(api)));
  expect(await screen.findByText("Sources")).toBeDefined();
});

test("a refused visitor token starts afresh instead of failing", async () => {
  localStorage.setItem("visitorToken:pk_demo", "forged");
  localStorage.setItem("threadUuid:pk_demo", "gone");
  const { api } = await openWidget();
  await waitFor(() => expect(localStorage.getItem("visitorToken:pk_demo")).toBeNull());
  await ask("Hello");
  await waitFor(() => expect(onlyThread(api).messages).toHaveLength(1));
});

test("an embed token near its end is renewed before the call that needs it", async () => {
  const { api } = await openWidget();
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 14.5 * 60_000 });
  await ask("Hello");
  await waitFor(() => expect(api.threads.size).toBe(1));
  vi.useRealTimers();
  const paths = api.requests.map(({ path }) => path);
  expect(paths.filter((path) => path.startsWith("/api/chatbot-config"))).toHaveLength(2);
  expect(api.requests[0]?.headers.has("Authorization")).toBe(false);
  expect(api.requests[1]?.headers.has("Authorization")).toBe(true);
});

test("messages that come while the chat is closed are counted for the launcher", async () => {
  const { api, posted, tell } = await openWidget();
  await ask("Hello");
  await waitFor(() => expect(onlyThread(api).subscribers.size).toBe(1));
  act(() => tell({ type: "closed" }));
  act(() => finish(onlyThread(api)));
  await waitFor(() => expect(posted.at(-1)).toEqual({ type: "unread", count: 1 }));
  act(() => tell({ type: "opened", focus: true }));
  expect(posted.at(-1)).toEqual({ type: "unread", count: 0 });
});

test("an answer that closes the conversation offers a new one", async () => {
  const { api } = await openWidget();
  await ask("Bye");
  await waitFor(() => expect(onlyThread(api).subscribers.size).toBe(1));
  act(() => finish(onlyThread(api), true));
  await userEvent.click(await screen.findByRole("button", { name: "Start a new conversation" }));
  expect(screen.queryAllByRole("article")).toHaveLength(0);
  await ask("Hello again");
  await waitFor(() => expect(api.threads.size).toBe(2));
});

test("when a person answers there is no thinking, and their message is heard", async () => {
  const { api } = await openWidget();
  await ask("Hello");
  await waitFor(() => expect(onlyThread(api).subscribers.size).toBe(1));
  const thread = onlyThread(api);
  thread.state = "owner";
  act(() => finish(thread));
  await screen.findByText("A person is answering now.");
  await ask("Are you there?");
  await waitFor(() => expect(thread.messages).toHaveLength(3));
  expect(screen.queryByText("Thinking…", { selector: ".thinking" })).toBeNull();

  const message = storedMessage({ uuid: "owner-1", sequence: 4, role: "owner", text: "I am Sara." });
  thread.messages.push(message);
  act(() => send(thread, frame("message", { ...message, replace: true }, "4.stored.0")));
  await screen.findByText("I am Sara.");
  expect(screen.getByRole("article", { name: "A person" }).textContent).toContain("I am Sara.");
});

test("questions asked meanwhile wait in one bubble for their one answer", async () => {
  const { api } = await openWidget();
  await ask("First");
  await waitFor(() => expect(onlyThread(api).subscribers.size).toBe(1));
  const thread = onlyThread(api);
  await ask("Second");
  await waitFor(() => expect(thread.messages).toHaveLength(2));
  await ask("Third");
  await waitFor(() => expect(thread.messages).toHaveLength(3));
  await waitFor(() => expect(screen.getAllByText("Thinking…", { selector: ".thinking" })).toHaveLength(2));

  act(() => finish(thread));
  await screen.findByText("Sources");
  await waitFor(() => expect(screen.getAllByText("Thinking…", { selector: ".thinking" })).toHaveLength(1));
  act(() => finish(thread));
  await waitFor(() => expect(screen.getAllByText("Sources")).toHaveLength(2));
  expect(screen.getAllByRole("article").map((each) => each.getAttribute("aria-label"))).toEqual([
    "You",
    "AI assistant",
    "You",
    "You",
    "AI assistant",
  ]);
  expect(api.requests.filter(({ path }) => path.endsWith("/events"))).toHaveLength(1);
});

test("a question that waits behind another answer is answered after a change of page", async () => {
  const first = await openWidget();
  await ask("First");
  await waitFor(() => expect(onlyThread(first.api).subscribers.size).toBe(1));
  const thread = onlyThread(first.api);
  await ask("Second");
  await waitFor(() => expect(thread.queued).not.toBeNull());
  first.unmount();

  await openWidget({ api: first.api });
  await waitFor(() => expect(thread.subscribers.size).toBe(2));
  act(() => finish(thread));
  await screen.findByText("Sources");
  act(() => finish(thread));
  await waitFor(() => expect(screen.getAllByText("Sources")).toHaveLength(2));
});

test("earlier messages are fetched page by page, in order", async () => {
  const first = await openWidget();
  await ask("Hello");
  await waitFor(() => expect(onlyThread(first.api).subscribers.size).toBe(1));
  const thread = onlyThread(first.api);
  act(() => finish(thread));
  await screen.findByText("Sources");
  first.unmount();
  for (let sequence = 3; sequence <= 120; sequence += 1) {
    const role = sequence % 2 ? "human" : "ai";
    thread.messages.push(
      storedMessage({ uuid: `m-${sequence}`, sequence, role, text: `Number ${sequence}.` }),
    );
  }

  await openWidget({ api: first.api });
  await waitFor(() => expect(screen.getAllByRole("article")).toHaveLength(50));
  for (const shown of [100, 120]) {
    await userEvent.click(screen.getByRole("button", { name: "Show earlier messages" }));
    await waitFor(() => expect(screen.getAllByRole("article")).toHaveLength(shown));
  }
  expect(screen.queryByRole("button", { name: "Show earlier messages" })).toBeNull();
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("log")));
  expect(screen.getAllByRole("status").map((each) => each.textContent)).toEqual(["", ""]);
  const texts = screen.getAllByRole("article").map((each) => /Number \d+\./.exec(each.textContent)?.[0]);
  expect(texts.slice(2)).toEqual(Array.from({ length: 118 }, (_, index) => `Number ${index + 3}.`));
});

test("a chat that cannot start says why and starts when it can", async () => {
  const api = createMockApi();
  api.failures.push({ on: "GET /api/chatbot-config", status: 403, code: "chatbot_suspended" });
  await openWidget({ api });
  expect(screen.getByText("The shop has switched this chat off.")).toBeDefined();
  await userEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByRole("heading", { name: "Zadelhoek" })).toBeDefined();
});
