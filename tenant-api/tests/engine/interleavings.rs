//! Random interleavings of messages, publications, answers, repetitions, losses and sweeps: after every step the
//! database is what a model in memory says, and in the end every question has one answer.

mod model;

use model::Model;
use proptest::prelude::*;
use proptest::test_runner::{Config as ProptestConfig, TestCaseError, TestRunner};
use tokio::sync::Mutex;
use uuid::Uuid;
use vitrine_domain::{Answer, MerchantId, MessageId, ThreadEventBody, ThreadId, TurnId};
use vitrine_tenant_api::turns::{Accept, AcceptError, Idempotency};

use crate::support::{Replica, Shop, attempt};

const CASES: u32 = 48;
const STEPS_MAX: usize = 60;
const THREADS: usize = 3;
const CAP: u32 = 2;
/// Rounds in which everything that is open must close once nothing is lost any more.
const ROUNDS_MAX: usize = 100;

#[derive(Clone, Debug)]
enum Step {
    Ask {
        thread: usize,
    },
    /// The last message comes again with its key.
    Repeat,
    /// The outbox goes on the bus, and perhaps the bus loses it.
    Publish {
        is_lost: bool,
    },
    /// A runtime takes a request, any it was ever given, and reports.
    Answer {
        request: usize,
    },
    /// One of the reports comes to a recorder, and perhaps stays to come again.
    Report {
        event: usize,
        comes_again: bool,
        replica: usize,
    },
    /// Reports are lost.
    LoseReports,
    /// The deadlines of published turns pass.
    Overdue,
    /// The bus is away for longer than turns wait.
    Away,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..THREADS).prop_map(|thread| Step::Ask { thread }),
        1 => Just(Step::Repeat),
        4 => prop::bool::weighted(0.2).prop_map(|is_lost| Step::Publish { is_lost }),
        5 => any::<usize>().prop_map(|request| Step::Answer { request }),
        8 => (any::<usize>(), any::<bool>(), 0..2_usize)
            .prop_map(|(event, comes_again, replica)| Step::Report { event, comes_again, replica }),
        1 => Just(Step::LoseReports),
        2 => Just(Step::Overdue),
        1 => Just(Step::Away),
    ]
}

#[test]
fn every_interleaving_ends_with_one_answer_to_each_question() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let world = runtime.block_on(async {
        let shop = Shop::open(CAP).await;
        let replicas = [shop.replica().await, shop.replica().await];
        Mutex::new((shop, replicas))
    });
    let config = ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() };
    let played = TestRunner::new(config).run(&prop::collection::vec(step(), 1..STEPS_MAX), |steps| {
        runtime.block_on(async {
            let mut world = world.lock().await;
            let (shop, replicas) = &mut *world;
            shop.become_another(MerchantId::new(Uuid::new_v4())).await;
            let mut case = Case::begin(shop, replicas).await;
            for step in steps {
                case.play(step).await?;
                case.compare().await?;
            }
            case.finish().await
        })
    });
    if let Err(failure) = played {
        panic!("{failure}");
    }
}

/// One interleaving: the real thing and the model side by side.
struct Case<'a> {
    shop: &'a Shop,
    replicas: &'a [Replica; 2],
    threads: Vec<ThreadId>,
    model: Model,
    last: Option<(Accept, TurnId)>,
    /// Requests the bus has carried: turns, in any order and as often as a runtime likes.
    requests: Vec<TurnId>,
    /// Reports on their way.
    events: Vec<(TurnId, ThreadEventBody)>,
}

impl<'a> Case<'a> {
    async fn begin(shop: &'a Shop, replicas: &'a [Replica; 2]) -> Self {
        let mut threads = Vec::new();
        for _ in 0..THREADS {
            threads.push(replicas[0].thread(shop).await);
        }
        let model = Model::new(CAP as usize, &threads);
        Self { shop, replicas, threads, model, last: None, requests: Vec::new(), events: Vec::new() }
    }

    async fn play(&mut self, step: Step) -> Result<(), TestCaseError> {
        match step {
            Step::Ask { thread } => self.ask(self.threads[thread]).await,
            Step::Repeat => self.repeat().await,
            Step::Publish { is_lost } => {
                self.publish(is_lost).await;
                Ok(())
            }
            Step::Answer { request } => {
                if !self.requests.is_empty() {
                    self.answer(self.requests[request % self.requests.len()]);
                }
                Ok(())
            }
            Step::Report { event, comes_again, replica } => {
                if !self.events.is_empty() {
                    let event = event % self.events.len();
                    let (turn, body) =
                        if comes_again { self.events[event].clone() } else { self.events.swap_remove(event) };
                    self.report(turn, body, replica).await;
                }
                Ok(())
            }
            Step::LoseReports => {
                self.events.clear();
                Ok(())
            }
            Step::Overdue => self.overdue().await,
            Step::Away => self.away().await,
        }
    }

    async fn ask(&mut self, thread: ThreadId) -> Result<(), TestCaseError> {
        let key = Uuid::new_v4().to_string();
        let idempotency = Idempotency { key, route: "POST /api/messages".to_owned(), body_hash: [1; 32] };
        let accept = Accept { idempotency: Some(idempotency), ..self.shop.question(thread, "question") };
        let accepted = self.replicas[0].turns.accept(accept.clone()).await;
        match (accepted, self.model.ask(thread, accept.message, accept.turn)) {
            (Ok(accepted), Some((turn, sequence))) => {
                prop_assert_eq!((accepted.turn, accepted.question_sequence), (turn, sequence));
                self.last = Some((accept, turn));
                Ok(())
            }
            (Err(AcceptError::TurnFull), None) => Ok(()),
            (accepted, expected) => Err(TestCaseError::fail(format!("{accepted:?}, the model says {expected:?}"))),
        }
    }

