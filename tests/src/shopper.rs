//! A shopper: asks over HTTP, tries again as the widget does, reads the stream, and compares with what is stored.

use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};
use uuid::Uuid;

use crate::reading::{EventReader, Part, Reading, StoredAnswer, text_of};
use crate::site::{Site, Source};
use crate::tally::Tally;

/// A live stream says something every 15 s; one that is silent for longer is dead.
const SILENCE_MAX: Duration = Duration::from_secs(20);
/// Between two tries, doubled each time.
const PAUSE_MIN: Duration = Duration::from_millis(200);
const PAUSE_MAX: Duration = Duration::from_secs(2);
/// How long a shopper goes on trying one thing. A turn may be dispatched twice, a minute each.
const PATIENCE: Duration = Duration::from_secs(170);
/// Messages of a thread in one page; a shopper of ours never says more.
const MESSAGES_MAX: usize = 100;

/// A stored answer, as the shopper got it.
#[derive(Clone, Debug)]
pub struct Answer {
    pub turn: Uuid,
    pub text: String,
    pub sources: Vec<Source>,
    pub refused: bool,
    pub failed: bool,
    /// Pieces that came in before it was stored.
    pub pieces: usize,
}

/// A visitor of one chatbot, with one conversation.
#[derive(Debug)]
pub struct Shopper {
    site: Site,
    http: Client,
    agent: String,
    token: String,
    thread: Uuid,
    last_event_id: Option<String>,
    /// What the conversation must be: role, text, and the answer's uuid.
    said: Vec<(String, String, Option<Uuid>)>,
    pub tally: Tally,
}

#[derive(Deserialize)]
struct Envelope<T> {
    data: T,
}

#[derive(Deserialize)]
struct Config {
    agent: String,
    embed_token: String,
    lead_form: LeadForm,
}

#[derive(Deserialize)]
struct LeadForm {
    ask: String,
}

#[derive(Deserialize)]
struct Lead {
    id: Uuid,
    visitor_token: String,
}

#[derive(Deserialize)]
struct Thread {
    uuid: Uuid,
    visitor_token: String,
}

#[derive(Deserialize)]
struct Sent {
    uuid: Uuid,
    content: Vec<Part>,
    sources: Vec<Source>,
    refused: bool,
    failed: bool,
}

#[derive(Deserialize)]
struct Message {
    uuid: Uuid,
    sequence: i64,
    role: String,
    content: Vec<Part>,
    sources: Vec<Source>,
    refused: bool,
    failed: bool,
}

impl Shopper {
    /// Opens a chatbot by its publishable key, leaves details if it asks for them first, and begins a conversation.
    pub async fn enter(site: &Site, key: &str, tally: &Tally) -> anyhow::Result<Self> {
        let http = site.client()?;
        let calls = Calls { tally, deadline: Instant::now() + PATIENCE };
        let config: Config =
            calls.data(|| site.get(&http, &format!("/api/chatbot-config?api_key={key}"))).await.context("config")?;
        let (mut token, mut lead) = (config.embed_token, None);
        if config.lead_form.ask == "before_first_message" {
            let body = json!({"api_key": key, "agent_namespace": config.agent, "name": "Noor", "phone": "0612345678"});
            let kept: Lead =
                calls.data(|| site.post(&http, "/api/leads", &body).bearer_auth(&token)).await.context("lead")?;
            (token, lead) = (kept.visitor_token, Some(kept.id));
        }
        let body = json!({"api_key": key, "agent_namespace": config.agent, "lead_id": lead});
        let thread: Thread =
            calls.data(|| site.post(&http, "/api/thread", &body).bearer_auth(&token)).await.context("thread")?;
        Ok(Self {
            site: site.clone(),
            http,
            agent: config.agent,
            token: thread.visitor_token,
            thread: thread.uuid,
            last_event_id: None,
            said: Vec::new(),
            tally: tally.clone(),
        })
    }

    pub fn thread(&self) -> Uuid {
        self.thread
    }

    pub fn token(&self) -> &str {
        &self.token
    }

    /// Asks and reads the answer as it is written, through every break, then compares it with what is stored.
    pub async fn ask(&mut self, question: &str) -> anyhow::Result<Answer> {
        let turn = self.send(question).await?;
        self.read(turn).await
    }

    /// Sends a question without waiting for its answer, and gives the turn. Repeated with the same key until accepted.
    pub async fn send(&mut self, question: &str) -> anyhow::Result<Uuid> {
        let sent = self.post(question, true).await?;
        Ok(sent.uuid)
    }

