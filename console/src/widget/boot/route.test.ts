import { expect, test } from "vitest";
import { claimsOfToken } from "./claims";
import { parseRoute, withoutClaims } from "./route";

const at = (path: string) => new URL(path, "https://widget.example");

test.each([
  ["/iframe/pk_1", "pk_1", null],
  ["/iframe/pk_1/t-1", "pk_1", "t-1"],
  ["/iframe/pk_1?thread_uuid=t-2", "pk_1", "t-2"],
  ["/chatbot-iframe?api_key=pk_1", "pk_1", null],
])("%s", (path, apiKey, threadUuid) => {
  expect(parseRoute(at(path))).toMatchObject({ apiKey, threadUuid });
});

test.each(["/", "/iframe", "/iframe/", "/chatbot-iframe", "/other/pk_1"])("%s is no chat", (path) => {
  expect(parseRoute(at(path))).toBeNull();
});

test("personal data is read, then leaves the address", () => {
  const url = at(
    "/iframe/pk_1?agent=customer_support&customer_id=7&customer_name=Anna&customer_email=a@b.nl&customer_phone=1",
  );
  expect(parseRoute(url)).toMatchObject({
    agent: "customer_support",
    claims: { customerId: "7", name: "Anna", email: "a@b.nl", phone: "1" },
  });
  expect(withoutClaims(url)).toBe("https://widget.example/iframe/pk_1?agent=customer_support");
  expect(withoutClaims(at("/iframe/pk_1?agent=x"))).toBeNull();
});

test("a token's claims are read, an unreadable one claims nothing", () => {
  const payload = btoa(JSON.stringify({ sub: "7", email: "a@b.nl", name: 5 })).replace(/=+$/, "");
  expect(claimsOfToken(`x.${payload}.y`)).toEqual({
    customerId: "7",
    name: null,
    email: "a@b.nl",
    phone: null,
  });
  expect(claimsOfToken("nonsense").customerId).toBeNull();
});
