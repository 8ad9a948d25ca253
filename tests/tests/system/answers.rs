//! What the demo's chatbots say: the right source, or an honest refusal.

use std::time::Instant;

use system_tests::{Answer, Settings, Shopper, Stack, Tally};

use crate::support::{place, say, say_memory};

/// A shop, its language, and questions with the page their answer stands on.
struct Shop {
    merchant: &'static str,
    chatbot: &'static str,
    /// About returns, delivery and sizes, in words that are not the shop's own.
    questions: [(&'static str, &'static str); 3],
    unanswerable: &'static str,
}

const SHOPS: [Shop; 2] = [
    Shop {
        merchant: "zadelhoek",
        chatbot: "zadelhoek-nl",
        questions: [
            ("Hoe lang mag ik iets terugsturen?", "/levering.html#retour"),
            ("Hoe snel wordt een nieuwe fiets bezorgd?", "/levering.html#bezorgen"),
            ("Welke framemaat moet ik nemen?", "/werkplaats.html#maatwijzer"),
        ],
        unanswerable: "Wat is de hoofdstad van Mongolië?",
    },
    Shop {
        merchant: "negin",
        chatbot: "negin-fa",
        questions: [
            ("تا چند روز بعد از خرید می‌توانم کالا را مرجوع کنم؟", "/delivery-returns.html#returns"),
            ("هزینه ارسال به شهرستان چقدر است؟", "/delivery-returns.html#delivery"),
            ("سایز انگشترم را چطور اندازه بگیرم؟", "/guide.html#ring-size"),
        ],
        unanswerable: "پایتخت مغولستان کجاست؟",
    },
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_shop_answers_in_its_language_from_the_right_source() {
    let _place = place().await;
    let started = Instant::now();
    let stack = Stack::embedded(&Settings { words_per_second: 200, ..Settings::default() }).await.unwrap();
    let tally = Tally::default();
    for shop in &SHOPS {
        let key = stack.site.key(shop.merchant, shop.chatbot).unwrap();
        let mut shopper = Shopper::enter(&stack.site, &key, &tally).await.unwrap();
        let origin = if shop.merchant == "negin" { stack.site.negin() } else { stack.site.zadelhoek() };
        for (question, page) in shop.questions {
            let answer = shopper.ask(question).await.unwrap();
            assert_source(question, &answer, &format!("{origin}{page}"));
        }
        let refused = shopper.ask(shop.unanswerable).await.unwrap();
        assert!(refused.refused && refused.sources.is_empty() && !refused.text.is_empty(), "{refused:?}");
    }
    say_memory(&stack, "of the embedded default after its questions");
    say(&format!("answers: {}; {:.0} s", tally.figures(), started.elapsed().as_secs_f64()));
    tally.assert_whole();
}

/// The answer rests on the page, says so with a marker, and every marker has its source.
fn assert_source(question: &str, answer: &Answer, page: &str) {
    assert!(!answer.refused && !answer.failed, "{question}: {answer:?}");
    let first = answer.sources.first().unwrap_or_else(|| panic!("{question}: no source in {answer:?}"));
    assert!(first.url.as_deref().is_some_and(|url| url.starts_with(page)), "{question}: not from {page} but {first:?}");
    for source in &answer.sources {
        assert!(
            answer.text.contains(&format!("[{}]", source.number)),
            "{question}: no marker of {source:?} in {answer:?}"
        );
    }
    let markers = answer.text.matches('[').count();
    assert!(markers >= answer.sources.len(), "{question}: {answer:?}");
}