    /// Asks without a stream: the call itself waits for the answer, and is repeated with the same key until it has it.
    pub async fn ask_waiting(&mut self, question: &str) -> anyhow::Result<Answer> {
        let sent = self.post(question, false).await?;
        let text = text_of(&sent.content);
        let Sent { uuid, sources, refused, failed, .. } = sent;
        self.finished(Answer { turn: uuid, text, sources, refused, failed, pieces: 0 }).await
    }

    /// Whether nothing of this conversation waits for an answer.
    pub async fn is_answered(&self) -> bool {
        self.messages().await.is_ok_and(|messages| messages.last().is_some_and(|last| last.role == "ai"))
    }

    /// Reads the conversation once, to be refused: status, problem document, and how long that took.
    pub async fn refusal(&self) -> anyhow::Result<(StatusCode, Value, Duration)> {
        let started = Instant::now();
        let path = format!("/api/messages?thread_uuid={}", self.thread);
        let response = self.site.get(&self.http, &path).bearer_auth(&self.token).send().await?;
        let status = response.status();
        Ok((status, response.json().await?, started.elapsed()))
    }

    /// The body that sends a text.
    pub fn body(&self, text: &str) -> Value {
        json!({
            "thread_uuid": self.thread, "agent_namespace": self.agent,
            "messages": [{"type": "text", "text": {"value": text}}],
        })
    }

    async fn post(&mut self, question: &str, respond_async: bool) -> anyhow::Result<Sent> {
        let key = Uuid::new_v4().to_string();
        let body = self.body(question);
        let calls = self.calls();
        let request = || {
            let request = self.site.post(&self.http, "/api/messages", &body).bearer_auth(&self.token);
            let request = request.header("idempotency-key", &key);
            if respond_async { request.header("prefer", "respond-async") } else { request }
        };
        let sent: Sent = loop {
            let sent: Sent = calls.data(request).await.context("failed to send a question")?;
            if respond_async || !sent.content.is_empty() {
                break sent;
            }
            ensure!(Instant::now() < calls.deadline, "no answer in time to turn {}", sent.uuid);
        };
        self.tally.count(|figures| figures.accepted += 1);
        self.said.push(("human".to_owned(), question.to_owned(), None));
        Ok(sent)
    }

    /// Reads the answer to a turn to its end.
    pub async fn read(&mut self, turn: Uuid) -> anyhow::Result<Answer> {
        let mut reading = Reading::new(turn);
        let deadline = Instant::now() + PATIENCE;
        let (mut pause, mut trouble) = (PAUSE_MIN, None);
        while !reading.has_ended {
            ensure!(Instant::now() < deadline, "turn {turn} of thread {} has no END in time: {trouble:?}", self.thread);
            let before = reading.pieces;
            if let Err(error) = self.read_once(&mut reading).await {
                let is_final = error.downcast_ref::<Refused>().is_some_and(|refused| !refused.is_passing());
                ensure!(!is_final, "the stream was refused: {error}");
                trouble = Some(error);
            }
            if reading.has_ended {
                break;
            }
            self.tally.count(|figures| figures.resumed += 1);
            // An END before this turn's is in order when the turn ended while no stream was open.
            if reading.stored.is_none()
                && self.last_event_id.is_none()
                && let Some(stored) = self.find_stored(turn).await?
            {
                reading.stored = Some(stored);
                break;
            }
            pause = if reading.pieces > before { PAUSE_MIN } else { PAUSE_MAX.min(pause * 2) };
            sleep(pause).await;
        }
        self.tally.count(|figures| {
            figures.lost += reading.lost;
            figures.doubled += reading.doubled;
            figures.replaced += reading.replaced;
        });
        let stored = reading.stored.with_context(|| format!("turn {turn} ended without its stored answer"))?;
        // Every attempt says the same, so what was streamed is the beginning of what is stored.
        if !stored.failed && !stored.text.starts_with(&reading.text) {
            self.report(&format!("streamed {:?}, stored {:?}", reading.text, stored.text));
        }
        let StoredAnswer { text, sources, refused, failed } = stored;
        self.finished(Answer { turn, text, sources, refused, failed, pieces: reading.pieces }).await
    }

