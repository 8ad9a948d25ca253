import { Problem, problemFromError, problemFromResponse } from "./problem";

/** A call that got no answer in this time failed. Streams are not bound by it. */
const REQUEST_TIMEOUT_MS = 20_000;

/** The part of `fetch` we use; tests pass the mock server instead. */
export type Fetch = (input: string, init?: RequestInit) => Promise<Response>;

export interface Call {
  method?: "GET" | "POST";
  path: string;
  token?: string | null;
  headers?: Record<string, string>;
  body?: unknown;
}

/** Sends one JSON call and gives the body of its answer. Throws a `Problem`. */
export async function callJson<Body>(fetch: Fetch, call: Call): Promise<Body> {
  const response = await send(fetch, call, AbortSignal.timeout(REQUEST_TIMEOUT_MS));
  try {
    return (await response.json()) as Body;
  } catch (error) {
    throw new Problem("unreadable", { status: response.status, cause: error });
  }
}

/** Sends one call and gives the successful response with its body unread. Throws a `Problem`. */
export async function send(fetch: Fetch, call: Call, signal: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = { Accept: "application/json", ...call.headers };
  if (call.token) headers.Authorization = `Bearer ${call.token}`;
  const init: RequestInit = {
    method: call.method ?? "GET",
    headers,
    signal,
    credentials: "omit",
    cache: "no-store",
  };
  if (call.body !== undefined) {
    headers["Content-Type"] = "application/json";
    init.body = JSON.stringify(call.body);
  }
  let response: Response;
  try {
    response = await fetch(call.path, init);
  } catch (error) {
    throw problemFromError(error);
  }
  if (!response.ok) throw await problemFromResponse(response);
  return response;
}
