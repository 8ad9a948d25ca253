//! A stream as a browser reads it.

use reqwest::Response;
use serde_json::Value;

/// One event.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    pub name: String,
    pub id: Option<String>,
    pub data: Value,
}

/// An open stream.
pub struct Events {
    response: Response,
    buffer: String,
}

/// What a reader has put together of one answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    pub text: String,
    pub is_stored: bool,
}

impl Events {
    pub fn new(response: Response) -> Self {
        Self { response, buffer: String::new() }
    }

    /// The next event; `None` when the server has ended the stream.
    pub async fn next(&mut self) -> Option<Event> {
        tokio::time::timeout(super::SOON, self.read()).await.expect("an event or the end within the deadline")
    }

    /// Everything until the server ends the stream.
    pub async fn rest(mut self) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            events.push(event);
        }
        events
    }

    /// Events until one of this name, which is the last given.
    pub async fn until(&mut self, name: &str) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            let is_it = event.name == name;
            events.push(event);
            if is_it {
                return events;
            }
        }
        panic!("the stream ended before {name}: {events:?}");
    }

    async fn read(&mut self) -> Option<Event> {
        loop {
            while let Some(end) = self.buffer.find("\n\n") {
                let block: String = self.buffer.drain(..end + 2).collect();
                let event = parse(&block);
                if event.is_some() {
                    return event;
                }
            }
            let chunk = self.response.chunk().await.expect("an unbroken stream")?;
            self.buffer.push_str(std::str::from_utf8(&chunk).expect("whole characters in every chunk"));
        }
    }
}

fn parse(block: &str) -> Option<Event> {
    let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
    Some(Event {
        name: field("event: ")?,
        id: field("id: "),
        data: serde_json::from_str(&field("data: ")?).expect("JSON data"),
    })
}

impl Event {
    /// The text of a `message`.
    pub fn text(&self) -> &str {
        self.data["content"][0]["text"]["value"].as_str().expect("a text")
    }
}

impl Shown {
    /// Does with a `message` what a widget does.
    pub fn take(&mut self, event: &Event) {
        if event.name != "message" || event.data["role"] != "ai" {
            return;
        }
        if event.data["replace"] == true {
            self.text.clear();
        }
        self.text.push_str(event.text());
        self.is_stored |= event.id.as_deref().is_some_and(|id| id.ends_with(".stored.0"));
    }
}