    /// Reads until the stream ends or breaks.
    async fn read_once(&mut self, reading: &mut Reading) -> anyhow::Result<()> {
        let mut request = self.site.events(&self.http, self.thread).bearer_auth(&self.token);
        if let Some(id) = &self.last_event_id {
            request = request.header("last-event-id", id);
        }
        let response = timeout(SILENCE_MAX, request.send()).await??;
        let mut events = EventReader::new(Refused::check(response).await?.bytes_stream());
        while let Some(event) = timeout(SILENCE_MAX, events.next()).await?? {
            let before = reading.pieces;
            reading.apply(&event)?;
            self.tally.count(|figures| {
                figures.pieces += reading.pieces - before;
                figures.begun += usize::from(before == 0 && reading.pieces > 0);
            });
            if event.id.is_some() {
                self.last_event_id = event.id;
            }
            if reading.has_ended {
                break;
            }
        }
        Ok(())
    }

    async fn find_stored(&self, turn: Uuid) -> anyhow::Result<Option<StoredAnswer>> {
        let found = self.messages().await?.into_iter().find(|message| message.uuid == turn);
        Ok(found.map(|message| StoredAnswer {
            text: text_of(&message.content),
            sources: message.sources,
            refused: message.refused,
            failed: message.failed,
        }))
    }

    /// Compares the conversation with what is stored: everything once, in order, and each answer as the shopper got it.
    async fn finished(&mut self, answer: Answer) -> anyhow::Result<Answer> {
        self.said.push(("ai".to_owned(), answer.text.clone(), Some(answer.turn)));
        let stored = self.messages().await?;
        let is_ascending = stored.windows(2).all(|both| both[0].sequence < both[1].sequence);
        let is_same = stored.len() == self.said.len()
            && stored.iter().zip(&self.said).all(|(message, (role, text, uuid))| {
                message.role == *role
                    && text_of(&message.content) == *text
                    && uuid.is_none_or(|uuid| uuid == message.uuid)
            });
        if !is_ascending || !is_same {
            let stored: Vec<_> =
                stored.iter().map(|each| (each.sequence, &each.role, text_of(&each.content))).collect();
            self.report(&format!("said {:?}, stored {stored:?}", self.said));
        }
        self.tally.count(|figures| {
            figures.answered += 1;
            figures.failed += usize::from(answer.failed);
            figures.refused += usize::from(answer.refused);
        });
        Ok(answer)
    }

    fn report(&self, what: &str) {
        eprintln!("thread {}: {what}", self.thread);
        self.tally.count(|figures| figures.different += 1);
    }

    /// The conversation as stored, oldest first.
    async fn messages(&self) -> anyhow::Result<Vec<Message>> {
        let path = format!("/api/messages?thread_uuid={}&limit={MESSAGES_MAX}", self.thread);
        let request = || self.site.get(&self.http, &path).bearer_auth(&self.token);
        let mut messages: Vec<Message> = self.calls().data(request).await.context("failed to read the conversation")?;
        messages.reverse();
        Ok(messages)
    }

    fn calls(&self) -> Calls<'_> {
        Calls { tally: &self.tally, deadline: Instant::now() + PATIENCE }
    }
}

/// Makes a call until it succeeds, is refused for good, or its time is over.
struct Calls<'a> {
    tally: &'a Tally,
    deadline: Instant,
}

impl Calls<'_> {
    async fn data<T: DeserializeOwned>(&self, request: impl Fn() -> RequestBuilder) -> anyhow::Result<T> {
        let mut pause = PAUSE_MIN;
        loop {
            let error = match Self::once(request()).await {
                Ok(data) => return Ok(data),
                Err(error) => error,
            };
            let is_final = error.downcast_ref::<Refused>().is_some_and(|refused| !refused.is_passing());
            if is_final || Instant::now() > self.deadline {
                return Err(error);
            }
            self.tally.count(|figures| figures.retried += 1);
            sleep(pause).await;
            pause = PAUSE_MAX.min(pause * 2);
        }
    }

    async fn once<T: DeserializeOwned>(request: RequestBuilder) -> anyhow::Result<T> {
        let response = Refused::check(request.send().await?).await?;
        Ok(response.json::<Envelope<T>>().await?.data)
    }
}

/// An answer that is not a success.
#[derive(Debug)]
struct Refused {
    status: StatusCode,
    body: String,
}

impl Refused {
    async fn check(response: Response) -> anyhow::Result<Response> {
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        Err(Self { status, body: response.text().await.unwrap_or_default() }.into())
    }

    /// Whether trying again may help. What fails must say so as the API promises; anything else is a fault of its own.
    fn is_passing(&self) -> bool {
        let problem: Value = serde_json::from_str(&self.body).unwrap_or_default();
        let is_ours = problem["code"].is_string();
        is_ours && (self.status.is_server_error() || self.status == StatusCode::TOO_MANY_REQUESTS)
    }
}

impl std::fmt::Display for Refused {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}: {}", self.status, self.body)
    }
}

impl std::error::Error for Refused {}
