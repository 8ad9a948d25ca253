//! A reader of one answer's stream that misses nothing: every piece must go on exactly where the last one ended.

use futures::{Stream, StreamExt};
use serde::Deserialize;
use uuid::Uuid;

use crate::site::Source;

/// One server-sent event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pub name: String,
    pub id: Option<String>,
    pub data: String,
}

/// Events out of the bytes of a response.
pub struct EventReader<Bytes> {
    bytes: Bytes,
    buffer: Vec<u8>,
}

impl<Bytes, Chunk, Error> EventReader<Bytes>
where
    Bytes: Stream<Item = Result<Chunk, Error>> + Unpin,
    Chunk: AsRef<[u8]>,
{
    pub fn new(bytes: Bytes) -> Self {
        Self { bytes, buffer: Vec::new() }
    }

    /// The next whole event; `None` at the stream's end. Half an event before it is dropped, as the standard says.
    pub async fn next(&mut self) -> Result<Option<Event>, Error> {
        loop {
            while let Some(end) = self.buffer.windows(2).position(|both| both == b"\n\n") {
                let block: Vec<u8> = self.buffer.drain(..end + 2).collect();
                if let Some(event) = parse(&String::from_utf8_lossy(&block)) {
                    return Ok(Some(event));
                }
            }
            match self.bytes.next().await {
                Some(chunk) => self.buffer.extend_from_slice(chunk?.as_ref()),
                None => return Ok(None),
            }
        }
    }
}

fn parse(block: &str) -> Option<Event> {
    let mut event = Event { name: "message".to_owned(), id: None, data: String::new() };
    for line in block.lines() {
        match line.split_once(": ") {
            Some(("event", name)) => name.clone_into(&mut event.name),
            Some(("id", id)) => event.id = Some(id.to_owned()),
            Some(("data", data)) => event.data.push_str(data),
            _ => {}
        }
    }
    (!event.data.is_empty()).then_some(event)
}

/// What a reader knows of the answer to one turn.
#[derive(Debug)]
pub struct Reading {
    turn: Uuid,
    attempt: Option<String>,
    /// The text as it was streamed, without what storing replaced.
    pub text: String,
    characters: usize,
    pub stored: Option<StoredAnswer>,
    pub has_ended: bool,
    pub lost: usize,
    pub doubled: usize,
    pub replaced: usize,
    pub pieces: usize,
}

/// The answer as the stream gave it once it was stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredAnswer {
    pub text: String,
    pub sources: Vec<Source>,
    pub refused: bool,
    pub failed: bool,
}

#[derive(Deserialize)]
struct MessageEvent {
    uuid: Uuid,
    content: Vec<Part>,
    replace: bool,
    #[serde(default)]
    sources: Vec<Source>,
    #[serde(default)]
    refused: bool,
    #[serde(default)]
    failed: bool,
}

/// One part of a message's content.
#[derive(Deserialize)]
pub(crate) struct Part {
    text: Text,
}

#[derive(Deserialize)]
struct Text {
    value: String,
}

#[derive(Deserialize)]
struct Command {
    name: String,
    uuid: Option<Uuid>,
}

/// The whole text of a message.
pub(crate) fn text_of(content: &[Part]) -> String {
    content.iter().map(|part| part.text.value.as_str()).collect()
}

impl Reading {
    pub fn new(turn: Uuid) -> Self {
        Self {
            turn,
            attempt: None,
            text: String::new(),
            characters: 0,
            stored: None,
            has_ended: false,
            lost: 0,
            doubled: 0,
            replaced: 0,
            pieces: 0,
        }
    }

    /// Lays an event over what is known. Events of other messages and log lines change nothing.
    pub fn apply(&mut self, event: &Event) -> anyhow::Result<()> {
        match event.name.as_str() {
            "message" => {
                let message: MessageEvent = serde_json::from_str(&event.data)?;
                if message.uuid == self.turn {
                    self.apply_message(event.id.as_deref().unwrap_or_default(), message)?;
                }
            }
            "command" => {
                let command: Command = serde_json::from_str(&event.data)?;
                self.has_ended |= command.name == "END" && command.uuid == Some(self.turn);
            }
            _ => {}
        }
        Ok(())
    }

