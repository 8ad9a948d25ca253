//! What only Kafka has: pausing, rebalances, members that die, a broker that goes away.

mod outage;
mod pausing;
mod rebalance;
