//! A visitor's browser.

use reqwest::header::HeaderMap;
use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};

use super::Stack;
use super::sse::Events;

/// A visitor with a token.
pub struct Shopper<'a> {
    pub stack: &'a Stack,
    pub token: String,
}

/// A response that was read.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Value,
}

impl Answer {
    pub async fn read(request: RequestBuilder) -> Self {
        let response = request.send().await.expect("a response");
        let (status, headers) = (response.status(), response.headers().clone());
        let text = response.text().await.expect("a body");
        let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
        Self { status, headers, body }
    }

    /// The problem's code, after checking that it is a problem.
    #[track_caller]
    pub fn problem(&self, status: u16, code: &str) -> &Value {
        assert_eq!((self.status.as_u16(), self.body["code"].as_str()), (status, Some(code)), "{self:?}");
        assert_eq!(self.headers["content-type"], "application/problem+json");
        assert_eq!(self.body["status"], status);
        assert!(self.body["message"].as_str().is_some_and(|message| !message.is_empty()), "{self:?}");
        &self.body["errors"]
    }

    /// The data of a successful answer.
    #[track_caller]
    pub fn data(&self, status: u16) -> &Value {
        assert_eq!(self.status.as_u16(), status, "{self:?}");
        assert!(self.body["message"].is_string(), "{self:?}");
        &self.body["data"]
    }
}

impl<'a> Shopper<'a> {
    pub async fn arrive(stack: &'a Stack, key: &str) -> Self {
        let config = Answer::read(stack.call(Method::GET, &format!("/api/chatbot-config?api_key={key}"))).await;
        let token = config.data(200)["embed_token"].as_str().expect("a token").to_owned();
        Self { stack, token }
    }

    pub fn call(&self, method: Method, path: &str) -> RequestBuilder {
        self.stack.call(method, path).bearer_auth(&self.token)
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        Answer::read(self.call(Method::POST, path).json(&body)).await
    }

    pub async fn get(&self, path: &str) -> Answer {
        Answer::read(self.call(Method::GET, path)).await
    }

    /// Begins a conversation and keeps the visitor token; gives the thread.
    pub async fn begin(&mut self) -> String {
        let created = self.post("/api/thread", json!({"agent_namespace": "customer_support"})).await;
        let data = created.data(201);
        data["visitor_token"].as_str().expect("a token").clone_into(&mut self.token);
        data["uuid"].as_str().expect("a thread").to_owned()
    }

    pub fn message(thread: &str, text: &str) -> Value {
        json!({
            "thread_uuid": thread, "agent_namespace": "customer_support",
            "messages": [{"type": "text", "text": {"value": text}}],
        })
    }

    /// Says something and does not wait for the answer.
    pub async fn ask(&self, thread: &str, text: &str) -> Answer {
        let call = self.call(Method::POST, "/api/messages").header("prefer", "respond-async");
        Answer::read(call.json(&Self::message(thread, text))).await
    }

    /// Opens the thread's stream, behind `last`.
    pub async fn events(&self, thread: &str, last: Option<&str>) -> Events {
        let mut call = self.call(Method::GET, &format!("/api/threads/{thread}/events"));
        if let Some(last) = last {
            call = call.header("last-event-id", last);
        }
        let response = call.send().await.expect("a response");
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        assert!(response.headers().get("content-encoding").is_none());
        Events::new(response)
    }
}
