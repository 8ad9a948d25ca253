//! A chatbot of a merchant.
#![expect(unreachable_pub, reason = "KubeSchema copies each struct into a function, where `pub` reaches nobody")]

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::{CustomResource, KubeSchema};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use vitrine_domain::{Direction, Language};

use crate::rules;

/// A chatbot that one merchant shows in its shop.
#[derive(CustomResource, KubeSchema, Clone, Debug, PartialEq, Deserialize, Serialize)]
#[kube(
    group = "vitrine.dev",
    version = "v1alpha1",
    kind = "Chatbot",
    doc = "A chatbot that one merchant shows in its shop.",
    namespaced,
    shortname = "bot",
    category = "vitrine",
    status = "ChatbotStatus",
    derive = "PartialEq",
    validation = rules::resource_name(),
    printcolumn(name = "Ready", type_ = "string", json_path = ".status.conditions[?(@.type=='Ready')].status"),
    printcolumn(name = "Merchant", type_ = "string", json_path = ".spec.merchantRef.name"),
    printcolumn(name = "Reason", type_ = "string", json_path = ".status.conditions[?(@.type=='Ready')].reason"),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
#[serde(rename_all = "camelCase")]
pub struct ChatbotSpec {
    /// The Merchant that owns the chatbot. Fixed at creation.
    #[x_kube(validation = Rule::new("self == oldSelf").message("merchant-fixed: a chatbot cannot move to another merchant"))]
    pub merchant_ref: MerchantReference,

    /// What the widget and the console call the chatbot.
    #[schemars(length(min = 1, max = 100))]
    pub title: String,

    /// The agent that answers: which instructions and tools it has. `vitrine_agent` is the owner's own assistant and
    /// not for shoppers.
    #[serde(default = "default_agent")]
    #[schemars(length(min = 1, max = 63), regex(pattern = "^[a-z][a-z0-9_]*$"))]
    #[x_kube(validation = Rule::new("self != 'vitrine_agent'").message("agent-reserved: vitrine_agent is not for shoppers"))]
    pub agent: String,

    /// The language of the widget and of the answers. Without it: the merchant's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,

    /// Texts, colour and place of the widget.
    #[serde(default)]
    pub appearance: Appearance,

    /// Hosts that may show the widget: `shop.example` or `*.shop.example`, with `:port` if it has one. An empty list
    /// means the merchant's `shopDomain`, its `www.` host and the platform's demo page.
    #[serde(default)]
    #[schemars(schema_with = "allowed_domains")]
    pub allowed_domains: Vec<String>,

    /// Pages on which the widget's button is shown.
    #[serde(default)]
    pub pages: Pages,

    /// Whether the widget's button is shown at all.
    #[serde(default = "yes")]
    pub visible: bool,

    /// Whether the widget names the platform.
    #[serde(default = "yes")]
    pub show_branding: bool,

    /// Shows the widget without storing or answering anything.
    #[serde(default)]
    pub demo: bool,

    /// How the chatbot presents itself.
    #[serde(default)]
    pub persona: Persona,

    /// What a shopper is asked about themselves.
    #[serde(default)]
    pub lead_form: LeadForm,

    /// When and how a person takes over.
    #[serde(default)]
    pub hand_over: HandOver,

    /// Limits of a single message.
    #[serde(default)]
    pub limits: Limits,

    /// Raise it by one to retire the chatbot's publishable key: pages with the old embed code stop working at once.
    #[serde(default)]
    #[schemars(range(min = 0, max = 1_000_000))]
    #[x_kube(validation = Rule::new("self >= oldSelf").message("rotation-backwards: keyRotation only grows, so that a retired key stays retired"))]
    pub key_rotation: u32,
}

fn default_agent() -> String {
    "customer_support".to_owned()
}

const fn yes() -> bool {
    true
}

fn allowed_domains(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    rules::list(&rules::allowed_host(), 50, 261)
}

/// The name of a Merchant in the same namespace.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MerchantReference {
    /// `metadata.name` of the Merchant.
    #[schemars(length(min = 1, max = 50))]
    pub name: String,
}

/// Texts, colour and place of the widget.
#[derive(KubeSchema, Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Appearance {
    /// The widget's heading. Without it: the chatbot's title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 120))]
    pub headline: Option<String>,

    /// What the chatbot says first. Without it: "How can I help you?" in the chatbot's language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 500))]
    pub welcome_message: Option<String>,

    /// The widget's main colour, `#` and six hex digits.
    #[serde(default = "default_brand_color")]
    #[schemars(length(min = 7, max = 7))]
    #[x_kube(validation = rules::color())]
    pub brand_color: String,

    /// Light or dark.
    #[serde(default)]
    pub theme: Theme,

    /// Which way the widget is laid out. Without it: as the chatbot's language is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orientation: Option<Orientation>,

    /// Distance of the widget's button from the bottom of the page, in px.
    #[serde(default = "default_offset")]
    #[schemars(range(min = 0, max = 500))]
    pub bottom: u32,

    /// Distance of the widget's button from the side of the page, in px.
    #[serde(default = "default_offset")]
    #[schemars(range(min = 0, max = 500))]
    pub right: u32,

    /// The chatbot's picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 2_000))]
    #[x_kube(validation = rules::web_address())]
    pub avatar_url: Option<String>,
}

impl Default for Appearance {
    fn default() -> Self {
        Self {
            headline: None,
            welcome_message: None,
            brand_color: default_brand_color(),
            theme: Theme::default(),
            orientation: None,
            bottom: default_offset(),
            right: default_offset(),
            avatar_url: None,
        }
    }
}

