//! The merchant's part of a config.

use uuid::Uuid;
use vitrine_crds::{MERCHANT_ID_ANNOTATION, MerchantSpec};
use vitrine_domain::{AllowedHost, MerchantId};

use crate::config::{MerchantConfig, Model, Plan, Retention, SpendCap, TenantConfig};
use crate::declared::{Declared, Reason, Rejection};
use crate::plans::Plans;
use crate::platform::Platform;

/// The merchant's own key is the one of a chatbot without a name, and it is never rotated: it follows the default.
const NO_CHATBOT: &str = "";

pub(super) fn build(
    merchant: &Declared<MerchantSpec>,
    plans: &Plans,
    platform: &Platform,
    previous: Option<&TenantConfig>,
) -> Result<MerchantConfig, Rejection> {
    let spec = merchant.spec.as_ref().map_err(Clone::clone)?;
    let id = merchant_id(merchant)?;
    if let Some(before) = previous.map(|config| config.merchant.id).filter(|before| *before != id) {
        return Err(Rejection::new(
            Reason::IdentityChanged,
            format!("the id of the merchant's data is {before}, not {id}: an id is set once"),
        ));
    }
    let MerchantSpec {
        display_name,
        owner_email,
        plan,
        suspended,
        language,
        shop_domain,
        default_chatbot: _,
        hosts,
        isolation,
        runtime: _,
        quotas,
        spend_cap,
        model,
        retention,
    } = spec;
    let offer = plans.find(plan).ok_or_else(|| {
        let known: Vec<_> = plans.codes().collect();
        Rejection::new(
            Reason::PlanUnknown,
            format!("spec.plan: there is no plan {plan}, known are {}", known.join(", ")),
        )
    })?;
    Ok(MerchantConfig {
        id,
        name: merchant.name().to_owned(),
        key: platform.key.publishable_key(id, NO_CHATBOT, 0),
        display_name: display_name.clone(),
        owner_email: owner_email.clone(),
        language: *language,
        suspended: *suspended,
        plan: Plan { code: offer.code.clone(), title: offer.title.clone(), paid: offer.is_paid() },
        shop_domain: shop_domain.as_deref().map(|host| parse_host("spec.shopDomain", host)).transpose()?,
        hosts: hosts.iter().map(|host| parse_host("spec.hosts", host)).collect::<Result<_, _>>()?,
        isolation: *isolation,
        quotas: offer.quotas_with(quotas),
        spend_cap: SpendCap {
            monthly: spend_cap.monthly.clone(),
            daily: spend_cap.daily.clone(),
            per_visitor_daily: spend_cap.per_visitor_daily.clone(),
        },
        model: Some(Model {
            provider: model.provider,
            base_url: model.base_url.clone(),
            name: model.name.clone(),
            api_key_secret_ref: model.api_key_secret_ref.clone(),
        }),
        retention: Retention { message_days: retention.message_days, lead_days: retention.lead_days },
    })
}

fn merchant_id(merchant: &Declared<MerchantSpec>) -> Result<MerchantId, Rejection> {
    let refused =
        |problem| Rejection::new(Reason::InvalidSpec, format!("the annotation {MERCHANT_ID_ANNOTATION} {problem}"));
    let text = merchant.merchant_id_annotation().ok_or_else(|| refused("is missing".to_owned()))?;
    let id: Uuid = text.parse().map_err(|_| refused(format!("is {text:?}, not a UUID")))?;
    if id.is_nil() { Err(refused("is the UUID that means none".to_owned())) } else { Ok(id.into()) }
}

fn parse_host(field: &str, host: &str) -> Result<AllowedHost, Rejection> {
    host.parse().map_err(|error| Rejection::of_field(field, error))
}
