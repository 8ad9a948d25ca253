//! One open stream: what a reader has, and what comes next.

use std::fmt::Write;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use tokio::sync::watch;
use tokio::time::timeout;
use vitrine_database::StoreError;
use vitrine_domain::{AttemptId, LogLevel, Role, StreamId};

use super::channel::Unfinished;
use super::frame::{self, Frame, Piece};
use super::log::Lagged;
use super::reader::Reader;
use super::stored::{ThreadNow, ThreadOf};
use super::{Closed, Hub, Phase};
use crate::store::messages::MESSAGES_AFTER_MAX;

/// A stream is never silent for longer.
const HEARTBEAT_EVERY: Duration = Duration::from_secs(15);

/// Where a reader is.
#[derive(Clone, Copy, Debug, Default)]
struct Position {
    /// Everything stored up to this sequence is with the reader. `None`: a newcomer, who wants no history.
    through: Option<i64>,
    /// How much of an unfinished answer is.
    unfinished: Option<Reached>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reached {
    sequence: i64,
    attempt: AttemptId,
    characters: usize,
}

impl From<StreamId> for Position {
    fn from(id: StreamId) -> Self {
        match id {
            StreamId::Stored { sequence } => Self { through: Some(sequence), unfinished: None },
            StreamId::Unfinished { sequence, attempt, characters } => Self {
                through: Some((sequence - 1).max(0)),
                unfinished: Some(Reached { sequence, attempt, characters }),
            },
        }
    }
}

/// A stream of one visitor's thread, as chunks of server-sent events.
pub struct ThreadStream {
    hub: Hub,
    of: ThreadOf,
    position: Position,
    phase: watch::Receiver<Phase>,
    /// `None` until the hub is live.
    reader: Option<Reader>,
    /// What the stream begins with.
    first: Option<String>,
    expects_answer: bool,
    is_done: bool,
}

/// Why a stream could not go on. The browser comes back and resumes.
#[derive(Debug, thiserror::Error)]
enum Broken {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("failed to find the thread again")]
    Gone,
    #[error("failed to go on: the process stops")]
    Closing,
}

impl From<Closed> for Broken {
    fn from(_: Closed) -> Self {
        Self::Closing
    }
}

/// What a frame means for this reader.
enum Step {
    Send(Bytes),
    Skip,
    /// The frame does not join on: tell everything since the reader's position from the truth.
    Sync,
    End,
}

impl ThreadStream {
    /// Opens a stream behind `last` (the browser's `Last-Event-ID`); `None` when the visitor has no such thread.
    pub async fn open(hub: &Hub, of: ThreadOf, last: Option<StreamId>) -> Result<Option<Self>, StoreError> {
        let mut stream = Self {
            hub: hub.clone(),
            of,
            position: last.map(Position::from).unwrap_or_default(),
            phase: hub.inner.phase.subscribe(),
            reader: None,
            first: None,
            expects_answer: false,
            is_done: false,
        };
        match stream.sync().await {
            Ok(told) => stream.first = Some(format!("{}{told}", frame::RETRY)),
            Err(Broken::Store(error)) => return Err(error),
            Err(Broken::Gone) => return Ok(None),
            Err(Broken::Closing) => {
                stream.first = Some(frame::RETRY.to_owned());
                stream.is_done = true;
            }
        }
        Ok(Some(stream))
    }

    /// The next chunk; `None` at the end.
    pub async fn next(&mut self) -> Option<Bytes> {
        if let Some(first) = self.first.take() {
            return Some(first.into());
        }
        loop {
            if self.is_done {
                return None;
            }
            let told = match self.wait().await {
                Event::Frames(frames) => self.take(frames).await,
                Event::Live => self.sync().await.map(Bytes::from),
                Event::Silence => self.beat().await,
                Event::CutOff => return None,
            };
            match told {
                Ok(bytes) if bytes.is_empty() => {}
                Ok(bytes) => return Some(bytes),
                Err(Broken::Closing) => return None,
                Err(error) => {
                    tracing::warn!(thread.id = %self.of.thread, error = %error, "ended a stream early");
                    return None;
                }
            }
        }
    }

