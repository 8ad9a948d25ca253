//! One thread, its database, its hub and one reader.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use futures::FutureExt;
use futures::future::BoxFuture;
use jiff::Timestamp;
use proptest::sample::Index;
use uuid::Uuid;
use vitrine_database::StoreError;
use vitrine_domain::{
    Answer, AttemptId, MerchantId, Role, ThreadEvent, ThreadEventBody, ThreadId, ThreadState, TurnId, TurnState,
};

use crate::hub::{Hub, HubSettings, LastAnswer, StoredThreads, ThreadNow, ThreadOf, ThreadStream};
use crate::store::messages::{MESSAGES_AFTER_MAX, StoredMessage};
use crate::store::turns::{OpenTurn, OpenTurns};

const OF: ThreadOf = ThreadOf {
    merchant: MerchantId::new(Uuid::from_u128(1)),
    thread: ThreadId::new(Uuid::from_u128(2)),
    visitor: vitrine_domain::VisitorId::new(Uuid::from_u128(3)),
};

/// How one turn goes.
#[derive(Clone, Debug)]
pub struct TurnPlan {
    /// Size of the pieces, and after how many events the attempt is killed.
    pub attempts: Vec<(usize, usize)>,
    /// The attempt that is stored; without one the turn failed.
    pub stored: Option<usize>,
    /// How the attempts interleave; now and then an event is lost or comes twice.
    pub order: Vec<(Index, u8)>,
    /// The next question comes before this answer is stored.
    pub asks_early: bool,
}

/// What happens to the thread.
#[derive(Clone, Debug)]
pub enum Step {
    Ask(usize),
    Dispatch(usize),
    Publish(usize, ThreadEventBody),
    Store(usize, Option<usize>),
}

/// What happens to the reader and the hub.
#[derive(Clone, Copy, Debug)]
pub enum Action {
    Nothing,
    /// The reader takes one chunk.
    Read,
    Connect,
    Disconnect,
    /// Another process takes over, which reads the events from somewhere on.
    Restart(Index),
    CatchUp,
    /// The hub forgets the thread.
    Evict,
}

/// What an attempt says; every one something else, in several scripts.
fn said(turn: usize, attempt: usize) -> String {
    let texts = ["De fiets staat klaar. ✓ Tot zo!", "فردا می‌رسد، ان‌شاءالله 🚚 تمام", "Ready on Friday — 24 h."];
    format!("{turn}: {}", texts[attempt])
}

fn failure(turn: usize) -> String {
    format!("{turn}! not answered")
}

fn turn_id(turn: usize) -> TurnId {
    Uuid::from_u128(100 + turn as u128).into()
}

fn attempt_id(turn: usize, attempt: usize) -> AttemptId {
    Uuid::from_u128(1_000 + 10 * turn as u128 + attempt as u128).into()
}

/// All steps of all turns, in order.
pub fn script(plans: &[TurnPlan]) -> Vec<Step> {
    let mut steps = vec![Step::Ask(0)];
    for (turn, plan) in plans.iter().enumerate() {
        let has_next = turn + 1 < plans.len();
        let stored = plan.stored.filter(|attempt| *attempt < plan.attempts.len());
        steps.push(Step::Dispatch(turn));
        let events = interleaved(turn, plan);
        let middle = events.len() / 2;
        for (index, event) in events.into_iter().enumerate() {
            if has_next && plan.asks_early && index == middle {
                steps.push(Step::Ask(turn + 1));
            }
            steps.push(Step::Publish(turn, event));
        }
        steps.push(Step::Store(turn, stored));
        let attempt = stored.map(|attempt| attempt_id(turn, attempt));
        let told = ThreadEventBody::Stored { attempt, is_closing: false, state: ThreadState::Bot };
        steps.push(Step::Publish(turn, told));
        if has_next
            && (!plan.asks_early || !steps.iter().any(|step| matches!(step, Step::Ask(next) if *next == turn + 1)))
        {
            steps.push(Step::Ask(turn + 1));
        }
    }
    steps
}

fn interleaved(turn: usize, plan: &TurnPlan) -> Vec<ThreadEventBody> {
    let mut queues: Vec<VecDeque<ThreadEventBody>> = plan
        .attempts
        .iter()
        .enumerate()
        .map(|(attempt, (size, cut))| events(turn, attempt, *size).into_iter().take(cut + 1).collect())
        .collect();
    let mut history = Vec::new();
    for (choice, luck) in plan.order.iter().cycle() {
        let open: Vec<usize> = (0..queues.len()).filter(|queue| !queues[*queue].is_empty()).collect();
        if open.is_empty() {
            break;
        }
        let Some(event) = queues[open[choice.index(open.len())]].pop_front() else { continue };
        match luck {
            0 => {}
            1 => history.extend([event.clone(), event]),
            _ => history.push(event),
        }
    }
    history
}