    fn apply_message(&mut self, id: &str, message: MessageEvent) -> anyhow::Result<()> {
        let MessageEvent { content, replace, sources, refused, failed, .. } = message;
        let text = text_of(&content);
        let parts: Vec<&str> = id.split('.').collect();
        let [_, attempt, end] = parts[..] else { anyhow::bail!("{id:?} is not the id of an event") };
        if attempt == "stored" {
            self.doubled += usize::from(self.stored.is_some());
            self.stored = Some(StoredAnswer { text, sources, refused, failed });
            return Ok(());
        }
        let end: usize = end.parse()?;
        let begin = end.checked_sub(text.chars().count()).unwrap_or(usize::MAX);
        self.pieces += 1;
        if self.stored.is_some() {
            self.doubled += 1;
        }
        if replace {
            self.replaced += usize::from(self.characters > 0);
            self.lost += usize::from(begin != 0);
            self.text = text;
        } else {
            let is_same = self.attempt.as_deref().is_none_or(|known| known == attempt);
            // Another attempt may begin without `replace` only where nothing stands yet.
            let expected = if is_same || self.characters == 0 { self.characters } else { usize::MAX };
            self.doubled += usize::from(begin < expected);
            self.lost += usize::from(begin > expected);
            self.text.push_str(&text);
        }
        self.characters = end;
        self.attempt = Some(attempt.to_owned());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TURN: Uuid = Uuid::from_u128(1);

    fn event(id: &str, text: &str, replace: bool) -> Event {
        let data = serde_json::json!({"uuid": TURN, "content": [{"type": "text", "text": {"value": text}}], "replace": replace});
        Event { name: "message".to_owned(), id: Some(id.to_owned()), data: data.to_string() }
    }

    fn read(events: &[Event]) -> Reading {
        let mut reading = Reading::new(TURN);
        for event in events {
            reading.apply(event).unwrap();
        }
        reading
    }

    #[test]
    fn pieces_that_follow_each_other_are_whole() {
        let end = Event {
            name: "command".to_owned(),
            id: None,
            data: format!(r#"{{"name":"END","uuid":"{TURN}","is_closing":false,"state":"bot"}}"#),
        };
        let reading = read(&[
            event("2.a.4", "één ", false),
            event("2.a.8", "twee", false),
            event("2.stored.0", "één twee", true),
            end,
        ]);
        assert_eq!((reading.lost, reading.doubled, reading.replaced), (0, 0, 0));
        assert_eq!(reading.text, "één twee");
        assert!(reading.has_ended && reading.stored.is_some_and(|stored| stored.text == "één twee"));
    }

    #[test]
    fn a_gap_a_repetition_and_a_silent_change_of_attempt_are_noticed() {
        assert_eq!(read(&[event("2.a.4", "een ", false), event("2.a.9", "twee", false)]).lost, 1);
        assert_eq!(read(&[event("2.a.4", "een ", false), event("2.a.4", "een ", false)]).doubled, 1);
        assert_eq!(read(&[event("2.a.4", "een ", false), event("2.b.4", "een ", false)]).doubled, 1);
        assert_eq!(read(&[event("2.stored.0", "a", true), event("2.stored.0", "a", true)]).doubled, 1);
        let replaced = read(&[event("2.a.4", "een ", false), event("2.b.4", "een ", true), event("2.b.5", "t", false)]);
        assert_eq!((replaced.lost, replaced.doubled, replaced.replaced), (0, 0, 1));
    }

    #[tokio::test]
    async fn events_are_read_however_the_bytes_are_cut() {
        let text =
            "retry: 1000\n\n: still here\n\nevent: log\ndata: {\"a\":1}\n\nid: 2.stored.0\ndata: é\n\nevent: half\nda";
        let chunks: Vec<Result<Vec<u8>, std::io::Error>> = text.bytes().map(|byte| Ok(vec![byte])).collect();
        let mut events = EventReader::new(futures::stream::iter(chunks));
        assert_eq!(events.next().await.unwrap().unwrap().name, "log");
        let second = events.next().await.unwrap().unwrap();
        assert_eq!((second.id.as_deref(), second.data.as_str()), (Some("2.stored.0"), "é"));
        assert!(events.next().await.unwrap().is_none());
    }
}
