//! What the system tests share.

use std::env;
use std::io::Write;
use std::time::Duration;

use system_tests::{Answer, Shopper, Stack, Tally};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::JoinSet;
use vitrine_testkit::eventually;

/// The first words of an answer, on a machine busy with another stack.
const WRITTEN_MAX: Duration = Duration::from_secs(30);

/// Stacks that two cores can carry at once.
static PLACES: Semaphore = Semaphore::const_new(2);

/// Waits for a place to start a stack in.
pub async fn place() -> SemaphorePermit<'static> {
    PLACES.acquire().await.expect("the places are never closed")
}

pub fn is_long() -> bool {
    env::var_os("VITRINE_LONG").is_some()
}

/// Prints a line of figures into the log of the run, also of a test that passes.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// Questions of shoppers with answers in the demo: merchant, chatbot, questions.
pub const QUESTIONS: [(&str, &str, [&str; 4]); 3] = [
    (
        "zadelhoek",
        "zadelhoek-nl",
        [
            "Hoe lang duurt het voordat mijn fiets bezorgd wordt?",
            "Wat kost de bezorging?",
            "Hoe lang mag ik iets terugsturen?",
            "Moet ik de fiets zelf nog in elkaar zetten?",
        ],
    ),
    (
        "negin",
        "negin-fa",
        [
            "سفارشم چند روزه به دستم می‌رسد؟",
            "هزینهٔ ارسال چقدر است؟",
            "به خارج از کشور هم ارسال دارید؟",
            "اگر بسته در راه گم شود یا آسیب ببیند چه می‌شود؟",
        ],
    ),
    (
        "zadelhoek",
        "zadelhoek-en",
        [
            "How much does delivery cost?",
            "How long can I return something?",
            "Can I take a test ride?",
            "What are your opening hours?",
        ],
    ),
];

/// Shoppers of the demo's chatbots in turn, each with a conversation.
pub async fn shoppers(stack: &Stack, count: usize, tally: &Tally) -> Vec<(Shopper, &'static str)> {
    let entering = (0..count).map(|number| async move {
        let (merchant, chatbot, questions) = &QUESTIONS[number % QUESTIONS.len()];
        let key = stack.site.key(merchant, chatbot).unwrap();
        let shopper = Shopper::enter(&stack.site, &key, tally).await.unwrap();
        (shopper, questions[number % questions.len()])
    });
    futures::future::join_all(entering).await
}

/// Everybody asks their question at once, and goes on in a task of their own.
pub fn ask_all(shoppers: Vec<(Shopper, &'static str)>) -> JoinSet<(Shopper, Answer)> {
    let mut asking = JoinSet::new();
    for (mut shopper, question) in shoppers {
        asking.spawn(async move {
            let answer = shopper.ask(question).await.unwrap();
            (shopper, answer)
        });
    }
    asking
}

/// Waits until pieces of text have come in since `before`, so that answers are on their way.
pub async fn written(tally: &Tally, pieces: usize) {
    let wanted = tally.figures().pieces + pieces;
    eventually(WRITTEN_MAX, "answers are being written", || async { tally.figures().pieces >= wanted }).await;
}

/// Waits until something of this many further answers has come in: none of their requests waits on the bus any more.
pub async fn begun(tally: &Tally, answers: usize) {
    let wanted = tally.figures().begun + answers;
    eventually(WRITTEN_MAX, "every answer is being written", || async { tally.figures().begun >= wanted }).await;
}

/// Prints what each of our programs holds in memory.
pub fn say_memory(stack: &Stack, when: &str) {
    let programs = stack.memory_mebibytes().unwrap();
    let each: Vec<String> = programs.iter().map(|(name, mebibytes)| format!("{name:?} {mebibytes:.0} MiB")).collect();
    say(&format!("resident memory {when}: {}", each.join(", ")));
}