fn events(turn: usize, number: usize, size: usize) -> Vec<ThreadEventBody> {
    let attempt = attempt_id(turn, number);
    let characters: Vec<char> = said(turn, number).chars().collect();
    let pieces = characters.chunks(size).enumerate().map(|(index, piece)| ThreadEventBody::Message {
        attempt,
        at: index * size,
        text: piece.iter().collect(),
    });
    let answer = Answer { text: said(turn, number), ..Answer::default() };
    std::iter::once(ThreadEventBody::Started { attempt, dispatch: 1 })
        .chain(pieces)
        .chain([ThreadEventBody::End { attempt, dispatch: 1, answer }])
        .collect()
}

#[derive(Default)]
struct Rows {
    messages: Vec<StoredMessage>,
    last_sequence: i64,
    open: OpenTurns,
    answer_sequences: BTreeMap<usize, i64>,
}

#[derive(Default)]
struct Database(Mutex<Rows>);

impl StoredThreads for Database {
    fn thread(&self, _: ThreadOf, after: Option<i64>) -> BoxFuture<'_, Result<Option<ThreadNow>, StoreError>> {
        let rows = self.0.lock().unwrap();
        let messages = match after {
            Some(after) => {
                rows.messages.iter().filter(|m| m.sequence > after).take(MESSAGES_AFTER_MAX).cloned().collect()
            }
            None => Vec::new(),
        };
        let last_answer = rows
            .messages
            .iter()
            .rev()
            .find(|message| message.role == Role::Ai)
            .map(|answer| LastAnswer { message: answer.message, sequence: answer.sequence, is_closing: false });
        let now = ThreadNow {
            state: ThreadState::Bot,
            last_sequence: rows.last_sequence,
            open: rows.open.clone(),
            messages,
            last_answer,
        };
        std::future::ready(Ok(Some(now))).boxed()
    }

    fn answer(&self, _: MerchantId, turn: TurnId) -> BoxFuture<'_, Result<Option<StoredMessage>, StoreError>> {
        let rows = self.0.lock().unwrap();
        let answer = rows.messages.iter().find(|m| m.turn == Some(turn) && m.role == Role::Ai).cloned();
        std::future::ready(Ok(answer)).boxed()
    }

    fn has_open_turn(&self, _: MerchantId, _: ThreadId) -> BoxFuture<'_, Result<bool, StoreError>> {
        let rows = self.0.lock().unwrap();
        let has = rows.open.dispatched.is_some() || rows.open.queued.is_some();
        std::future::ready(Ok(has)).boxed()
    }
}

pub struct World {
    database: Arc<Database>,
    hub: Hub,
    /// Everything that was published.
    published: Vec<ThreadEvent>,
    /// What a process that is catching up has still to read.
    unread: Option<VecDeque<ThreadEvent>>,
    stream: Option<ThreadStream>,
    reader: Reader,
}

/// What the browser has.
#[derive(Default)]
struct Reader {
    texts: BTreeMap<i64, String>,
    stored: BTreeMap<i64, String>,
    last: Option<String>,
}

impl World {
    pub fn new() -> Self {
        let database = Arc::new(Database::default());
        let hub = Hub::new(Arc::clone(&database) as Arc<dyn StoredThreads>, settings());
        hub.caught_up();
        // The first question is the reader's own; everything after it is to be told.
        let reader = Reader { last: Some("1.stored.0".to_owned()), ..Reader::default() };
        Self { database, hub, published: Vec::new(), unread: None, stream: None, reader }
    }

    pub fn step(&mut self, step: Step) {
        match step {
            Step::Ask(turn) => self.ask(turn),
            Step::Dispatch(turn) => self.dispatch(turn),
            Step::Publish(turn, body) => self.publish(turn, body),
            Step::Store(turn, attempt) => self.store(turn, attempt),
        }
    }

    pub async fn act(&mut self, action: Action) {
        match action {
            Action::Nothing => {}
            Action::Read => self.read(),
            Action::Connect => self.connect().await,
            Action::Disconnect => self.stream = None,
            Action::Restart(from) => self.restart(from),
            Action::CatchUp => self.catch_up(),
            Action::Evict => {
                let other = ThreadId::new(Uuid::from_u128(99));
                let started = ThreadEventBody::Started { attempt: attempt_id(9, 9), dispatch: 1 };
                self.hub.take(
                    OF.merchant,
                    ThreadEvent { thread: other, turn: turn_id(9), answer_sequence: 1, body: started },
                );
            }
        }
        // Lets the hub's own tasks run.
        for _ in 0..4 {
            tokio::task::yield_now().await;
        }
    }

    /// Everything has been stored: whoever comes back often enough has it all.
    pub async fn finish(mut self) {
        self.catch_up();
        for _ in 0..50 {
            self.connect().await;
            while self.stream.is_some() {
                self.act(Action::Nothing).await;
                let had = self.reader.last.clone();
                self.read();
                if self.stream.is_some() && self.reader.last == had {
                    // Nothing more to read and not ended: the browser gives up and comes back.
                    self.stream = None;
                }
            }
        }
        let rows = self.database.0.lock().unwrap();
        let truth: BTreeMap<i64, String> =
            rows.messages.iter().skip(1).map(|message| (message.sequence, message.text.clone())).collect();
        assert_eq!(self.reader.stored, truth);
        assert_eq!(self.reader.texts, truth);
    }

