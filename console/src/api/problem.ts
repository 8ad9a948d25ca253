import type { ProblemBody, ProblemCode } from "./types";

/** What went wrong before the server could say. */
type LocalCode = "network" | "timeout" | "unreadable";

/** A call that did not succeed. `code` is the server's, or one of ours: `network`, `timeout`, `unreadable`. */
export class Problem extends Error {
  readonly code: ProblemCode | LocalCode;
  readonly status: number;
  /** What is allowed, by field; empty unless the server refused single fields. */
  readonly errors: Record<string, string[]>;
  /** Moment (ms since 1970) before which a repeat is pointless, or null. */
  readonly retryAt: number | null;

  constructor(
    code: ProblemCode | LocalCode,
    options: {
      status?: number;
      errors?: Record<string, string[]>;
      retryAt?: number | null;
      cause?: unknown;
    } = {},
  ) {
    super(code, { cause: options.cause });
    this.name = "Problem";
    this.code = code;
    this.status = options.status ?? 0;
    this.errors = options.errors ?? {};
    this.retryAt = options.retryAt ?? null;
  }
}

/** The problem a response describes. A body that is not ours (a proxy's error page) still gives one. */
export async function problemFromResponse(response: Response): Promise<Problem> {
  const body = (await response.json().catch(() => ({}))) as Partial<ProblemBody>;
  return new Problem(typeof body.code === "string" ? body.code : codeFromStatus(response.status), {
    status: response.status,
    errors: body.errors ?? {},
    retryAt: retryAt(response.headers.get("Retry-After"), Date.now()),
  });
}

/** The problem behind a rejected `fetch`. */
export function problemFromError(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const name = error instanceof Error ? error.name : "";
  return new Problem(name === "TimeoutError" ? "timeout" : "network", { cause: error });
}

/** Reads `Retry-After`, which is a number of seconds or an HTTP date. */
export function retryAt(header: string | null, now: number): number | null {
  if (!header) return null;
  const seconds = Number(header);
  const at = Number.isFinite(seconds) ? now + seconds * 1000 : Date.parse(header);
  return Number.isNaN(at) || at <= now ? null : at;
}

function codeFromStatus(status: number): ProblemCode {
  if (status === 429) return "rate_limited";
  if (status === 401) return "token_invalid";
  if (status === 404) return "not_found";
  if (status === 502 || status === 503 || status === 504) return "starting";
  return "internal";
}