fn default_brand_color() -> String {
    "#0ea5e9".to_owned()
}

const fn default_offset() -> u32 {
    20
}

/// Whether the widget is light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    #[default]
    Light,
    Dark,
}

/// Which way the widget is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Orientation {
    Ltr,
    Rtl,
}

impl From<Orientation> for Direction {
    fn from(orientation: Orientation) -> Self {
        match orientation {
            Orientation::Ltr => Self::Ltr,
            Orientation::Rtl => Self::Rtl,
        }
    }
}

/// Pages on which the widget's button is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Pages {
    /// `white` shows the button on the listed pages only, `black` everywhere else.
    #[serde(default)]
    pub mode: PageMode,

    /// Paths such as `/products/*`. An empty list means every page, in either mode.
    #[serde(default)]
    #[schemars(schema_with = "page_globs")]
    pub urls: Vec<String>,
}

fn page_globs(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    rules::list(&rules::page(), 100, 500)
}

/// How a list of pages is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PageMode {
    #[default]
    White,
    Black,
}

/// How the chatbot presents itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Persona {
    /// What the chatbot should keep in mind. It cannot make it answer without sources.
    #[serde(default)]
    #[schemars(length(max = 4_000))]
    pub instructions: String,

    /// How it should sound, in a few words.
    #[serde(default)]
    #[schemars(length(max = 200))]
    pub tone: String,
}

/// What a shopper is asked about themselves.
#[derive(KubeSchema, Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new("self.ask == 'Never' || self.fields.size() > 0")
    .message("lead-fields-missing: a form that is asked needs at least one field").field_path(".fields"))]
pub struct LeadForm {
    /// What is asked for. Name and phone are required when they are among the fields; a form of only `email` requires
    /// the e-mail address.
    #[serde(default = "default_lead_fields")]
    #[schemars(length(max = 3))]
    #[x_kube(merge_strategy = ListMerge::Set)]
    pub fields: Vec<LeadField>,

    /// When it is asked.
    #[serde(default)]
    pub ask: LeadAsk,

    /// Where the shop says what it does with the answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 2_000))]
    #[x_kube(validation = rules::web_address())]
    pub privacy_url: Option<String>,

    /// What the shopper agrees to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 1_000))]
    pub consent_text: Option<String>,
}

impl Default for LeadForm {
    fn default() -> Self {
        Self { fields: default_lead_fields(), ask: LeadAsk::default(), privacy_url: None, consent_text: None }
    }
}

fn default_lead_fields() -> Vec<LeadField> {
    vec![LeadField::Name, LeadField::Phone, LeadField::Email]
}

/// Something a shopper can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LeadField {
    Name,
    Phone,
    Email,
}

/// When a shopper is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub enum LeadAsk {
    #[default]
    BeforeFirstMessage,
    Later,
    Never,
}

/// When and how a person takes over.
#[derive(KubeSchema, Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HandOver {
    /// Whether a shopper can ask for a person.
    #[serde(default = "yes")]
    pub enabled: bool,

    /// How long a shopper waits for a person before being asked for an e-mail address, in seconds.
    #[serde(default = "default_answer_within_seconds")]
    #[schemars(range(min = 10, max = 3_600))]
    pub answer_within_seconds: u32,

    /// When a person is there. An empty list means always.
    #[serde(default)]
    #[schemars(length(max = 21))]
    pub hours: Vec<OpeningHours>,
}

impl Default for HandOver {
    fn default() -> Self {
        Self { enabled: true, answer_within_seconds: default_answer_within_seconds(), hours: Vec::new() }
    }
}

const fn default_answer_within_seconds() -> u32 {
    120
}

/// A part of the week.
#[derive(KubeSchema, Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new("self.from < self.to").message("hours-order: from is before to").field_path(".from"))]
pub struct OpeningHours {
    /// The days.
    #[schemars(length(min = 1, max = 7))]
    #[x_kube(merge_strategy = ListMerge::Set)]
    pub days: Vec<Weekday>,

    /// The first minute, such as `09:00`.
    #[schemars(length(min = 5, max = 5))]
    #[x_kube(validation = rules::time_of_day())]
    pub from: String,

    /// The first minute after it, such as `17:30`.
    #[schemars(length(min = 5, max = 5))]
    #[x_kube(validation = rules::time_of_day())]
    pub to: String,

    /// The time zone, such as `Europe/Amsterdam`.
    #[serde(default = "default_time_zone")]
    #[schemars(length(min = 1, max = 64), regex(pattern = "^[A-Za-z0-9_+/-]+$"))]
    pub time_zone: String,
}

fn default_time_zone() -> String {
    "UTC".to_owned()
}

/// A day of the week.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub enum Weekday {
    Monday,
    Tuesday,
    Wednesday,
    Thursday,
    Friday,
    Saturday,
    Sunday,
}

/// Limits of a single message.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    /// Longest message of a shopper, in characters.
    #[serde(default = "default_message_characters")]
    #[schemars(range(min = 1, max = 2_000))]
    pub message_characters: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { message_characters: default_message_characters() }
    }
}

const fn default_message_characters() -> u32 {
    300
}

/// Written by the operator only.
#[derive(KubeSchema, Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChatbotStatus {
    /// The `metadata.generation` that this status describes.
    #[serde(default)]
    pub observed_generation: i64,

    /// `Ready`, with the reason when it is not.
    #[serde(default)]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["type".to_owned()]))]
    pub conditions: Vec<Condition>,

    /// The key in the chatbot's embed code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub publishable_key: Option<String>,

    /// Digest of the tenant config in force.
    #[serde(default)]
    pub config_digest: String,
}
