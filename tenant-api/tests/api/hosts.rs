//! Four hosts on one port, strangers to each other.

use reqwest::Method;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::{Answer, Stack, shops};

/// What a raw request is answered with.
async fn raw(stack: &Stack, request: &str) -> String {
    let mut connection = TcpStream::connect(stack.address).await.unwrap();
    connection.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let read = connection.read_to_end(&mut answer);
    tokio::time::timeout(crate::support::SOON, read).await.expect("an answer and the end").unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn each_host_serves_its_own_and_nothing_of_the_others() {
    let stack = Stack::start().await;
    let key = shops::DUTCH;
    let places = [
        ("widget", format!("/w/{key}.js")),
        ("widget", format!("/iframe/{key}")),
        ("widget", format!("/chatbot-iframe?api_key={key}")),
        ("widget", format!("/api/chatbot-config?api_key={key}")),
        ("widget", "/assets/widget-1.js".to_owned()),
        ("console", "/".to_owned()),
        ("shop", format!("/demo/{key}")),
        ("zadelhoek", "/".to_owned()),
        ("zadelhoek", "/shop.css".to_owned()),
    ];
    for (host, path) in &places {
        for other in ["widget", "console", "uploads", "shop", "zadelhoek", "elsewhere"] {
            let answer = stack.get(other, path).send().await.unwrap();
            let is_own = other == *host || (path == "/" && ["console", "zadelhoek"].contains(&other));
            assert_eq!(answer.status().is_success(), is_own, "{other}{path}");
            assert_eq!(answer.headers()["x-content-type-options"], "nosniff", "{other}{path}");
            assert!(answer.headers().contains_key("content-security-policy") || is_own, "{other}{path}");
        }
    }
    Answer::read(stack.get("elsewhere", "/")).await.problem(404, "not_found");
    Answer::read(stack.get("uploads", "/anything")).await.problem(404, "not_found");
    let own = stack.client.get(format!("http://127.0.0.1:{}/", stack.address.port())).send().await.unwrap();
    assert_eq!(own.status(), 200, "a site of its own");
}

#[tokio::test]
async fn odd_requests_are_refused_and_the_server_goes_on() {
    let stack = Stack::start().await;
    let port = stack.address.port();
    let get = |host: &str, more: &str| format!("GET / HTTP/1.1\r\n{host}{more}Connection: close\r\n\r\n");
    assert!(raw(&stack, &get("", "")).await.starts_with("HTTP/1.1 404"), "no host");
    assert!(raw(&stack, &get("Host: a b\r\n", "")).await.starts_with("HTTP/1.1 404"), "no host name");
    assert!(raw(&stack, &get("Host: widget.localhost\u{7f}\r\n", "")).await.starts_with("HTTP/1.1 400"));
    let many = "X-Much: 1\r\n".repeat(200);
    assert!(raw(&stack, &get(&format!("Host: widget.localhost:{port}\r\n"), &many)).await.starts_with("HTTP/1.1 431"));
    let large = format!("X-Large: {}\r\n", "x".repeat(100_000));
    assert!(raw(&stack, &get(&format!("Host: widget.localhost:{port}\r\n"), &large)).await.starts_with("HTTP/1.1 431"));
    for (path, status, code) in [
        ("/api/chatbot-config?api_key=%FF", 404, "unknown_key"),
        ("/api/chatbot-config?api_key=a&api_key=b", 400, "malformed"),
        ("/chatbot-iframe?api_key=a&api_key=b", 400, "malformed"),
        ("/iframe/%FF", 404, "not_found"),
        ("/w/%FF.js", 404, "not_found"),
        ("/api", 404, "not_found"),
        ("//api//chatbot-config", 404, "not_found"),
    ] {
        Answer::read(stack.call(Method::GET, path)).await.problem(status, code);
    }
    let long = format!("/w/{}", "x".repeat(5_000));
    Answer::read(stack.get("widget", &long)).await.problem(413, "too_large");
    let split = stack.call(Method::GET, "/api/chatbot-config?api_key=a%0d%0aSet-Cookie:%20a=b");
    let refused = Answer::read(split).await;
    refused.problem(404, "unknown_key");
    assert!(!refused.headers.contains_key("set-cookie"));
    stack.shopper(shops::DUTCH).await;
}
