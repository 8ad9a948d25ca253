//! One topic in memory: partitions, groups and tails. Pure: whoever calls brings the time.

use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use tokio::time::Instant;

use crate::Record;
use crate::local::LocalSettings;

/// Names a member of a group, or a tail.
pub(crate) type ReaderId = u64;

#[derive(Debug)]
pub(crate) struct Log {
    partitions: Vec<Partition>,
    groups: HashMap<String, Group>,
    tails: HashMap<ReaderId, Vec<i64>>,
    records: usize,
    bytes: usize,
    records_max: usize,
    bytes_max: usize,
    tail_window: Duration,
    readers: ReaderId,
}

#[derive(Debug, Default)]
struct Partition {
    /// Offset of the oldest record kept.
    first: i64,
    records: VecDeque<Kept>,
}

#[derive(Debug)]
struct Kept {
    record: Record,
    at: Instant,
}

#[derive(Debug)]
struct Group {
    /// In the order they joined.
    members: Vec<ReaderId>,
    /// By partition: the offset below which everything is final.
    positions: Vec<i64>,
    /// By partition: who holds it.
    owners: Vec<Option<ReaderId>>,
}

impl Log {
    pub(crate) fn new(settings: &LocalSettings) -> Self {
        let partitions = usize::try_from(settings.partitions.max(1)).unwrap_or(1);
        Self {
            partitions: (0..partitions).map(|_| Partition::default()).collect(),
            groups: HashMap::new(),
            tails: HashMap::new(),
            records: 0,
            bytes: 0,
            records_max: settings.records_max,
            bytes_max: settings.bytes_max,
            tail_window: settings.tail_window,
            readers: 0,
        }
    }

    /// `false` when there is no room.
    pub(crate) fn append(&mut self, record: &Record, now: Instant) -> bool {
        self.trim(now);
        let bytes = size(record);
        while self.records >= self.records_max || (self.records > 0 && self.bytes + bytes > self.bytes_max) {
            if !self.drop_one_nobody_waits_for() {
                return false;
            }
        }
        self.records += 1;
        self.bytes += bytes;
        let partition = self.partition_of(&record.key);
        self.partitions[partition].records.push_back(Kept { record: record.clone(), at: now });
        true
    }

    /// The record at the offset, if it is kept.
    pub(crate) fn read(&self, partition: usize, offset: i64) -> Option<&Record> {
        let partition = &self.partitions[partition];
        let index = usize::try_from(offset - partition.first).ok()?;
        partition.records.get(index).map(|kept| &kept.record)
    }

    /// One above the newest offset, by partition.
    pub(crate) fn ends(&self) -> Vec<i64> {
        self.partitions.iter().map(Partition::end).collect()
    }

    // Groups

    pub(crate) fn join(&mut self, group: &str) -> ReaderId {
        let member = self.new_reader();
        let firsts = self.partitions.iter().map(|partition| partition.first).collect();
        let owners = vec![None; self.partitions.len()];
        let group =
            self.groups.entry(group.to_owned()).or_insert(Group { members: Vec::new(), positions: firsts, owners });
        group.members.push(member);
        member
    }

    /// The member gets no more partitions. It keeps those it holds until it releases them.
    pub(crate) fn leave(&mut self, group: &str, member: ReaderId) {
        if let Some(group) = self.groups.get_mut(group) {
            group.members.retain(|other| *other != member);
        }
    }

    /// The partitions that the member is to hold.
    pub(crate) fn share_of(&self, group: &str, member: ReaderId) -> Vec<usize> {
        let Some(group) = self.groups.get(group) else { return Vec::new() };
        let Some(place) = group.members.iter().position(|other| *other == member) else { return Vec::new() };
        (place..self.partitions.len()).step_by(group.members.len()).collect()
    }

    /// Takes a partition that nobody holds. Gives the offset to begin with.
    pub(crate) fn claim(&mut self, group: &str, member: ReaderId, partition: usize) -> Option<i64> {
        let group = self.groups.get_mut(group)?;
        if group.owners[partition].is_some() {
            return None;
        }
        group.owners[partition] = Some(member);
        Some(group.positions[partition])
    }

    pub(crate) fn release(&mut self, group: &str, partition: usize) {
        if let Some(group) = self.groups.get_mut(group) {
            group.owners[partition] = None;
        }
    }

