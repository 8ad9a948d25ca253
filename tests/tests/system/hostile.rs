//! Input that is not meant well, against the running product: refused by name, and everybody else is still served.

use std::time::Instant;

use reqwest::{Client, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use system_tests::{Settings, Shopper, Stack, Tally};
use uuid::Uuid;
use vitrine_testkit::eventually;

use crate::support::{place, say};

const QUESTION: &str = "Wat kost de bezorging?";
/// How long a broken manifest gets to do harm: the watcher has certainly read it when a good one beside it shows.
const WATCHED_MAX: std::time::Duration = std::time::Duration::from_secs(15);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_not_meant_well_is_refused_and_the_shop_goes_on() {
    let _place = place().await;
    let started = Instant::now();
    let stack = Stack::embedded(&Settings { words_per_second: 200, ..Settings::default() }).await.unwrap();
    let (tally, site, client) = (Tally::default(), &stack.site, stack.site.client().unwrap());
    let key = site.key("zadelhoek", "zadelhoek-nl").unwrap();
    let other_key = site.key("negin", "negin-en").unwrap();
    let mut shopper = Shopper::enter(site, &key, &tally).await.unwrap();
    let stranger = Shopper::enter(site, &other_key, &tally).await.unwrap();
    let neighbour = Shopper::enter(site, &key, &tally).await.unwrap();

    let good = shopper.body(QUESTION);
    let send = |body: &Value, token: &str| site.post(&client, "/api/messages", body).bearer_auth(token);
    let raw = |body: String| send(&Value::Null, shopper.token()).header("content-type", "application/json").body(body);
    let with = |change: &dyn Fn(&mut Value)| {
        let mut body = good.clone();
        change(&mut body);
        send(&body, shopper.token())
    };
    let widget = site.widget_origin();
    let evil = client.post(format!("{widget}/api/messages")).json(&good).bearer_auth(shopper.token());
    let foreign = |path: &str| site.get(&client, path).bearer_auth(stranger.token());
    let read = format!("/api/messages?thread_uuid={}", shopper.thread());
    let cases: Vec<(&str, RequestBuilder, u16)> = vec![
        ("ten megabytes", raw("x".repeat(10 << 20)), 413),
        ("deep JSON", raw("[".repeat(60_000)), 400),
        ("half a body", raw(good.to_string()[..40].to_owned()), 400),
        ("not an object", raw("5".to_owned()), 400),
        ("a wrong uuid", with(&|body| body["thread_uuid"] = json!("../../etc/passwd")), 422),
        ("an unknown thread", with(&|body| body["thread_uuid"] = json!(Uuid::new_v4())), 404),
        ("an empty text", with(&|body| body["messages"] = json!([])), 422),
        ("a text too long", with(&|body| body["messages"][0]["text"]["value"] = json!("a".repeat(501))), 422),
        ("an unknown field", with(&|body| body["merchant_id"] = json!("negin")), 422),
        ("no token", site.post(&client, "/api/messages", &good), 401),
        ("a forged token", send(&good, "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0."), 401),
        ("another merchant's thread", send(&good, stranger.token()), 404),
        ("another visitor's thread", send(&good, neighbour.token()), 404),
        ("another merchant's conversation", foreign(&read), 404),
        ("another merchant's stream", site.events(&client, shopper.thread()).bearer_auth(stranger.token()), 404),
        ("a forged origin", evil.try_clone().unwrap().header("origin", "http://evil.localhost"), 403),
        ("no origin", evil, 403),
        ("an unknown key", site.get(&client, "/api/chatbot-config?api_key=pk_00000000_AAAAAAAAAAAAAAAAAAAAAAAA"), 404),
        ("a path out of the site", client.get(format!("{}/..%2f..%2fmanifests/zadelhoek.yaml", site.zadelhoek())), 404),
        ("another host", client.get(format!("{}/api/openapi.json", site.negin())), 404),
    ];
    let count = cases.len();
    for (what, request, expected) in cases {
        refused(what, request, expected).await;
    }
    repeated_key(&stack, &client, &neighbour).await;
    broken_manifest(&stack, &client, &key).await;

    // Its conversation holds nothing of all that.
    let answer = shopper.ask(QUESTION).await.unwrap();
    assert!(!answer.failed && !answer.refused, "the shop still answers: {answer:?}");
    say(&format!("hostile input: {count} refused; {}; {:.0} s", tally.figures(), started.elapsed().as_secs_f64()));
    tally.assert_whole();
}

/// Refused with the status, and with a document that says why without telling how things look inside.
async fn refused(what: &str, request: RequestBuilder, expected: u16) {
    let response = request.send().await.unwrap_or_else(|error| panic!("{what}: {error:?}"));
    let status = response.status();
    let body = response.text().await.unwrap();
    assert_eq!(status.as_u16(), expected, "{what}: {body}");
    for inside in ["panicked", "postgres", "sqlx", "/root", "src/"] {
        assert!(!body.contains(inside), "{what} told of {inside}: {body}");
    }
}

/// The same key: the same message. Another body under it: refused.
async fn repeated_key(stack: &Stack, client: &Client, shopper: &Shopper) {
    let post = |text: &str| {
        let request = stack.site.post(client, "/api/messages", &shopper.body(text)).bearer_auth(shopper.token());
        request.header("idempotency-key", "twice").header("prefer", "respond-async").send()
    };
    let (first, second) = tokio::join!(post(QUESTION), post(QUESTION));
    let (first, second): (Value, Value) = (first.unwrap().json().await.unwrap(), second.unwrap().json().await.unwrap());
    assert_eq!(first["data"]["question_uuid"], second["data"]["question_uuid"], "{first} {second}");
    assert!(first["data"]["uuid"].is_string(), "{first}");
    let other = post("Iets anders").await.unwrap();
    assert_eq!(other.status(), StatusCode::UNPROCESSABLE_ENTITY);
    let other: Value = other.json().await.unwrap();
    assert_eq!(other["code"], "idempotency_mismatch");
}

/// A manifest that cannot be read changes nothing, and holds up nobody else's.
async fn broken_manifest(stack: &Stack, client: &Client, key: &str) {
    let original = stack.demo.manifest("zadelhoek").unwrap();
    stack.demo.write_manifest("zadelhoek", &format!("{original}\n  broken: [")).unwrap();
    stack.demo.edit_manifest("negin", "title: Negin customer service", "title: Negin Nieuw").unwrap();
    let other_key = stack.site.key("negin", "negin-en").unwrap();
    eventually(WATCHED_MAX, "the other merchant's change shows", || async {
        title(stack, client, &other_key).await == "Negin Nieuw"
    })
    .await;
    assert_eq!(title(stack, client, key).await, "Zadelhoek klantenservice");
    stack.demo.write_manifest("zadelhoek", &original).unwrap();
}

async fn title(stack: &Stack, client: &Client, key: &str) -> String {
    let config = stack.site.get(client, &format!("/api/chatbot-config?api_key={key}")).send().await.unwrap();
    let config: Value = config.json().await.unwrap();
    config["data"]["title"].as_str().unwrap_or_default().to_owned()
}
