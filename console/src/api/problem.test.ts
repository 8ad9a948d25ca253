import { expect, test } from "vitest";
import { problemFromResponse, retryAt } from "./problem";

test("Retry-After as seconds, as a date, and as nonsense", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");
  expect(retryAt("30", now)).toBe(now + 30_000);
  expect(retryAt("Thu, 01 Jan 2026 00:01:00 GMT", now)).toBe(now + 60_000);
  expect(retryAt("soon", now)).toBeNull();
  expect(retryAt(null, now)).toBeNull();
});

test("a proxy's error page is a problem too", async () => {
  const problem = await problemFromResponse(new Response("<h1>Bad gateway</h1>", { status: 502 }));
  expect(problem).toMatchObject({ code: "starting", status: 502, errors: {} });
});
