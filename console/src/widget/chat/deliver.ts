import { Problem, problemFromError } from "../../api/problem";
import type { SentMessage } from "../../api/types";
import type { Unsent } from "../boot/storage";
import { changed, type Entry, newEntry, sameMessage, sorted, textOf } from "./entry";
import { createLeadOfClaims } from "./lead";
import type { ChatContext } from "./state";

/** Messages kept for redelivery at most. */
const UNSENT_MAX = 5;

/** A message whose fate is unknown for longer is put back into the box instead of being sent by itself. */
const UNSENT_AGE_MAX_MS = 10 * 60_000;

export interface Deliverer {
  /** Shows the message and sends it; a failure stays in its bubble. */
  send(text: string): Promise<void>;
  /** Sends a failed message again, with the same key. */
  retry(id: string): Promise<void>;
  /** Takes a failed message back into the box. */
  takeBack(id: string): void;
  /** Takes up what an earlier page of the shop had begun to send. */
  resume(): Promise<void>;
}

export function createDeliverer(context: ChatContext, onAccepted: () => void): Deliverer {
  const { store, api, storage, config, agent } = context;
  // What a bubble stands for, by its id, until the server has it.
  const waiting = new Map<string, Unsent>();

  async function send(text: string): Promise<void> {
    await show({
      idempotencyKey: crypto.randomUUID(),
      at: Date.now(),
      body: {
        thread_uuid: store.get().threadUuid ?? "",
        agent_namespace: agent,
        messages: [{ type: "text", text: { value: text.trim() } }],
        ...customer(store.get().claims.customerId),
      },
    });
  }

  async function show(unsent: Unsent): Promise<void> {
    const id = unsent.idempotencyKey;
    const text = textOf(unsent.body.messages);
    const entry = newEntry({ id, role: "human", text, status: "sending", createdAt: unsent.at });
    store.set({ entries: [...store.get().entries, entry] });
    waiting.set(id, unsent);
    await deliver(id);
  }

  async function deliver(id: string): Promise<void> {
    const placeholder = newEntry({
      id: `${id}-answer`,
      role: "ai",
      text: "",
      status: "pending",
      log: "thinking",
      createdAt: Date.now(),
    });
    const { entries } = store.get();
    store.set({ entries: [...changed(entries, id, { status: "sending", problem: null }), placeholder] });
    try {
      accepted(id, placeholder.id, await post(id));
    } catch (error) {
      refused(id, placeholder.id, problemFromError(error));
    }
  }

  async function post(id: string): Promise<SentMessage> {
    try {
      return await api.sendMessage(await addressed(id), waiting.get(id)?.idempotencyKey ?? id);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "thread_not_found") throw error;
    }
    // The thread has gone (erased, or another visitor's): the message starts a new one. Nothing was stored under
    // the old key, and the body is another one, so it gets a key of its own.
    forgetThread();
    const unsent = waiting.get(id);
    if (unsent) waiting.set(id, { ...unsent, idempotencyKey: crypto.randomUUID() });
    return api.sendMessage(await addressed(id), waiting.get(id)?.idempotencyKey ?? id);
  }

  /** The body with the thread it belongs to, kept so that the next page can deliver it if this one cannot. */
  async function addressed(id: string) {
    const threadUuid = await ensureThread();
    const unsent = waiting.get(id);
    if (!unsent) throw new Problem("internal");
    const body = { ...unsent.body, thread_uuid: threadUuid };
    waiting.set(id, { ...unsent, body });
    remember();
    return body;
  }

  async function ensureThread(): Promise<string> {
    const { threadUuid, claims } = store.get();
    if (threadUuid) {
      storage.threadUuid.write(threadUuid);
      return threadUuid;
    }
    store.set({ creatingThread: true });
    try {
      const leadId = store.get().leadId ?? (await createLeadOfClaims(context, claims));
      const thread = await api.createThread({
        agent_namespace: agent,
        api_key: config.key,
        ...(leadId ? { lead_id: leadId } : {}),
      });
      storage.threadUuid.write(thread.uuid);
      store.set({ threadUuid: thread.uuid, threadState: thread.state });
      context.onThreadCreated(thread.uuid);
      return thread.uuid;
    } finally {
      store.set({ creatingThread: false });
    }
  }

  function accepted(id: string, placeholderId: string, sent: SentMessage): void {
    waiting.delete(id);
    remember();
    const answered = sent.content.length > 0;
    const isExpected = answered || sent.state === "bot";
    const entries = store.get().entries.flatMap((entry): Entry[] => {
      if (entry.id === id) {
        return [{ ...entry, status: "done", uuid: sent.question_uuid, sequence: sent.question_sequence }];
      }
      // The stream may have told of the question before this call returned.
      if (entry.uuid === sent.question_uuid) return [];
      if (entry.id !== placeholderId) return [entry];
      if (!isExpected || hasOther(placeholderId, sent)) return [];
      const known: Entry = { ...entry, uuid: sent.uuid, sequence: sent.sequence };
      return [answered && known.status === "pending" ? { ...known, ...answerFields(sent) } : known];
    });
    store.set({ entries: sorted(entries), threadState: sent.is_closing ? "closed" : sent.state });
    onAccepted();
  }

  /** Messages sent in one breath are answered by one answer; only one bubble may wait for it. */
  function hasOther(placeholderId: string, { uuid, sequence }: SentMessage): boolean {
    const others = store.get().entries.filter((entry) => entry.id !== placeholderId);
    return sameMessage(others, { uuid, sequence, role: "ai" }) !== undefined;
  }

  function refused(id: string, placeholderId: string, problem: Problem): void {
    const entries = store.get().entries.filter((entry) => entry.id !== placeholderId || entry.uuid !== null);
    if (problem.code === "lead_not_found" || problem.errors.lead_id) {
      storage.leadId.write(null);
      store.set({ leadId: null, leadForm: "required" });
    }
    store.set({ entries: changed(entries, id, { status: "failed", problem }) });
    // The form stands where the box was: the text waits there until it has been filled in.
    if (store.get().leadForm === "required") takeBack(id);
  }

  function takeBack(id: string): void {
    const { entries, draft } = store.get();
    const text = entries.find((entry) => entry.id === id)?.text ?? "";
    waiting.delete(id);
    store.set({
      entries: entries.filter((entry) => entry.id !== id),
      draft: [text, draft].filter(Boolean).join("\n"),
    });
    remember();
  }

  function forgetThread(): void {
    storage.threadUuid.write(null);
    store.set({ threadUuid: null, threadState: "bot" });
  }

  function remember(): void {
    const { draft } = store.get();
    const unsent = [...waiting.values()].slice(-UNSENT_MAX);
    storage.draft.write(draft || unsent.length > 0 ? { text: draft, unsent } : null);
  }

  async function resume(): Promise<void> {
    const unsent = storage.draft.read()?.unsent ?? [];
    const recent = unsent.filter((each) => Date.now() - each.at < UNSENT_AGE_MAX_MS);
    const old = unsent.filter((each) => !recent.includes(each)).map((each) => textOf(each.body.messages));
    if (old.length > 0) store.set({ draft: [...old, store.get().draft].filter(Boolean).join("\n") });
    for (const each of recent) await show(each);
  }

  return {
    send,
    async retry(id) {
      const { entries } = store.get();
      const entry = entries.find((each) => each.id === id && each.status === "failed");
      if (!entry) return;
      // It is said now, so it stands below what was said in between.
      store.set({ entries: [...entries.filter((each) => each !== entry), entry] });
      await deliver(id);
    },
    takeBack,
    resume,
  };
}

function customer(customerId: string | null): { customer_id?: string } {
  return customerId ? { customer_id: customerId } : {};
}

function answerFields(sent: SentMessage): Partial<Entry> {
  return {
    text: textOf(sent.content),
    status: "done",
    log: null,
    sources: sent.sources,
    refused: sent.refused,
    unanswered: sent.failed,
  };
}
