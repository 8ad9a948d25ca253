import { afterEach, expect, test, vi } from "vitest";
import type { AppMessage, LoaderMessage } from "../../shared/protocol";
import { isAllowedOrigin } from "./allowed-origin";
import { connectHost } from "./host";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A frame's window whose parent records what it is sent. */
function frame(referrer = "") {
  const parent = { postMessage: vi.fn() };
  const listeners: ((event: MessageEvent) => void)[] = [];
  const fake = {
    parent,
    document: { referrer },
    setTimeout,
    addEventListener: (_: string, listener: (event: MessageEvent) => void) => listeners.push(listener),
  };
  const host = connectHost(fake as unknown as Window);
  function hello(origin: string, source: unknown = parent) {
    const { port1, port2 } = new MessageChannel();
    const heard: AppMessage[] = [];
    port1.onmessage = ({ data }) => heard.push(data);
    const data = { vitrine: 1, type: "hello", page: `${origin}/`, identity: "jwt" };
    for (const listener of listeners)
      listener({ origin, source, ports: [port2], data } as unknown as MessageEvent);
    return { heard, port1 };
  }
  return { host, parent, hello };
}

test("a hello before the config is answered once the origin is known to be allowed", async () => {
  const { host, hello } = frame();
  const told: LoaderMessage[] = [];
  const { heard, port1 } = hello("https://shop.example");
  host.post({ type: "threadCreated", uuid: "t" });
  host.onMessage((message) => told.push(message));
  host.allow(["shop.example"]);
  await vi.waitFor(() =>
    expect(heard).toEqual([{ type: "initialized" }, { type: "threadCreated", uuid: "t" }]),
  );
  port1.postMessage({ type: "closed" });
  await vi.waitFor(() => expect(told).toEqual([{ type: "identify", jwt: "jwt" }, { type: "closed" }]));
});

test("a hello from a foreign origin or another window is not answered", async () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  vi.useFakeTimers();
  const { host, parent, hello } = frame("https://evil.example/page");
  const foreign = hello("https://evil.example");
  const other = hello("https://shop.example", {});
  host.allow(["shop.example"]);
  host.post({ type: "btnClosed" });
  await vi.runAllTimersAsync();
  expect([...foreign.heard, ...other.heard]).toEqual([]);
  expect(parent.postMessage).not.toHaveBeenCalled();
  expect(warn).toHaveBeenCalledOnce();
});

test("without a loader the referrer's origin is told, if it is allowed", async () => {
  vi.useFakeTimers();
  const { host, parent } = frame("https://shop.example/page?x=1");
  host.allow(["shop.example"]);
  await vi.runAllTimersAsync();
  expect(parent.postMessage).toHaveBeenCalledExactlyOnceWith({ type: "initialized" }, "https://shop.example");
});

test.each([
  ["https://shop.example", ["shop.example"], true],
  ["https://shop.example", ["SHOP.example:443"], true],
  ["https://shop.example:8443", ["shop.example"], false],
  ["http://shop.localhost:7400", ["shop.localhost:7400"], true],
  ["https://a.b.shop.example", ["*.shop.example"], true],
  ["https://shop.example", ["*.shop.example"], false],
  ["https://evilshop.example", ["*.shop.example"], false],
  ["https://xn--mnchen-3ya.example", ["münchen.example"], true],
  ["null", ["shop.example"], false],
  ["https://any.example", [], true],
])("%s against %j is %s", (origin, allowed, expected) => {
  expect(isAllowedOrigin(origin, allowed)).toBe(expected);
});
