//! A shop on the platform.
#![expect(unreachable_pub, reason = "KubeSchema copies each struct into a function, where `pub` reaches nobody")]

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use vitrine_domain::Language;

use crate::rules;

/// A shop whose chatbots the platform runs.
#[derive(CustomResource, KubeSchema, Clone, Debug, PartialEq, Deserialize, Serialize)]
#[kube(
    group = "vitrine.dev",
    version = "v1alpha1",
    kind = "Merchant",
    doc = "A shop whose chatbots the platform runs.",
    namespaced,
    shortname = "mer",
    category = "vitrine",
    status = "MerchantStatus",
    derive = "PartialEq",
    validation = rules::resource_name(),
    printcolumn(name = "Ready", type_ = "string", json_path = ".status.conditions[?(@.type=='Ready')].status"),
    printcolumn(name = "Plan", type_ = "string", json_path = ".spec.plan"),
    printcolumn(name = "Reason", type_ = "string", json_path = ".status.conditions[?(@.type=='Ready')].reason"),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new("!has(self.runtime) || self.isolation == 'Dedicated'")
    .message("runtime-needs-dedicated: runtime is only for isolation: Dedicated").field_path(".runtime"))]
pub struct MerchantSpec {
    /// The shop's name as shoppers and the platform's staff read it.
    #[schemars(length(min = 1, max = 100))]
    pub display_name: String,

    /// Who owns the shop: the first person who may sign in for it.
    #[schemars(length(min = 3, max = 254))]
    #[x_kube(validation = rules::email())]
    pub owner_email: String,

    /// Code of the plan, one of the platform's list of plans. Set by the platform, never by owners.
    #[serde(default = "default_plan")]
    #[schemars(length(min = 1, max = 40))]
    pub plan: String,

    /// Takes the shop's chatbots out of service without losing anything.
    #[serde(default)]
    pub suspended: bool,

    /// The shop's language; a chatbot without one of its own speaks it.
    #[serde(default)]
    pub language: Language,

    /// The shop's own host, such as `acme.example`. Chatbots without `allowedDomains` may be shown on it and on its
    /// `www.` host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 259))]
    #[x_kube(validation = rules::host())]
    pub shop_domain: Option<String>,

    /// Name of the Chatbot that the merchant's own key opens. Without it: the oldest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 50))]
    pub default_chatbot: Option<String>,

    /// More hosts that serve the widget. Set by platform engineers: each needs a route and a certificate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "served_hosts")]
    pub hosts: Vec<String>,

    /// `Pooled` shares the platform's chat runtimes; `Dedicated` gives the shop its own.
    #[serde(default)]
    pub isolation: Isolation,

    /// Size of the shop's own chat runtime, only with `isolation: Dedicated`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime: Option<Runtime>,

    /// What the shop may use. A number given here wins over the plan's.
    #[serde(default)]
    pub quotas: Quotas,

    /// How much the shop's answers may cost in calls of a model, in USD. Days and months are those of UTC.
    #[serde(default)]
    pub spend_cap: SpendCap,

    /// What writes the answers.
    #[serde(default)]
    pub model: Model,

    /// How long the shop's data is kept.
    #[serde(default)]
    pub retention: Retention,
}

fn default_plan() -> String {
    "p-free".to_owned()
}

fn served_hosts(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    rules::list(&rules::served_host(), 10, 253)
}

/// Where a merchant's turns are answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub enum Isolation {
    #[default]
    Pooled,
    Dedicated,
}

/// Size of a chat runtime of one merchant.
#[derive(KubeSchema, Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new("self.minReplicas <= self.maxReplicas")
    .message("replicas-order: minReplicas is at most maxReplicas").field_path(".minReplicas"))]
pub struct Runtime {
    /// Replicas that always run.
    #[serde(default = "default_min_replicas")]
    #[schemars(range(min = 1, max = 100))]
    pub min_replicas: u32,

    /// Replicas that run at the busiest hour.
    #[serde(default = "default_max_replicas")]
    #[schemars(range(min = 1, max = 100))]
    pub max_replicas: u32,

    /// CPU and memory of each replica.
    #[serde(default)]
    pub resources: Resources,
}

const fn default_min_replicas() -> u32 {
    1
}

const fn default_max_replicas() -> u32 {
    5
}

/// CPU and memory as a Kubernetes container has them.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Resources {
    /// What a replica is sure to have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<ComputeAmount>,

    /// What a replica cannot exceed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<ComputeAmount>,
}

/// An amount of computing.
#[derive(KubeSchema, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ComputeAmount {
    /// Processor time, such as `250m` for a quarter of a core.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 20))]
    #[x_kube(validation = rules::quantity())]
    pub cpu: Option<String>,

    /// Memory, such as `512Mi`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 20))]
    #[x_kube(validation = rules::quantity())]
    pub memory: Option<String>,
}