    /// Everything of the partition below `position` is final for the group.
    pub(crate) fn settle(&mut self, group: &str, partition: usize, position: i64, now: Instant) {
        if let Some(group) = self.groups.get_mut(group) {
            group.positions[partition] = position;
        }
        self.trim_partition(partition, now);
    }

    /// Records of the partition that are not final for the group.
    pub(crate) fn lag(&self, group: &str, partition: usize) -> i64 {
        self.groups.get(group).map_or(0, |group| self.partitions[partition].end() - group.positions[partition])
    }

    // Tails

    /// A tail that begins with the oldest record that is at most `since` old.
    pub(crate) fn open_tail(&mut self, since: Duration, now: Instant) -> ReaderId {
        let tail = self.new_reader();
        let starts = self
            .partitions
            .iter()
            .map(|partition| {
                let too_old = partition.records.partition_point(|kept| now.duration_since(kept.at) > since);
                partition.first + i64::try_from(too_old).unwrap_or(i64::MAX)
            })
            .collect();
        self.tails.insert(tail, starts);
        tail
    }

    /// The tail's next record of the partition and its offset. What it has read is no longer kept for it.
    pub(crate) fn read_tail(&mut self, tail: ReaderId, partition: usize) -> Option<(Record, i64)> {
        let position = self.tails.get_mut(&tail)?.get_mut(partition)?;
        let offset = *position;
        let index = usize::try_from(offset - self.partitions[partition].first).ok()?;
        let record = self.partitions[partition].records.get(index)?.record.clone();
        *position += 1;
        Some((record, offset))
    }

    /// Whether the tail has read everything below the offsets.
    pub(crate) fn tail_has_reached(&self, tail: ReaderId, offsets: &[i64]) -> bool {
        self.tails.get(&tail).is_some_and(|positions| positions.iter().zip(offsets).all(|(at, goal)| at >= goal))
    }

    pub(crate) fn close_tail(&mut self, tail: ReaderId) {
        self.tails.remove(&tail);
    }

    // Trimming

    fn trim(&mut self, now: Instant) {
        for partition in 0..self.partitions.len() {
            self.trim_partition(partition, now);
        }
    }

    fn trim_partition(&mut self, partition: usize, now: Instant) {
        let needed_from = self.needed_from(partition);
        while self.partitions[partition].first < needed_from
            && self.partitions[partition].oldest().is_some_and(|at| now.duration_since(at) > self.tail_window)
        {
            self.drop_oldest(partition);
        }
    }

    /// Final records are kept for tails to come as a courtesy: at the limit the oldest of them goes.
    fn drop_one_nobody_waits_for(&mut self) -> bool {
        let oldest = (0..self.partitions.len())
            .filter(|partition| self.partitions[*partition].first < self.needed_from(*partition))
            .filter_map(|partition| Some((self.partitions[partition].oldest()?, partition)))
            .min();
        oldest.is_some_and(|(_, partition)| {
            self.drop_oldest(partition);
            true
        })
    }

    /// The lowest offset that a group has not settled or a tail has not read.
    fn needed_from(&self, partition: usize) -> i64 {
        let groups = self.groups.values().map(|group| group.positions[partition]);
        let tails = self.tails.values().map(|positions| positions[partition]);
        groups.chain(tails).min().unwrap_or_else(|| self.partitions[partition].end())
    }

    fn drop_oldest(&mut self, partition: usize) {
        let partition = &mut self.partitions[partition];
        if let Some(kept) = partition.records.pop_front() {
            partition.first += 1;
            self.records -= 1;
            self.bytes -= size(&kept.record);
        }
    }

    fn new_reader(&mut self) -> ReaderId {
        self.readers += 1;
        self.readers
    }

    fn partition_of(&self, key: &str) -> usize {
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        let partitions = self.partitions.len() as u64;
        usize::try_from(hasher.finish() % partitions).unwrap_or(0)
    }
}

impl Partition {
    fn end(&self) -> i64 {
        self.first + i64::try_from(self.records.len()).unwrap_or(i64::MAX)
    }

    fn oldest(&self) -> Option<Instant> {
        self.records.front().map(|kept| kept.at)
    }
}

fn size(record: &Record) -> usize {
    record.key.len() + record.payload.len()
}

#[cfg(test)]
mod tests;
