//! Several programs, one product: work is shared, and a change of a manifest reaches all of them.

use std::time::{Duration, Instant};

use serde_json::Value;
use system_tests::{Settings, Shopper, Stack, Tally, Victim};
use vitrine_testkit::eventually;

use crate::support::{ask_all, place, say, say_memory, shoppers};

const SHOPPERS: usize = 24;
/// From the file to what shoppers see.
const EDIT_SEEN_MAX: Duration = Duration::from_secs(15);
/// A runtime that lacked the new config would leave the turn to the sweeper, a minute later.
const ANSWERED_MAX: Duration = Duration::from_secs(30);
const FAST: u32 = 200;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_runtimes_share_the_work_and_an_edit_reaches_every_program() {
    let _place = place().await;
    let started = Instant::now();
    let stack = Stack::separate(&Settings { words_per_second: FAST, ..Settings::default() }).await.unwrap();
    let tally = Tally::default();
    say_memory(&stack, "after the start");
    let answers = ask_all(shoppers(&stack, SHOPPERS, &tally).await).join_all().await;
    assert!(answers.iter().all(|(_, answer)| !answer.failed));
    let mut shares = [0.0; 2];
    for (number, share) in shares.iter_mut().enumerate() {
        *share = stack.metric(Victim::Runtime(number), "vitrine_answers_total").await.unwrap();
    }
    assert!(shares.iter().all(|share| *share > 0.0), "one runtime did everything: {shares:?}");
    say_memory(&stack, &format!("after {SHOPPERS} conversations"));

    stack.demo.edit_manifest("zadelhoek", "Welkom bij Zadelhoek", "Vandaag gratis lampjes").unwrap();
    let edited = Instant::now();
    eventually(EDIT_SEEN_MAX, "the API shows the new headline", || async {
        headline(&stack).await == "Vandaag gratis lampjes"
    })
    .await;
    let seen_in = edited.elapsed();
    let key = stack.site.key("zadelhoek", "zadelhoek-nl").unwrap();
    let mut shopper = Shopper::enter(&stack.site, &key, &tally).await.unwrap();
    let asked = Instant::now();
    assert!(!shopper.ask("Wat kost de bezorging?").await.unwrap().failed);
    assert!(asked.elapsed() < ANSWERED_MAX, "the runtimes know the new config, too: {:?}", asked.elapsed());

    say(&format!(
        "two runtimes: {shares:?} answers; an edit was seen after {:.1} s; {}; {:.0} s",
        seen_in.as_secs_f64(),
        tally.figures(),
        started.elapsed().as_secs_f64()
    ));
    tally.assert_whole();
}

async fn headline(stack: &Stack) -> String {
    let key = stack.site.key("zadelhoek", "zadelhoek-nl").unwrap();
    let client = stack.site.client().unwrap();
    let config = stack.site.get(&client, &format!("/api/chatbot-config?api_key={key}")).send().await.unwrap();
    let config: Value = config.json().await.unwrap();
    config["data"]["interface"]["headline"].as_str().unwrap_or_default().to_owned()
}
