import { createRoot } from "react-dom/client";
import { connectHost } from "./boot/host";
import { parseRoute, withoutClaims } from "./boot/route";
import { readSession } from "./boot/session";
import { createVisitorStorage } from "./boot/storage";
import { App } from "./components/App";
import "./theme/tokens.css";
import "./theme/base.css";
import "./theme/layout.css";
import "./theme/messages.css";
import "./theme/forms.css";
import { followViewport } from "./theme/viewport";

// First of all: the loader says hello as soon as the frame has loaded.
const host = connectHost(window);
const url = new URL(location.href);
const session = readSession(document);
const route = parseRoute(url);
const container = document.getElementById("root");

if (!host.embedded) {
  document.documentElement.classList.add("standalone");
  followViewport(window);
}
if (route && container) {
  const clean = withoutClaims(url);
  if (clean) history.replaceState(history.state, "", clean);
  const apiKey = session.key ?? route.apiKey;
  const environment = {
    fetch: (input: string, init?: RequestInit) => fetch(input, init),
    host,
    route: { ...route, apiKey },
    session,
    storage: createVisitorStorage(apiKey, () => localStorage),
  };
  container.replaceChildren();
  createRoot(container).render(<App environment={environment} />);
}
