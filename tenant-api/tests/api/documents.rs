//! The loader, the widget's document and the pages around them.

use reqwest::Response;
use serde_json::Value;

use crate::support::{Answer, Stack, shops};

async fn get(stack: &Stack, host: &str, path: &str) -> Response {
    stack.get(host, path).send().await.unwrap()
}

#[tokio::test]
async fn the_loader_carries_its_settings_and_is_cached_for_a_minute() {
    let stack = Stack::start().await;
    let path = format!("/w/{}.js", shops::DUTCH);
    let response = get(&stack, "widget", &path).await;
    assert_eq!(response.headers()["content-type"], "text/javascript; charset=utf-8");
    assert_eq!(response.headers()["cache-control"], "public, max-age=60");
    assert_eq!(response.headers()["cross-origin-resource-policy"], "cross-origin");
    let tag = response.headers()["etag"].clone();
    let text = response.text().await.unwrap();
    let settings = text.strip_prefix("(()=>{start(").and_then(|rest| rest.strip_suffix(")})();\n")).unwrap();
    let mut settings: Value = serde_json::from_str(settings).unwrap();
    assert_eq!(settings["widgetOrigin"], stack.widget_origin());
    settings["widgetOrigin"] = "…".into();
    insta::assert_json_snapshot!(settings);

    let known = stack.get("widget", &path).header("if-none-match", &tag).send().await.unwrap();
    assert_eq!((known.status().as_u16(), &known.headers()["etag"]), (304, &tag));
    let changed = stack.get("widget", &path).header("if-none-match", "W/\"other\"").send().await.unwrap();
    assert_eq!(changed.status(), 200);
}

#[tokio::test]
async fn a_loader_for_nobody_says_so_in_the_console_and_does_nothing() {
    let stack = Stack::start().await;
    for (key, status) in [(shops::UNKNOWN, 404), ("x", 404), ("%27);alert(1)", 404), (shops::SUSPENDED, 403)] {
        let response = get(&stack, "widget", &format!("/w/{key}.js")).await;
        assert_eq!(response.status().as_u16(), status, "{key}");
        assert_eq!(response.headers()["content-type"], "text/javascript; charset=utf-8");
        let text = response.text().await.unwrap();
        assert!(text.contains("console.warn(\"[vitrine] ") && text.len() < 200 && !text.contains("alert"), "{text}");
    }
    Answer::read(stack.get("widget", &format!("/w/{}.css", shops::DUTCH))).await.problem(404, "not_found");
}

#[tokio::test]
async fn the_document_may_be_framed_by_the_shop_only_and_carries_a_fresh_visitor() {
    let stack = Stack::start().await;
    let key = shops::DUTCH;
    let mut tokens = Vec::new();
    for path in [
        format!("/iframe/{key}"),
        format!("/iframe/{key}/018f0000-0000-7000-8000-000000000000"),
        format!("/chatbot-iframe?api_key={key}"),
    ] {
        let response = get(&stack, "widget", &path).await;
        assert_eq!(response.status(), 200, "{path}");
        let headers = response.headers().clone();
        assert_eq!(headers["cache-control"], "no-store");
        assert_eq!(headers["referrer-policy"], "strict-origin-when-cross-origin");
        let uploads = stack.origin("uploads");
        let policy = format!(
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: {uploads}; connect-src 'self'; \
             base-uri 'none'; form-action 'none'; frame-ancestors https://shop.example https://*.shop.example:8443 \
             http://zadelhoek.localhost:7400"
        );
        assert_eq!(headers["content-security-policy"], policy);
        let text = response.text().await.unwrap();
        let session = text.split("type=\"application/json\">").nth(1).and_then(|rest| rest.split("</script>").next());
        let session: Value = serde_json::from_str(session.unwrap()).unwrap();
        assert_eq!(session["key"], key);
        tokens.push(session["embed_token"].as_str().unwrap().to_owned());
        let call = stack.get("widget", "/api/messages?thread_uuid=018f0000-0000-7000-8000-000000000000");
        Answer::read(call.bearer_auth(tokens.last().unwrap())).await.problem(404, "thread_not_found");
    }
    assert!(tokens[0] != tokens[1] && tokens[1] != tokens[2]);
}

