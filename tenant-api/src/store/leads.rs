//! Leads: what a visitor said about themselves.

use jiff::Timestamp;
use sqlx::FromRow;
use uuid::Uuid;
use vitrine_database::{StoreError, TenantTransaction};
use vitrine_domain::{LeadId, VisitorId};

use super::storable;

#[derive(Clone, Debug)]
pub struct NewLead {
    pub lead: LeadId,
    pub visitor: VisitorId,
    /// Name of the chatbot whose form it was.
    pub chatbot: String,
    pub agent_namespace: String,
    pub name: Option<String>,
    pub email: Option<String>,
    pub phone: Option<String>,
    /// The shop's own id and kind of the person, as claimed by its page.
    pub leadable_id: Option<String>,
    pub leadable_type: Option<String>,
    /// Which consent text the shopper saw.
    pub consent_version: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Lead {
    pub lead: LeadId,
    pub visitor: VisitorId,
    pub chatbot: String,
    pub agent_namespace: String,
    pub name: Option<String>,
    pub email: Option<String>,
    pub phone: Option<String>,
    pub leadable_id: Option<String>,
    pub leadable_type: Option<String>,
    pub consent_version: Option<String>,
    pub created_at: Timestamp,
}

pub async fn add(transaction: &mut TenantTransaction, new: NewLead) -> Result<Lead, StoreError> {
    let stored = |text: Option<String>| text.map(|text| storable(&text));
    let row: LeadRow = sqlx::query_as(
        r"
        INSERT INTO leads (merchant_id, lead_id, visitor_id, chatbot, agent_namespace, name, email, phone,
                           leadable_id, leadable_type, consent_version)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
        RETURNING lead_id, visitor_id, chatbot, agent_namespace, name, email, phone, leadable_id, leadable_type,
                  consent_version, created_at
        ",
    )
    .bind(transaction.merchant().as_uuid())
    .bind(new.lead.as_uuid())
    .bind(new.visitor.as_uuid())
    .bind(new.chatbot)
    .bind(new.agent_namespace)
    .bind(stored(new.name))
    .bind(stored(new.email))
    .bind(stored(new.phone))
    .bind(stored(new.leadable_id))
    .bind(stored(new.leadable_type))
    .bind(stored(new.consent_version))
    .fetch_one(transaction.connection())
    .await
    .map_err(StoreError::during("add a lead"))?;
    Ok(row.into())
}

/// Finds a lead of this visitor.
pub async fn find(
    transaction: &mut TenantTransaction,
    lead: LeadId,
    visitor: VisitorId,
) -> Result<Option<Lead>, StoreError> {
    let row: Option<LeadRow> = sqlx::query_as(
        r"
        SELECT lead_id, visitor_id, chatbot, agent_namespace, name, email, phone, leadable_id, leadable_type,
               consent_version, created_at
          FROM leads
         WHERE merchant_id = $1
           AND lead_id = $2
           AND visitor_id = $3
        ",
    )
    .bind(transaction.merchant().as_uuid())
    .bind(lead.as_uuid())
    .bind(visitor.as_uuid())
    .fetch_optional(transaction.connection())
    .await
    .map_err(StoreError::during("find a lead"))?;
    Ok(row.map(Lead::from))
}

#[derive(FromRow)]
struct LeadRow {
    lead_id: Uuid,
    visitor_id: Uuid,
    chatbot: String,
    agent_namespace: String,
    name: Option<String>,
    email: Option<String>,
    phone: Option<String>,
    leadable_id: Option<String>,
    leadable_type: Option<String>,
    consent_version: Option<String>,
    created_at: jiff_sqlx::Timestamp,
}

impl From<LeadRow> for Lead {
    fn from(row: LeadRow) -> Self {
        Self {
            lead: row.lead_id.into(),
            visitor: row.visitor_id.into(),
            chatbot: row.chatbot,
            agent_namespace: row.agent_namespace,
            name: row.name,
            email: row.email,
            phone: row.phone,
            leadable_id: row.leadable_id,
            leadable_type: row.leadable_type,
            consent_version: row.consent_version,
            created_at: row.created_at.to_jiff(),
        }
    }
}
