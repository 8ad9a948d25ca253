import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import type { MockApi } from "./api.ts";
import { mockLauncher } from "./data.ts";
import { finish, frame, send, type Thread, writeOn } from "./thread.ts";

const DIST = fileURLToPath(new URL("../dist/", import.meta.url));
const TYPES: Record<string, string> = {
  js: "text/javascript",
  css: "text/css",
  html: "text/html; charset=utf-8",
};

export interface MockServer {
  port: number;
  /** Every request, as `host path`. */
  log: string[];
  close(): Promise<void>;
}

/** Writes an open answer as a model would: a pause, then word by word. */
export function writeOnClock(thread: Thread, stepMs: number): void {
  const step = () => {
    if (!thread.turn) return;
    if (thread.turn.written === thread.turn.text.length) return finish(thread);
    if (thread.turn.written === 0) send(thread, frame("log", { level: "info", text: "searching" }));
    writeOn(thread, 6);
    setTimeout(step, stepMs);
  };
  setTimeout(step, stepMs * 10);
}

/**
 * Serves the built widget as the platform does, on `widget.localhost`, and a shop page that embeds it on any other
 * host name. A path ending in `strict` gets a shop's strict Content-Security-Policy.
 */
export async function serveMock(api: MockApi, port = 0): Promise<MockServer> {
  const log: string[] = [];
  const server: Server = createServer((request, response) => {
    log.push(`${request.headers.host?.split(":")[0]} ${request.url}`);
    answer(request, response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const actual = (server.address() as AddressInfo).port;
  api.config.allowed_domains = [`shop.localhost:${actual}`];
  const widgetOrigin = `http://widget.localhost:${actual}`;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", widgetOrigin);
    if (!request.headers.host?.startsWith("widget.")) return shopPage(url, response);
    if (url.pathname.startsWith("/w/")) {
      const loader = await readFile(`${DIST}loader.js`, "utf8");
      const config = JSON.stringify(mockLauncher(widgetOrigin, api.config, api.pages)).replace(
        /</g,
        "\\u003c",
      );
      response.writeHead(200, { "Content-Type": "text/javascript" });
      response.end(loader.replace('"__VITRINE_LAUNCHER__"', () => config));
    } else if (/^\/(iframe\/|chatbot-iframe)/.test(url.pathname)) {
      const html = await readFile(`${DIST}widget.html`, "utf8");
      const session = JSON.stringify({ key: api.config.key });
      response.writeHead(200, {
        "Content-Type": TYPES.html,
        "Cache-Control": "no-store",
        "Referrer-Policy": "strict-origin-when-cross-origin",
        "Content-Security-Policy": `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors http://shop.localhost:${actual}`,
      });
      response.end(html.replace('"application/json">{}', () => `"application/json">${session}`));
    } else if (url.pathname.startsWith("/assets/")) {
      const type = TYPES[url.pathname.split(".").at(-1) ?? ""] ?? "application/octet-stream";
      response.writeHead(200, {
        "Content-Type": type,
        "Cache-Control": "public, max-age=31536000, immutable",
      });
      response.end(await readFile(DIST + url.pathname.slice(1)));
    } else await apiCall(url, request, response);
  }

  async function apiCall(url: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = Object.entries(request.headers).map(
      ([name, value]) => [name, String(value)] as [string, string],
    );
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const init: RequestInit = { method: request.method ?? "GET", headers, signal: gone.signal };
    if (chunks.length > 0) init.body = Buffer.concat(chunks).toString();
    const result = await api.fetch(url.pathname + url.search, init);
    response.writeHead(result.status, Object.fromEntries(result.headers));
    try {
      for await (const chunk of result.body ?? []) response.write(chunk);
    } catch {
      // The reader has gone.
    }
    response.end();
  }

  function shopPage(url: URL, response: ServerResponse): void {
    const headers: Record<string, string> = { "Content-Type": String(TYPES.html) };
    if (url.pathname.endsWith("strict")) {
      headers["Content-Security-Policy"] =
        `default-src 'none'; script-src ${widgetOrigin}; frame-src ${widgetOrigin}; require-trusted-types-for 'script'`;
    }
    const script = `<script async src="${widgetOrigin}/w/${api.config.key}.js"></script>`;
    response.writeHead(200, headers);
    response.end(`<!doctype html><html lang="${api.config.language}"><head><meta charset="utf-8"><title>Shop</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">${script}</head>
<body><h1>Shop</h1><p>${"A quiet shop with bicycles. ".repeat(60)}</p><a href="/other">Other page</a>
<a href="/strict">Strict</a>${url.pathname.endsWith("twice") ? script : ""}</body></html>`);
  }

  return {
    port: actual,
    log,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