    async fn repeat(&mut self) -> Result<(), TestCaseError> {
        let Some((accept, turn)) = self.last.clone() else { return Ok(()) };
        // Another try of the browser gives in new ids, which must not be used.
        let again = Accept { message: MessageId::new(Uuid::now_v7()), turn: TurnId::new(Uuid::now_v7()), ..accept };
        let accepted = self.replicas[1].turns.accept(again).await;
        let accepted = accepted.map_err(|error| TestCaseError::fail(format!("{error:?}")))?;
        prop_assert!(accepted.replayed);
        prop_assert_eq!((accepted.question, accepted.turn), (accept.message, turn));
        Ok(())
    }

    async fn publish(&mut self, is_lost: bool) {
        let mut transaction = self.replicas[0].worker.worker().await.expect("a transaction");
        let rows: Vec<(i64, Uuid, String)> =
            sqlx::query_as("SELECT outbox_id, turn_id, kind FROM outbox WHERE merchant_id = $1 ORDER BY outbox_id")
                .bind(self.shop.merchant.as_uuid())
                .fetch_all(transaction.connection())
                .await
                .expect("the outbox");
        let ids: Vec<i64> = rows.iter().map(|(id, ..)| *id).collect();
        sqlx::query("SELECT acknowledge_published($1, interval '1 hour')")
            .bind(ids)
            .execute(transaction.connection())
            .await
            .expect("an acknowledgement");
        transaction.commit().await.expect("a commit");
        self.model.publish();
        if !is_lost {
            let requests = rows.into_iter().filter(|(.., kind)| kind == "chat_requested");
            self.requests.extend(requests.map(|(_, turn, _)| TurnId::new(turn)));
        }
    }

    fn answer(&mut self, turn: TurnId) {
        let attempt = attempt();
        let answer = Answer { text: format!("answer of {attempt}"), ..Answer::default() };
        self.events.push((turn, ThreadEventBody::Started { attempt, dispatch: 1 }));
        self.events.push((turn, ThreadEventBody::Message { attempt, at: 0, text: "answer".to_owned() }));
        self.events.push((turn, ThreadEventBody::End { attempt, dispatch: 1, answer }));
    }

    async fn report(&mut self, turn: TurnId, body: ThreadEventBody, replica: usize) {
        match &body {
            ThreadEventBody::Started { attempt, .. } => self.model.start(turn, *attempt),
            ThreadEventBody::End { answer, .. } => self.model.end(turn, &answer.text),
            _ => {}
        }
        let outcome = self.replicas[replica].handle(self.shop, turn, body).await;
        assert_eq!(outcome, vitrine_bus::Outcome::Done);
    }

    async fn overdue(&mut self) -> Result<(), TestCaseError> {
        self.shop.let_deadlines_pass().await;
        self.sweep().await
    }

    async fn away(&mut self) -> Result<(), TestCaseError> {
        let pass = "UPDATE turns SET dispatched_at = dispatched_at - interval '1 hour'
                     WHERE merchant_id = current_merchant() AND state = 'dispatched' AND deadline_at IS NULL";
        self.shop.sql(pass).await;
        self.sweep().await
    }

    async fn sweep(&mut self) -> Result<(), TestCaseError> {
        let mut transaction = self.replicas[1].worker.worker().await.expect("a transaction");
        let due: Vec<(Uuid, Uuid)> =
            sqlx::query_as("SELECT merchant_id, turn_id FROM due_turns(interval '10 minutes', 100)")
                .fetch_all(transaction.connection())
                .await
                .expect("due turns");
        transaction.commit().await.expect("a commit");
        for (merchant, turn) in due {
            if merchant == self.shop.merchant.as_uuid() {
                self.model.sweep(TurnId::new(turn));
            }
        }
        let swept = self.replicas[1].sweeper.sweep_overdue().await;
        swept.map_err(|error| TestCaseError::fail(format!("{error:?}")))
    }

    /// The database is what the model says, to the last sequence.
    async fn compare(&self) -> Result<(), TestCaseError> {
        prop_assert_eq!(self.shop.turns().await, self.model.turns());
        for thread in &self.threads {
            let said = self.replicas[0].said(self.shop, *thread).await;
            let said: Vec<_> = said.into_iter().map(|one| (one.sequence, one.message, one.text)).collect();
            prop_assert_eq!(said, self.model.said(*thread));
        }
        self.model.check()
    }

    /// Nothing is lost any more: everything closes.
    async fn finish(mut self) -> Result<(), TestCaseError> {
        for _ in 0..ROUNDS_MAX {
            if self.model.is_closed() {
                prop_assert_eq!(self.model.unanswered(), 0);
                return self.compare().await;
            }
            self.publish(false).await;
            for turn in std::mem::take(&mut self.requests) {
                self.answer(turn);
            }
            for (turn, body) in std::mem::take(&mut self.events) {
                self.report(turn, body, 0).await;
            }
            self.overdue().await?;
        }
        Err(TestCaseError::fail("turns stay open"))
    }
}
