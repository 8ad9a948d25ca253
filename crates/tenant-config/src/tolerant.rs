//! Reading what a newer version wrote: a value this version does not know switches its feature off and says so.

use std::any::type_name;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// A value, or its default when this version does not know it.
pub(crate) fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned + Default,
{
    Ok(known(Value::deserialize(deserializer)?).unwrap_or_default())
}

/// The entries that this version knows.
pub(crate) fn known_entries<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    Ok(Vec::<Value>::deserialize(deserializer)?.into_iter().filter_map(known).collect())
}

fn known<T: DeserializeOwned>(value: Value) -> Option<T> {
    match serde_json::from_value(value) {
        Ok(value) => Some(value),
        Err(error) => {
            tracing::warn!(
                config.type_name = type_name::<T>(),
                error = %error,
                "a tenant config holds a value this version does not know; its feature is off"
            );
            None
        }
    }
}