/// What a merchant may use. Every number is optional: one that is absent is the plan's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Quotas {
    /// Messages that all shoppers together may send in a minute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100_000))]
    pub messages_per_minute: Option<u32>,

    /// Answers written at the same time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 10_000))]
    pub concurrent_answers: Option<u32>,

    /// Answers in a calendar month.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100_000_000))]
    pub responses_per_month: Option<u32>,

    /// Chatbots of the merchant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000))]
    pub chatbots: Option<u32>,

    /// Documents in the merchant's knowledge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub documents: Option<u32>,

    /// Size of all uploaded files together, in MiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub storage_mebibytes: Option<u32>,
}

/// Limits of model cost in USD, as decimal text. A limit that is absent does not hold.
#[derive(KubeSchema, Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new("!has(self.monthly) || !has(self.daily) || double(self.daily) <= double(self.monthly)")
    .message("cap-order: the daily cap is at most the monthly cap").field_path(".daily"))]
#[x_kube(validation = Rule::new("!has(self.daily) || !has(self.perVisitorDaily) || double(self.perVisitorDaily) <= double(self.daily)")
    .message("cap-order: the cap of one visitor is at most the daily cap").field_path(".perVisitorDaily"))]
pub struct SpendCap {
    /// All answers of a month.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 10))]
    #[x_kube(validation = rules::amount())]
    pub monthly: Option<String>,

    /// All answers of a day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 10))]
    #[x_kube(validation = rules::amount())]
    pub daily: Option<String>,

    /// All answers to one visitor in a day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 10))]
    #[x_kube(validation = rules::amount())]
    pub per_visitor_daily: Option<String>,
}

/// What writes the answers.
#[derive(KubeSchema, Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new("self.provider != 'OpenAiCompatible' || (has(self.baseUrl) && has(self.name))")
    .message("model-incomplete: provider OpenAiCompatible needs baseUrl and name").field_path(".provider"))]
#[x_kube(validation = Rule::new("self.provider != 'BuiltIn' || !(has(self.baseUrl) || has(self.name) || has(self.apiKeySecretRef))")
    .message("model-too-much: provider BuiltIn takes no baseUrl, name or apiKeySecretRef").field_path(".provider"))]
pub struct Model {
    /// `BuiltIn` answers from the shop's knowledge without a model; `OpenAiCompatible` calls a model over its API.
    #[serde(default)]
    pub provider: ModelProvider,

    /// Where the API is, up to and including its version, such as `https://models.example/v1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 500))]
    #[x_kube(validation = rules::web_address())]
    pub base_url: Option<String>,

    /// The model's name as its API calls it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 200))]
    pub name: Option<String>,

    /// Where the key of the API is kept. The secret must be labelled `vitrine.dev/merchant` with this merchant's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key_secret_ref: Option<SecretKeyReference>,
}

/// How an answer is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub enum ModelProvider {
    #[default]
    BuiltIn,
    OpenAiCompatible,
}

/// One value of a Secret.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecretKeyReference {
    /// The Secret's name.
    #[schemars(length(min = 1, max = 253), regex(pattern = r"^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$"))]
    pub name: String,

    /// The key in the Secret's data.
    #[schemars(length(min = 1, max = 253), regex(pattern = r"^[A-Za-z0-9_][-._A-Za-z0-9]*$"))]
    pub key: String,
}

/// How long data is kept, in days.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Retention {
    /// Threads and their messages.
    #[serde(default = "default_message_days")]
    #[schemars(range(min = 1, max = 3_650))]
    pub message_days: u32,

    /// What shoppers left about themselves.
    #[serde(default = "default_lead_days")]
    #[schemars(range(min = 1, max = 3_650))]
    pub lead_days: u32,
}

impl Default for Retention {
    fn default() -> Self {
        Self { message_days: default_message_days(), lead_days: default_lead_days() }
    }
}

const fn default_message_days() -> u32 {
    365
}

const fn default_lead_days() -> u32 {
    730
}

/// Written by the operator only.
#[derive(KubeSchema, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MerchantStatus {
    /// The `metadata.generation` that this status describes.
    #[serde(default)]
    pub observed_generation: i64,

    /// `Ready`, `ConfigPublished`, `RoutesAccepted`, `RuntimeAvailable`.
    #[serde(default)]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["type".to_owned()]))]
    pub conditions: Vec<Condition>,

    /// Digest of the tenant config in force; readers report the one they loaded.
    #[serde(default)]
    pub config_digest: String,

    /// Number of the tenant config in force; it grows with every change of content.
    #[serde(default)]
    pub config_sequence: u64,

    /// How many chatbots the config in force has.
    #[serde(default)]
    pub chatbots: u32,

    /// The plan's quotas with the merchant's own on top.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effective_quotas: Option<EffectiveQuotas>,
}

/// What a merchant may use after plan and own numbers are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EffectiveQuotas {
    /// Messages that all shoppers together may send in a minute.
    pub messages_per_minute: u32,
    /// Answers written at the same time.
    pub concurrent_answers: u32,
    /// Answers in a calendar month.
    pub responses_per_month: u32,
    /// Chatbots of the merchant.
    pub chatbots: u32,
    /// Documents in the merchant's knowledge.
    pub documents: u32,
    /// Size of all uploaded files together, in MiB.
    pub storage_mebibytes: u32,
}
