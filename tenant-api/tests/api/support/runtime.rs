//! A runtime that says what the test wants, over the bus and nothing else.

use std::sync::Arc;

use jiff::Timestamp;
use tokio::sync::{Mutex, mpsc};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use vitrine_bus::{Bus, ConsumerSettings, Delivery, Outcome, Record, Topic};
use vitrine_database::Database;
use vitrine_domain::{
    Answer, AttemptId, ChatRequested, Envelope, LogLevel, MerchantId, Source, SourceKind, ThreadEvent, ThreadEventBody,
    ThreadId, TurnId,
};

/// A question that reached the runtime.
#[derive(Clone)]
pub struct Asked {
    bus: Arc<dyn Bus>,
    pub merchant: MerchantId,
    pub thread: ThreadId,
    pub turn: TurnId,
    pub sequence: i64,
    pub dispatch: i32,
}

/// Questions, in the order they came.
pub struct Runtime {
    asked: Mutex<mpsc::UnboundedReceiver<Asked>>,
}

impl Runtime {
    pub fn start(bus: &Arc<dyn Bus>, database: Database, shutdown: CancellationToken) -> Self {
        let (sender, asked) = mpsc::unbounded_channel();
        let publisher = Arc::clone(bus);
        let handler = move |delivery: Delivery| {
            let (sender, bus, database) = (sender.clone(), Arc::clone(&publisher), database.clone());
            async move {
                let request = match delivery.record.decode::<ChatRequested>() {
                    Ok(request) => request,
                    Err(error) => return error.into(),
                };
                let ChatRequested::ChatRequested { turn, thread, dispatch, .. } = request.body;
                let merchant = request.merchant;
                let mut transaction = database.tenant(merchant).await.expect("a transaction");
                let open = vitrine_tenant_api::store::turns::open(&mut transaction, thread).await.expect("open turns");
                let Some(sequence) = open.dispatched.and_then(|turn| turn.answer_sequence) else {
                    return Outcome::Done;
                };
                let _ = sender.send(Asked { bus, merchant, thread, turn, sequence, dispatch });
                Outcome::Done
            }
        };
        let consume =
            bus.consume(Topic::ChatRequests, "runtime", Arc::new(handler), shutdown, ConsumerSettings::default());
        tokio::spawn(consume);
        Self { asked: Mutex::new(asked) }
    }

    /// The next question.
    pub async fn asked(&self) -> Asked {
        let next = async { self.asked.lock().await.recv().await };
        tokio::time::timeout(super::SOON, next).await.expect("a question within the deadline").expect("a runtime")
    }

    /// Answers the next question with this text.
    pub async fn answer(&self, text: &str) -> Asked {
        let asked = self.asked().await;
        asked.answer(text).await;
        asked
    }

    /// Answers every question from now on.
    pub fn answer_always(self: &Arc<Self>, text: &str) {
        let (runtime, text) = (Arc::clone(self), text.to_owned());
        tokio::spawn(async move {
            while let Some(asked) = runtime.asked.lock().await.recv().await {
                asked.answer(&text).await;
            }
        });
    }
}

impl Asked {
    /// A whole attempt: start, a log line, the text in three pieces, END.
    pub async fn answer(&self, text: &str) {
        let attempt = self.start().await;
        self.say(ThreadEventBody::Log { attempt, level: LogLevel::Info, text: "searching".to_owned() }).await;
        let characters: Vec<char> = text.chars().collect();
        let size = characters.len().div_ceil(3).max(1);
        for (index, piece) in characters.chunks(size).enumerate() {
            self.piece(attempt, index * size, &piece.iter().collect::<String>()).await;
        }
        self.end(attempt, text).await;
    }

    pub async fn start(&self) -> AttemptId {
        let attempt = AttemptId::new(Uuid::now_v7());
        self.say(ThreadEventBody::Started { attempt, dispatch: self.dispatch }).await;
        attempt
    }

    pub async fn piece(&self, attempt: AttemptId, at: usize, text: &str) {
        self.say(ThreadEventBody::Message { attempt, at, text: text.to_owned() }).await;
    }

    pub async fn end(&self, attempt: AttemptId, text: &str) {
        let source = Source {
            number: 1,
            title: "Delivery".to_owned(),
            url: Some("https://shop.example/delivery".to_owned()),
            kind: SourceKind::Faq,
        };
        let answer = Answer { text: text.to_owned(), sources: vec![source], refused: false, failed: false };
        self.say(ThreadEventBody::End { attempt, dispatch: self.dispatch, answer }).await;
    }

    pub async fn say(&self, body: ThreadEventBody) {
        let envelope = Envelope {
            version: 1,
            id: Uuid::now_v7(),
            occurred_at: Timestamp::now(),
            merchant: self.merchant,
            traceparent: None,
            body: ThreadEvent { thread: self.thread, turn: self.turn, answer_sequence: self.sequence, body },
        };
        let record = Record::encode(Topic::ThreadEvents, &self.thread, &envelope).expect("a record");
        for result in self.bus.publish(vec![record]).await {
            result.expect("an acknowledgement");
        }
    }
}