    async fn wait(&mut self) -> Event {
        if let Some(reader) = &mut self.reader {
            return match timeout(HEARTBEAT_EVERY, reader.next()).await {
                Ok(Ok(frames)) => Event::Frames(frames),
                Ok(Err(Lagged)) => Event::CutOff,
                Err(_) => Event::Silence,
            };
        }
        let live = self.phase.wait_for(|phase| *phase != Phase::CatchingUp);
        match timeout(HEARTBEAT_EVERY, live).await {
            Ok(Ok(phase)) if *phase == Phase::Live => Event::Live,
            Ok(_) => Event::CutOff,
            Err(_) => Event::Silence,
        }
    }

    /// Nothing was heard for a while. While an answer is expected, the truth is looked at: the bus may be away.
    async fn beat(&mut self) -> Result<Bytes, Broken> {
        let mut told = if self.expects_answer { self.sync().await? } else { String::new() };
        told.push_str(frame::HEARTBEAT);
        Ok(told.into())
    }

    async fn take(&mut self, frames: Vec<Frame>) -> Result<Bytes, Broken> {
        let mut told: Vec<Bytes> = Vec::with_capacity(frames.len());
        for frame in frames {
            match self.step(frame) {
                Step::Send(bytes) => told.push(bytes),
                Step::Skip => {}
                Step::Sync => {
                    // The remaining frames are older than what is told now.
                    told.push(self.sync().await?.into());
                    break;
                }
                Step::End => {
                    self.is_done = true;
                    break;
                }
            }
        }
        Ok(match <[Bytes; 1]>::try_from(told) {
            Ok([one]) => one,
            Err(told) => told
                .iter()
                .fold(BytesMut::new(), |mut all, bytes| {
                    all.extend_from_slice(bytes);
                    all
                })
                .freeze(),
        })
    }

    fn step(&mut self, frame: Frame) -> Step {
        let Some(sequence) = frame.sequence() else { return Step::End };
        let through = self.position.through.unwrap_or(0);
        if sequence <= through {
            return Step::Skip;
        }
        let reached = self.position.unfinished.filter(|reached| reached.sequence == sequence);
        if reached.is_none() && sequence > through + 1 {
            // Something was stored in between that this reader has not been told.
            return Step::Sync;
        }
        match frame {
            Frame::Started { attempt, bytes, .. } => {
                let has_shown = reached.is_some_and(|reached| reached.characters > 0 && reached.attempt != attempt);
                if reached.is_none_or(|reached| reached.attempt != attempt) {
                    self.position.unfinished = Some(Reached { sequence, attempt, characters: 0 });
                }
                if has_shown { Step::Send(bytes) } else { Step::Skip }
            }
            Frame::Delta { attempt, start, end, bytes, .. } => {
                let reached = reached.unwrap_or(Reached { sequence, attempt, characters: 0 });
                if reached.attempt == attempt && end <= reached.characters {
                    return Step::Skip;
                }
                if reached.attempt != attempt || start != reached.characters {
                    return Step::Sync;
                }
                self.position.unfinished = Some(Reached { characters: end, ..reached });
                Step::Send(bytes)
            }
            Frame::Log { bytes, .. } => Step::Send(bytes),
            Frame::Stored { bytes, .. } => {
                self.position = Position { through: Some(sequence), unfinished: None };
                Step::Send(bytes)
            }
            Frame::Close => Step::End,
        }
    }

