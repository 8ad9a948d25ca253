import { problemFromError } from "../../api/problem";
import type { Claims } from "../boot/route";
import { createDeliverer } from "./deliver";
import { merged, pendingAnswers, pendingEntry } from "./entry";
import { createFollower, PAGE_LENGTH } from "./follow";
import { type LeadValues, submitLead } from "./lead";
import { type ChatContext, type ChatState, leadFormFor, sendBlock } from "./state";
import type { Store } from "./store";

/** One visitor's conversation: its state and everything a shopper can do. */
export interface Chat {
  store: Store<ChatState>;
  /** Takes up the conversation the browser or the address names; again after it failed. */
  start(): Promise<void>;
  /** True when the text was taken; it is then out of the box. */
  send(text: string): boolean;
  retry(id: string): void;
  takeBack(id: string): void;
  setDraft(text: string): void;
  submitLead(values: LeadValues): Promise<boolean>;
  showLeadForm(shown: boolean): void;
  loadEarlier(): Promise<void>;
  /** Tries a broken connection again now. */
  reconnect(): void;
  newConversation(): void;
  setOpen(open: boolean): void;
  /** Takes what the shop says about the visitor: it prefills the lead form. */
  claim(claims: Claims): void;
}

export function initialState(
  claims: Claims,
  draft: string,
  leadId: string | null,
  threadUuid: string | null,
): ChatState {
  return {
    entries: [],
    threadUuid,
    threadState: "bot",
    creatingThread: false,
    restoring: threadUuid !== null,
    restoreProblem: null,
    connection: "idle",
    earlierCursor: null,
    draft,
    leadId,
    leadForm: "hidden",
    leadProblem: null,
    claims,
    open: true,
    unread: 0,
  };
}

export function createChat(context: ChatContext): Chat {
  const { store, api, storage, config } = context;
  const follower = createFollower(context);
  const deliverer = createDeliverer(context, follower.follow);
  let isLoadingEarlier = false;

  async function start(): Promise<void> {
    const { threadUuid } = store.get();
    if (threadUuid) await restore(threadUuid);
    store.set({ restoring: false, leadForm: leadFormFor(config, store.get()) });
    follower.follow();
    await deliverer.resume();
  }

  async function restore(threadUuid: string): Promise<void> {
    store.set({ restoring: true, restoreProblem: null });
    try {
      const { data, meta } = await api.listMessages({ threadUuid, limit: PAGE_LENGTH });
      store.set({
        entries: merged(store.get().entries, data),
        threadState: meta.state,
        earlierCursor: meta.next_cursor,
      });
      expectPending(meta.pending);
    } catch (error) {
      const problem = problemFromError(error);
      console.warn(`[vitrine] failed to load the conversation: ${problem.code}`);
      if (problem.code !== "thread_not_found") {
        store.set({ restoreProblem: problem });
        return;
      }
      // Another visitor's thread, or one that was erased: it is as absent as one that never existed.
      if (storage.threadUuid.read() === threadUuid) storage.threadUuid.write(null);
      store.set({ threadUuid: null });
    }
  }

  /** Shows that an answer is being written, in case the list does not carry it yet. */
  function expectPending(sequence: number | null): void {
    const { entries } = store.get();
    if (sequence === null || pendingAnswers(entries).some((entry) => entry.sequence === sequence)) return;
    store.set({ entries: [...entries, pendingEntry(sequence)] });
  }

  function send(text: string): boolean {
    if (sendBlock(store.get(), config, text) !== null) return false;
    store.set({ draft: "" });
    void deliverer.send(text);
    return true;
  }

  async function loadEarlier(): Promise<void> {
    const { threadUuid, earlierCursor } = store.get();
    if (!threadUuid || !earlierCursor || isLoadingEarlier) return;
    isLoadingEarlier = true;
    try {
      const { data, meta } = await api.listMessages({
        threadUuid,
        limit: PAGE_LENGTH,
        cursor: earlierCursor,
      });
      if (store.get().threadUuid !== threadUuid) return;
      store.set({ entries: merged(store.get().entries, data), earlierCursor: meta.next_cursor });
    } catch (error) {
      console.warn(`[vitrine] failed to load earlier messages: ${problemFromError(error).code}`);
    } finally {
      isLoadingEarlier = false;
    }
  }

  function newConversation(): void {
    follower.stop();
    storage.threadUuid.write(null);
    const { claims, draft, leadId, open } = store.get();
    store.set({ ...initialState(claims, draft, leadId, null), open });
    store.set({ leadForm: leadFormFor(config, store.get()) });
  }

  return {
    store,
    start,
    send,
    retry: (id) => void deliverer.retry(id),
    takeBack: deliverer.takeBack,
    setDraft(draft) {
      store.set({ draft });
      const unsent = storage.draft.read()?.unsent ?? [];
      storage.draft.write(draft || unsent.length > 0 ? { text: draft, unsent } : null);
    },
    submitLead: (values) => submitLead(context, values),
    showLeadForm: (shown) => store.set({ leadForm: shown ? "offered" : "hidden", leadProblem: null }),
    loadEarlier,
    reconnect: follower.wake,
    newConversation,
    setOpen(open) {
      store.set({ open, unread: open ? 0 : store.get().unread });
      if (open) context.onUnread(0);
    },
    claim(claims) {
      store.set({ claims });
      if (store.get().leadForm === "required") store.set({ leadForm: leadFormFor(config, store.get()) });
    },
  };
}