#[tokio::test]
async fn a_document_for_nobody_is_small_and_inert() {
    let stack = Stack::start().await;
    for (key, status) in [(shops::UNKNOWN, 404), ("%3Cscript%3Ealert(1)%3C%2Fscript%3E", 404), (shops::SUSPENDED, 403)]
    {
        for path in [format!("/iframe/{key}"), format!("/chatbot-iframe?api_key={key}")] {
            let response = get(&stack, "widget", &path).await;
            assert_eq!(response.status().as_u16(), status, "{path}");
            assert!(response.headers()["content-security-policy"].to_str().unwrap().contains("frame-ancestors 'none'"));
            let text = response.text().await.unwrap();
            assert!(text.contains("This chat is not available") && !text.contains("<script") && text.len() < 2_000);
        }
    }
    assert_eq!(get(&stack, "widget", "/chatbot-iframe").await.status(), 404);
}

#[tokio::test]
async fn assets_are_kept_for_ever_and_their_absence_is_not() {
    let stack = Stack::start().await;
    let asset = get(&stack, "widget", "/assets/widget-1.js").await;
    assert_eq!(asset.headers()["cache-control"], "public, max-age=31536000, immutable");
    assert_eq!(asset.headers()["content-type"], "text/javascript");
    let missing = get(&stack, "widget", "/assets/widget-2.js").await;
    assert_eq!((missing.status().as_u16(), &missing.headers()["cache-control"]), (404, &"no-store".parse().unwrap()));
    let packed = stack.get("widget", "/assets/widget-1.js").header("accept-encoding", "br").send().await.unwrap();
    assert_eq!(packed.headers()["content-encoding"], "br");
}

#[tokio::test]
async fn nothing_outside_a_folder_can_be_reached() {
    let stack = Stack::start().await;
    for (host, start) in [("zadelhoek", "/"), ("widget", "/assets/")] {
        for path in [
            "..%2fsecret.txt",
            "..%2f..%2fsecret.txt",
            "%2e%2e/secret.txt",
            "x/..%2f..%2f..%2fsecret.txt",
            "%2fetc%2fpasswd",
            "..%5csecret.txt",
            "%00",
            "shop.css%00.html",
            "C:%5cwindows",
        ] {
            let response = get(&stack, host, &format!("{start}{path}")).await;
            assert!(response.status().is_client_error(), "{host}{start}{path}: {}", response.status());
            assert!(!response.text().await.unwrap().contains("nobody may read this"));
        }
    }
    assert_eq!(get(&stack, "zadelhoek", "/shop.css").await.text().await.unwrap(), "body { margin: 0; }\n");
}

#[tokio::test]
async fn a_demo_shop_embeds_the_widget_of_this_installation() {
    let stack = Stack::start().await;
    let response = get(&stack, "zadelhoek", "/").await;
    let policy = response.headers()["content-security-policy"].to_str().unwrap().to_owned();
    let widget = stack.widget_origin();
    assert!(policy.contains(&format!("frame-src {widget}")) && policy.contains("frame-ancestors 'none'"), "{policy}");
    let text = response.text().await.unwrap();
    assert_eq!(text, format!("<!doctype html><script async src=\"{widget}/w/{}.js\"></script>\n", shops::DUTCH));
    let again = stack.get("zadelhoek", "/index.html").header("if-modified-since", "Sat, 21 Nov 2099 00:00:00 GMT");
    assert_eq!(again.send().await.unwrap().status(), 200);
    Answer::read(stack.get("zadelhoek", "/nothing.html")).await.problem(404, "not_found");
}

#[tokio::test]
async fn every_merchant_has_a_page_to_try_its_widget_on() {
    let stack = Stack::start().await;
    let text = get(&stack, "shop", &format!("/demo/{}", shops::PERSIAN)).await.text().await.unwrap();
    assert!(text.contains("<html lang=\"fa\" dir=\"rtl\">"));
    assert!(text.contains(&format!(
        "<script async src=\"{}/w/{}.js\"></script>",
        stack.widget_origin(),
        shops::PERSIAN
    )));
    Answer::read(stack.get("shop", &format!("/demo/{}", shops::UNKNOWN))).await.problem(404, "unknown_key");

    let console = get(&stack, "console", "/").await;
    let policy = console.headers()["content-security-policy"].to_str().unwrap().to_owned();
    assert!(policy.contains("frame-ancestors 'none'") && policy.contains("default-src 'none'"), "{policy}");
    let text = console.text().await.unwrap();
    assert!(text.contains(&format!("href=\"{}/\"", stack.origin("zadelhoek"))), "{text}");
}
