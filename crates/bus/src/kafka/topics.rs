//! Creating the topics.

use std::time::Duration;

use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::error::RDKafkaErrorCode;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep};
use vitrine_domain::limits::PARTITIONS;

use crate::kafka::clients::Clients;
use crate::{Topic, TopicError};

/// Erasing a record in Kafka means waiting for this.
const RETENTION: Duration = Duration::from_hours(24);
/// How long creating the topics, and seeing them, may take.
const READY_WAIT_MAX: Duration = Duration::from_secs(20);
const CHECK_INTERVAL: Duration = Duration::from_millis(50);

type Admin = AdminClient<DefaultClientContext>;

/// Creates what is missing. Existing topics are left as they are: their number of partitions is fixed.
pub(crate) async fn ensure(clients: &Clients) -> Result<(), TopicError> {
    let names = Topic::ALL.map(|topic| clients.topic_name(topic));
    let failed = |topic: &str, reason: String| TopicError::Create { topic: topic.to_owned(), reason };
    let admin: Admin = clients.client().create().map_err(|error| failed(&names[0], error.to_string()))?;

    let retention_ms = RETENTION.as_millis().to_string();
    let topics = names.each_ref().map(|name| {
        // -1: as many copies as the cluster makes by default.
        NewTopic::new(name, PARTITIONS, TopicReplication::Fixed(-1))
            .set("retention.ms", &retention_ms)
            .set("cleanup.policy", "delete")
    });
    let options = AdminOptions::new().operation_timeout(Some(READY_WAIT_MAX)).request_timeout(Some(READY_WAIT_MAX));
    let results = admin.create_topics(&topics, &options).await.map_err(|error| failed(&names[0], error.to_string()))?;
    for result in results {
        match result {
            Ok(_) | Err((_, RDKafkaErrorCode::TopicAlreadyExists)) => {}
            Err((topic, code)) => return Err(failed(&topic, code.to_string())),
        }
    }
    wait_until_ready(admin, names).await
}

/// A topic can be unknown to a broker for a moment after it was created.
async fn wait_until_ready(mut admin: Admin, names: [String; Topic::ALL.len()]) -> Result<(), TopicError> {
    let deadline = Instant::now() + READY_WAIT_MAX;
    for name in names {
        loop {
            let asked = name.clone();
            let answer = spawn_blocking(move || (has_leaders(&admin, &asked), admin)).await;
            let Ok((is_ready, returned)) = answer else { return Err(TopicError::NotReady { topic: name }) };
            admin = returned;
            if is_ready {
                break;
            }
            if Instant::now() >= deadline {
                return Err(TopicError::NotReady { topic: name });
            }
            sleep(CHECK_INTERVAL).await;
        }
    }
    Ok(())
}

fn has_leaders(admin: &Admin, name: &str) -> bool {
    let Ok(metadata) = admin.inner().fetch_metadata(Some(name), READY_WAIT_MAX) else { return false };
    metadata.topics().iter().any(|topic| {
        topic.error().is_none()
            && !topic.partitions().is_empty()
            && topic.partitions().iter().all(|partition| partition.leader() >= 0)
    })
}