    /// Tells everything since the reader's position, from the truth and from the hub, and reads on from here.
    async fn sync(&mut self) -> Result<String, Broken> {
        // The hub first: what happens while the rows are read is then among the frames.
        let unfinished = if *self.phase.borrow() == Phase::CatchingUp {
            None
        } else {
            let (reader, unfinished) = self.hub.attach(self.of.merchant, self.of.thread)?;
            self.reader = Some(reader);
            unfinished
        };
        let mut told = String::new();
        let mut ended = None;
        let now = self.tell_stored(&mut told, &mut ended).await?;
        let through = self.position.through.unwrap_or(0);
        if let Some(unfinished) = unfinished.filter(|unfinished| unfinished.sequence > through) {
            self.tell_unfinished(&mut told, &unfinished);
        }
        if now.open.dispatched.is_none() && now.open.queued.is_some() {
            told.push_str(&frame::log(LogLevel::Info, "queued"));
        }
        self.expects_answer = now.open.dispatched.is_some() || now.open.queued.is_some();
        if now.is_idle() {
            let last = now.last_answer;
            if last.is_none() || last.map(|last| last.sequence) != ended {
                let is_closing = last.is_some_and(|last| last.is_closing);
                let answer = last.map(|last| (last.message, last.sequence));
                told.push_str(&frame::end(answer, is_closing, now.state));
            }
            self.is_done = true;
        }
        Ok(told)
    }

    /// Tells the stored messages behind the position, in order. Sequences have no gaps: where one is missing, an
    /// answer is being written, and nothing behind it is told before it.
    async fn tell_stored(&mut self, told: &mut String, ended: &mut Option<i64>) -> Result<ThreadNow, Broken> {
        let mut now = self.read().await?;
        let newest = now.pending_sequence().map_or(now.last_sequence, |pending| pending - 1);
        let mut through = self.position.through.unwrap_or(newest).min(now.last_sequence);
        let mut is_sure_of_gaps = false;
        loop {
            let is_full_page = now.messages.len() >= MESSAGES_AFTER_MAX;
            let mut has_gap = false;
            for message in &now.messages {
                if message.sequence > through + 1 {
                    if now.pending_sequence().is_some_and(|pending| pending > through && pending < message.sequence) {
                        break;
                    }
                    // An answer may have been begun between two queries; if it is not there now, it was erased.
                    if !is_sure_of_gaps {
                        has_gap = true;
                        break;
                    }
                }
                told.push_str(&frame::stored_message(message));
                if message.role != Role::Human {
                    let answer = (message.message, message.sequence);
                    told.push_str(&frame::end(Some(answer), message.is_closing, now.state));
                    *ended = Some(message.sequence);
                }
                through = message.sequence;
            }
            self.position.through = Some(through);
            if !has_gap && !is_full_page {
                break;
            }
            is_sure_of_gaps = has_gap;
            now = self.read().await?;
        }
        if let Some(pending) = now.pending_sequence() {
            self.position.through = Some(through.max(pending - 1));
        }
        let through = self.position.through.unwrap_or(0);
        self.position.unfinished = self.position.unfinished.filter(|reached| reached.sequence > through);
        Ok(now)
    }

    async fn read(&self) -> Result<ThreadNow, Broken> {
        self.hub.inner.stored.thread(self.of, self.position.through).await?.ok_or(Broken::Gone)
    }

    fn tell_unfinished(&mut self, told: &mut String, unfinished: &Unfinished) {
        let Unfinished { turn, sequence, attempt, ref text, characters } = *unfinished;
        let reached = self.position.unfinished.filter(|reached| reached.sequence == sequence);
        let joins_at = reached
            .filter(|reached| reached.attempt == attempt && reached.characters <= characters)
            .map(|reached| reached.characters);
        let piece = match joins_at {
            Some(from) if from == characters => None,
            Some(from) => Some(text.chars().skip(from).collect::<String>()),
            // A newcomer with nothing to void.
            None if reached.is_none() && characters == 0 => None,
            None => Some(text.clone()),
        };
        if let Some(text) = piece {
            let is_whole = joins_at.is_none();
            let piece = Piece { turn, sequence, attempt, text: &text, end: characters, is_whole };
            write!(told, "{}", frame::piece(&piece)).expect("a string takes everything");
        }
        self.position.unfinished = Some(Reached { sequence, attempt, characters });
    }
}

enum Event {
    Frames(Vec<Frame>),
    Live,
    Silence,
    CutOff,
}
