//! `kill -9` of every part while answers are on their way.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use system_tests::{Settings, Shopper, Stack, Tally};
use tokio::task::JoinSet;
use vitrine_testkit::eventually;

use crate::support::{QUESTIONS, is_long, place, say};

const SHOPPERS: usize = 6;
/// A turn may be dispatched twice, a minute each, before it is failed.
const COMPLETE_MAX: Duration = Duration::from_secs(170);
/// Pieces of text that come in before a kill: it hits answers at different places.
const PIECES_BEFORE_MAX: u128 = 40;
/// Questions of one conversation, so that it fits a page.
const QUESTIONS_MAX: usize = 40;
/// A turn is failed only after it lost this many dispatches.
const KILLS_FAILED_MIN: usize = 2;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn separate_programs_lose_and_double_nothing() {
    let _place = place().await;
    let stack = Stack::separate(&Settings::default()).await.unwrap();
    kill_often(stack, "separate", if is_long() { 120 } else { 12 }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_embedded_default_loses_and_doubles_nothing() {
    let _place = place().await;
    let stack = Stack::embedded(&Settings::default()).await.unwrap();
    kill_often(stack, "embedded", if is_long() { 80 } else { 8 }).await;
}

/// What the shoppers and the killer know of each other.
#[derive(Default)]
struct Scene {
    kills: AtomicUsize,
    is_over: AtomicBool,
    /// Questions asked and answered, by shopper.
    asked: Mutex<[usize; SHOPPERS]>,
    answered: Mutex<[usize; SHOPPERS]>,
    /// Failed answers that no two kills explain.
    unexplained: AtomicUsize,
}

async fn kill_often(mut stack: Stack, form: &str, kills: usize) {
    let started = Instant::now();
    let tally = Tally::default();
    let scene = Arc::new(Scene::default());
    let mut shoppers = JoinSet::new();
    for number in 0..SHOPPERS {
        let (merchant, chatbot, questions) = QUESTIONS[number % QUESTIONS.len()];
        let key = stack.site.key(merchant, chatbot).unwrap();
        let (site, tally, scene) = (stack.site.clone(), tally.clone(), Arc::clone(&scene));
        shoppers.spawn(async move {
            while !scene.is_over.load(Ordering::Relaxed) {
                let shopper = Shopper::enter(&site, &key, &tally).await?;
                converse(shopper, number, &questions, &scene).await?;
            }
            anyhow::Ok(())
        });
    }

    let victims = stack.victims();
    for number in 0..kills {
        let victim = victims[number % victims.len()];
        let pieces = tally.figures().pieces + 1 + random_below(PIECES_BEFORE_MAX);
        eventually(COMPLETE_MAX, "answers are being written", || async { tally.figures().pieces >= pieces }).await;
        let asked = *scene.asked.lock().unwrap();
        let open: usize =
            asked.iter().zip(*scene.answered.lock().unwrap()).map(|(asked, answered)| asked - answered).sum();
        scene.kills.fetch_add(1, Ordering::SeqCst);
        let killed = Instant::now();
        stack.kill(victim).unwrap();
        stack.restart(victim).await.unwrap();
        let back = killed.elapsed();
        eventually(COMPLETE_MAX, &format!("what was open at kill {number} ({victim:?}) is answered"), || async {
            asked.iter().zip(*scene.answered.lock().unwrap()).all(|(asked, answered)| answered >= *asked)
        })
        .await;
        say(&format!(
            "  kill {:>3}/{kills} {form} {victim:?}: {open} open, back after {:.1} s, all answered after {:.1} s",
            number + 1,
            back.as_secs_f64(),
            killed.elapsed().as_secs_f64()
        ));
        tally.assert_faultless();
    }
    scene.is_over.store(true, Ordering::Relaxed);
    while let Some(ended) = shoppers.join_next().await {
        ended.unwrap().unwrap();
    }

    say(&format!("kills, {form}: {kills} kills; {}; {:.0} s", tally.figures(), started.elapsed().as_secs_f64()));
    tally.assert_whole();
    assert_eq!(
        scene.unexplained.load(Ordering::SeqCst),
        0,
        "an answer failed although its turn lost less than two dispatches"
    );
}

/// Asks one question after the other until it is over. The last two shoppers wait in the call instead of reading a stream.
async fn converse(mut shopper: Shopper, number: usize, questions: &[&str], scene: &Scene) -> anyhow::Result<()> {
    for question in questions.iter().cycle().skip(number).take(QUESTIONS_MAX) {
        if scene.is_over.load(Ordering::Relaxed) {
            break;
        }
        let kills = scene.kills.load(Ordering::SeqCst);
        scene.asked.lock().unwrap()[number] += 1;
        let answer =
            if number >= SHOPPERS - 2 { shopper.ask_waiting(question).await } else { shopper.ask(question).await }?;
        if answer.failed && scene.kills.load(Ordering::SeqCst) - kills < KILLS_FAILED_MIN {
            scene.unexplained.fetch_add(1, Ordering::SeqCst);
        }
        scene.answered.lock().unwrap()[number] += 1;
    }
    Ok(())
}

fn random_below(end: u128) -> usize {
    usize::try_from(uuid::Uuid::new_v4().as_u128() % end).unwrap_or_default()
}
