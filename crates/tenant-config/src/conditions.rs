//! Conditions that keep the time of their last change.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};

use crate::declared::{Declared, Reason};

/// Whether the resource is in force as it is written.
pub const READY: &str = "Ready";
/// Whether a config of the merchant is published.
pub const CONFIG_PUBLISHED: &str = "ConfigPublished";

/// What a condition says now.
pub(crate) struct Finding {
    pub(crate) type_: &'static str,
    pub(crate) holds: bool,
    pub(crate) reason: Reason,
    pub(crate) message: String,
}

/// The resource's conditions with these findings in them. A condition of another type stays as it is, and one whose
/// status did not change keeps the time at which it did.
pub(crate) fn with<Spec>(declared: &Declared<Spec>, findings: Vec<Finding>, now: Timestamp) -> Vec<Condition> {
    let mut conditions = declared.conditions.clone();
    for finding in findings {
        let status = if finding.holds { "True" } else { "False" };
        let position = conditions.iter().position(|condition| condition.type_ == finding.type_);
        let changed_at = position
            .map(|position| &conditions[position])
            .filter(|condition| condition.status == status)
            .map_or(Time(now), |condition| condition.last_transition_time.clone());
        let condition = Condition {
            type_: finding.type_.to_owned(),
            status: status.to_owned(),
            reason: finding.reason.as_str().to_owned(),
            message: finding.message,
            observed_generation: declared.metadata.generation,
            last_transition_time: changed_at,
        };
        match position {
            Some(position) => conditions[position] = condition,
            None => conditions.push(condition),
        }
    }
    conditions
}