    fn ask(&mut self, turn: usize) {
        let mut rows = self.database.0.lock().unwrap();
        rows.last_sequence += 1;
        let sequence = rows.last_sequence;
        rows.messages.push(message(turn, sequence, Role::Human, format!("question {turn}")));
        rows.open.queued = Some(OpenTurn { turn: turn_id(turn), state: TurnState::Queued, answer_sequence: None });
    }

    fn dispatch(&mut self, turn: usize) {
        let mut rows = self.database.0.lock().unwrap();
        rows.last_sequence += 1;
        let sequence = rows.last_sequence;
        rows.answer_sequences.insert(turn, sequence);
        rows.open.queued = None;
        rows.open.dispatched =
            Some(OpenTurn { turn: turn_id(turn), state: TurnState::Dispatched, answer_sequence: Some(sequence) });
    }

    fn publish(&mut self, turn: usize, body: ThreadEventBody) {
        let answer_sequence = self.database.0.lock().unwrap().answer_sequences[&turn];
        let event = ThreadEvent { thread: OF.thread, turn: turn_id(turn), answer_sequence, body };
        self.published.push(event.clone());
        match &mut self.unread {
            Some(unread) => unread.push_back(event),
            None => self.hub.take(OF.merchant, event),
        }
    }

    fn store(&mut self, turn: usize, attempt: Option<usize>) {
        let mut rows = self.database.0.lock().unwrap();
        let sequence = rows.answer_sequences[&turn];
        let text = attempt.map_or_else(|| failure(turn), |attempt| said(turn, attempt));
        rows.messages.push(message(turn, sequence, Role::Ai, text));
        rows.messages.sort_by_key(|message| message.sequence);
        rows.open.dispatched = None;
    }

    fn restart(&mut self, from: Index) {
        self.hub.close();
        self.hub = Hub::new(Arc::clone(&self.database) as Arc<dyn StoredThreads>, settings());
        let from = if self.published.is_empty() { 0 } else { from.index(self.published.len()) };
        self.unread = Some(self.published[from..].iter().cloned().collect());
    }

    fn catch_up(&mut self) {
        for event in self.unread.take().into_iter().flatten() {
            self.hub.take(OF.merchant, event);
        }
        self.hub.caught_up();
    }

    async fn connect(&mut self) {
        if self.stream.is_none() {
            let last = self.reader.last.as_deref().map(|last| last.parse().unwrap());
            self.stream = ThreadStream::open(&self.hub, OF, last).await.unwrap();
        }
    }

    fn read(&mut self) {
        let Some(stream) = &mut self.stream else { return };
        match stream.next().now_or_never() {
            None => {}
            Some(None) => self.stream = None,
            Some(Some(chunk)) => {
                for block in std::str::from_utf8(&chunk).unwrap().split("\n\n") {
                    self.reader.take(block);
                }
            }
        }
    }
}

impl Reader {
    fn take(&mut self, block: &str) {
        let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name));
        let Some(id) = field("id: ") else { return };
        let data: serde_json::Value = serde_json::from_str(field("data: ").unwrap()).unwrap();
        let before = self.last.replace(id.to_owned());
        let sequence_of = |id: &str| id.split('.').next().unwrap().parse::<i64>().unwrap();
        let sequence = sequence_of(id);
        assert!(before.is_none_or(|before| sequence_of(&before) <= sequence), "ids go backwards: {id}");
        if field("event: ") != Some("message") {
            assert!(self.stored.contains_key(&sequence), "END before the answer: {block}");
            return;
        }
        let text = data["content"][0]["text"]["value"].as_str().unwrap();
        let is_whole = data["replace"] == true;
        if let Some((_, "stored.0")) = id.split_once('.') {
            assert!(is_whole);
            self.stored.insert(sequence, text.to_owned());
        } else {
            assert!(!self.stored.contains_key(&sequence), "a piece after the stored answer: {block}");
        }
        let shown = self.texts.entry(sequence).or_default();
        if is_whole {
            shown.clear();
        }
        shown.push_str(text);
        let is_said = (0..3).any(|turn| {
            (0..3).any(|attempt| said(turn, attempt).starts_with(shown.as_str())) || failure(turn) == *shown
        });
        assert!(data["role"] == "human" || is_said, "nobody said {shown:?}");
        if let Some(characters) = id.rsplit_once('.').filter(|_| !id.ends_with("stored.0")) {
            assert_eq!(characters.1.parse(), Ok(shown.chars().count()), "{block}");
        }
    }
}

fn settings() -> HubSettings {
    // One thread: any other evicts it.
    HubSettings { threads_max: 1, ..HubSettings::default() }
}

fn message(turn: usize, sequence: i64, role: Role, text: String) -> StoredMessage {
    let id = if role == Role::Ai { turn_id(turn).into() } else { Uuid::from_u128(500 + turn as u128).into() };
    StoredMessage {
        message: id,
        turn: Some(turn_id(turn)),
        sequence,
        role,
        text,
        sources: Vec::new(),
        refused: false,
        failed: false,
        is_closing: false,
        created_at: Timestamp::UNIX_EPOCH,
    }
}
