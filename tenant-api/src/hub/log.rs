//! The frames of one thread that some reader has not taken yet: one list for all readers, and a cursor for each.

use std::collections::VecDeque;

use super::frame::Frame;

/// Frames and bytes of one thread that are kept for slow readers. A reader that falls behind further is cut off and
/// resumes from the database.
const FRAMES_MAX: usize = 1_024;
const BYTES_MAX: usize = 512 * 1024;

/// A shared list that forgets a frame as soon as every reader has it.
#[derive(Debug, Default)]
pub struct Log {
    /// Position of the first frame that is kept.
    first: u64,
    frames: VecDeque<Unread>,
    readers: u32,
    bytes: usize,
}

#[derive(Debug)]
struct Unread {
    frame: Frame,
    /// How many readers still want it.
    readers: u32,
}

/// The reader was too slow: frames it had not taken are gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lagged;

impl Log {
    /// A new reader's cursor, behind everything that is there.
    pub fn attach(&mut self) -> u64 {
        self.readers += 1;
        self.end()
    }

    /// Takes a reader away.
    pub fn detach(&mut self, cursor: u64) {
        self.readers -= 1;
        let unread = self.index(cursor).unwrap_or(0);
        for frame in self.frames.iter_mut().skip(unread) {
            frame.readers -= 1;
        }
        self.forget_read();
    }

    pub fn push(&mut self, frame: Frame) {
        if self.readers == 0 {
            self.first += 1;
            return;
        }
        self.bytes += frame.weight();
        self.frames.push_back(Unread { frame, readers: self.readers });
        while self.frames.len() > FRAMES_MAX || self.bytes > BYTES_MAX {
            self.forget_first();
        }
    }

    /// Everything behind the cursor, which moves to the end.
    pub fn read(&mut self, cursor: &mut u64) -> Result<Vec<Frame>, Lagged> {
        let from = self.index(*cursor).ok_or(Lagged)?;
        *cursor = self.end();
        let mut taken = Vec::with_capacity(self.frames.len() - from);
        for unread in self.frames.iter_mut().skip(from) {
            unread.readers -= 1;
            taken.push(unread.frame.clone());
        }
        self.forget_read();
        Ok(taken)
    }

    pub const fn readers(&self) -> u32 {
        self.readers
    }

    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    fn end(&self) -> u64 {
        self.first + self.frames.len() as u64
    }

    fn index(&self, cursor: u64) -> Option<usize> {
        usize::try_from(cursor.checked_sub(self.first)?).ok()
    }

    fn forget_read(&mut self) {
        while self.frames.front().is_some_and(|unread| unread.readers == 0) {
            self.forget_first();
        }
        // A busy moment should not leave its room behind in a thread that then idles for hours.
        if self.frames.is_empty() && self.frames.capacity() > 0 {
            self.frames = VecDeque::new();
        }
    }

    fn forget_first(&mut self) {
        if let Some(unread) = self.frames.pop_front() {
            self.first += 1;
            self.bytes -= unread.frame.weight();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sequences(frames: &[Frame]) -> Vec<i64> {
        frames.iter().filter_map(Frame::sequence).collect()
    }

    fn frame(sequence: i64) -> Frame {
        Frame::Log { sequence, bytes: bytes::Bytes::from(vec![b'x'; 200]) }
    }

    #[test]
    fn every_reader_gets_what_came_after_it_attached_and_then_it_is_forgotten() {
        let mut log = Log::default();
        let mut first = log.attach();
        log.push(frame(1));
        let mut second = log.attach();
        log.push(frame(2));
        assert_eq!(sequences(&log.read(&mut first).unwrap()), [1, 2]);
        assert_eq!(log.frames.len(), 1, "the second reader still wants the last frame");
        assert_eq!(sequences(&log.read(&mut second).unwrap()), [2]);
        assert_eq!((log.frames.len(), log.bytes()), (0, 0));
        assert_eq!(sequences(&log.read(&mut second).unwrap()), [0_i64; 0]);
    }

    #[test]
    fn a_reader_that_leaves_holds_nothing_up() {
        let mut log = Log::default();
        let (slow, mut quick) = (log.attach(), log.attach());
        log.push(frame(1));
        log.read(&mut quick).unwrap();
        assert_eq!(log.frames.len(), 1);
        log.detach(slow);
        assert_eq!((log.frames.len(), log.readers()), (0, 1));
    }

    #[test]
    fn a_reader_that_is_too_slow_is_cut_off_and_memory_stays_bounded() {
        let mut log = Log::default();
        let (mut slow, mut quick) = (log.attach(), log.attach());
        for sequence in 0..10_000 {
            log.push(frame(sequence));
            assert_eq!(sequences(&log.read(&mut quick).unwrap()), [sequence]);
        }
        assert!(log.frames.len() <= FRAMES_MAX && log.bytes() <= BYTES_MAX);
        assert_eq!(log.read(&mut slow).unwrap_err(), Lagged);
        log.detach(slow);
        assert_eq!((log.frames.len(), log.bytes()), (0, 0));
    }

    #[test]
    fn nothing_is_kept_for_nobody() {
        let mut log = Log::default();
        log.push(frame(1));
        let mut reader = log.attach();
        assert_eq!(log.bytes(), 0);
        log.push(frame(2));
        assert_eq!(sequences(&log.read(&mut reader).unwrap()), [2]);
    }
}
