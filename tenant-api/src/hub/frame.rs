//! Server-sent events as bytes. A frame is encoded once and shared by every stream it goes to.

use std::fmt::Write;

use bytes::Bytes;
use serde::Serialize;
use vitrine_domain::{Answer, AttemptId, LogLevel, MessageId, StreamId, ThreadState, TurnId};

use crate::store::messages::StoredMessage;
use crate::wire::{CommandName, Part, Role, SourceBody, StreamCommand, StreamLog, StreamMessage};

/// Tells the browser how long to wait before it comes back, in ms.
pub const RETRY: &str = "retry: 1000\n\n";
/// Keeps proxies from closing an idle connection.
pub const HEARTBEAT: &str = ": heartbeat\n\n";

/// One frame of a thread, with what a reader must know to decide whether it wants it.
#[derive(Clone, Debug)]
pub enum Frame {
    /// An attempt begins; `bytes` void what was shown before.
    Started {
        sequence: i64,
        attempt: AttemptId,
        bytes: Bytes,
    },
    /// Text from `start` to `end`, in Unicode scalar values.
    Delta {
        sequence: i64,
        attempt: AttemptId,
        start: usize,
        end: usize,
        bytes: Bytes,
    },
    Log {
        sequence: i64,
        bytes: Bytes,
    },
    /// The stored answer and its END.
    Stored {
        sequence: i64,
        turn: TurnId,
        bytes: Bytes,
    },
    /// Nothing more is to be expected: streams end.
    Close,
}

impl Frame {
    /// The answer it belongs to; `None` for `Close`.
    pub const fn sequence(&self) -> Option<i64> {
        match self {
            Self::Started { sequence, .. }
            | Self::Delta { sequence, .. }
            | Self::Log { sequence, .. }
            | Self::Stored { sequence, .. } => Some(*sequence),
            Self::Close => None,
        }
    }

    /// What it costs to keep, in bytes.
    pub fn weight(&self) -> usize {
        let bytes = match self {
            Self::Started { bytes, .. }
            | Self::Delta { bytes, .. }
            | Self::Log { bytes, .. }
            | Self::Stored { bytes, .. } => bytes.len(),
            Self::Close => 0,
        };
        size_of::<Self>() + bytes
    }
}

/// Text of an unfinished answer.
pub struct Piece<'a> {
    pub turn: TurnId,
    pub sequence: i64,
    pub attempt: AttemptId,
    pub text: &'a str,
    /// Where the reader is after it.
    pub end: usize,
    /// Whether it is everything so far instead of a continuation.
    pub is_whole: bool,
}

/// `event: message` with text of an unfinished answer.
pub fn piece(piece: &Piece<'_>) -> String {
    let Piece { turn, sequence, attempt, text, end, is_whole } = *piece;
    let id = StreamId::Unfinished { sequence, attempt, characters: end };
    let payload = StreamMessage {
        uuid: MessageId::from(turn).as_uuid(),
        sequence,
        role: Role::Ai,
        content: vec![Part::text(text)],
        replace: is_whole,
        sources: None,
        refused: None,
        failed: None,
    };
    event("message", Some(id), &payload)
}

/// `event: log`: a code that the widget translates.
pub fn log(level: LogLevel, code: &str) -> String {
    event("log", None, &StreamLog { level: level.into(), text: code.to_owned() })
}

/// `event: message` with a stored message.
pub fn stored_message(message: &StoredMessage) -> String {
    let StoredMessage { message: uuid, sequence, role, text, sources, refused, failed, .. } = message;
    let payload = StreamMessage {
        uuid: uuid.as_uuid(),
        sequence: *sequence,
        role: (*role).into(),
        content: vec![Part::text(text)],
        replace: true,
        sources: Some(sources.iter().map(SourceBody::from).collect()),
        refused: Some(*refused),
        failed: Some(*failed),
    };
    event("message", Some(StreamId::Stored { sequence: *sequence }), &payload)
}

/// The same for an answer as its END told it.
pub fn stored_answer(turn: TurnId, sequence: i64, answer: &Answer) -> String {
    let Answer { text, sources, refused, failed } = answer;
    let payload = StreamMessage {
        uuid: MessageId::from(turn).as_uuid(),
        sequence,
        role: Role::Ai,
        content: vec![Part::text(text)],
        replace: true,
        sources: Some(sources.iter().map(SourceBody::from).collect()),
        refused: Some(*refused),
        failed: Some(*failed),
    };
    event("message", Some(StreamId::Stored { sequence }), &payload)
}

/// `event: command` END: the answer is complete. Without an answer it only says that nothing is to be expected.
pub fn end(answer: Option<(MessageId, i64)>, is_closing: bool, state: ThreadState) -> String {
    let id = answer.map(|(_, sequence)| StreamId::Stored { sequence });
    let payload = StreamCommand {
        name: CommandName::End,
        uuid: answer.map(|(uuid, _)| uuid.as_uuid()),
        is_closing,
        state: state.into(),
    };
    event("command", id, &payload)
}

/// JSON has no raw line breaks, so every payload is one `data:` line.
fn event(name: &str, id: Option<StreamId>, payload: &impl Serialize) -> String {
    let data = serde_json::to_string(payload).expect("payloads are plain structures");
    let mut frame = String::with_capacity(data.len() + 96);
    writeln!(frame, "event: {name}").expect("a string takes everything");
    if let Some(id) = id {
        writeln!(frame, "id: {id}").expect("a string takes everything");
    }
    write!(frame, "data: {data}\n\n").expect("a string takes everything");
    frame
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn frames_are_as_the_contract_says() {
        let turn = TurnId::new(Uuid::from_u128(1));
        let attempt = AttemptId::new(Uuid::from_u128(2));
        let answer = Answer { text: "Op vrijdag.\n[1]".to_owned(), ..Answer::default() };
        let frames = [
            piece(&Piece { turn, sequence: 2, attempt, text: "Op ", end: 3, is_whole: false }),
            log(LogLevel::Info, "searching"),
            stored_answer(turn, 2, &answer),
            end(Some((turn.into(), 2)), false, ThreadState::Bot),
        ]
        .concat();
        insta::assert_snapshot!(frames);
    }

    #[test]
    fn text_cannot_break_out_of_its_frame() {
        let turn = TurnId::new(Uuid::from_u128(1));
        let attempt = AttemptId::new(Uuid::from_u128(2));
        let text = "a\n\nevent: command\r\ndata: {}\u{2028}";
        let frame = piece(&Piece { turn, sequence: 2, attempt, text, end: 1, is_whole: false });
        assert_eq!(frame.matches('\n').count(), 4, "{frame:?}");
        assert!(!frame.contains('\r'));
    }
}
