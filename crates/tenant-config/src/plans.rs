//! The plans a merchant can have. They are data: a platform brings its own list.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::Deserialize;
use vitrine_crds::merchant::{EffectiveQuotas, Quotas};

/// Largest list that is read.
const PLANS_BYTES_MAX: u64 = 1024 * 1024;

const DEFAULT_PLANS: &str = include_str!("../plans.yaml");

/// Plans by their code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plans(BTreeMap<String, PlanOffer>);

/// What a plan gives.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlanOffer {
    pub code: String,
    pub title: String,
    /// Decimal text.
    pub monthly_price_usd: String,
    /// What a merchant may use.
    pub quotas: EffectiveQuotas,
    /// What the monthly price includes, by feature code.
    #[serde(default)]
    pub allowances: BTreeMap<String, u32>,
}

#[derive(Debug, thiserror::Error)]
pub enum PlansError {
    #[error("failed to read the list of plans {path}: {source}")]
    Read { path: PathBuf, source: io::Error },
    #[error("failed to read the list of plans {path}: it is larger than {PLANS_BYTES_MAX} bytes")]
    TooLarge { path: PathBuf },
    #[error("failed to read the list of plans: {0}")]
    Malformed(#[source] serde_saphyr::Error),
    #[error("failed to read the list of plans: {0} is there twice")]
    Twice(String),
    #[error("failed to read the list of plans: the monthly price of {code} is {price:?}, not an amount such as 29.00")]
    Price { code: String, price: String },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanList {
    plans: Vec<PlanOffer>,
}

impl Plans {
    /// Reads a list from a file in the form of the crate's `plans.yaml`.
    pub fn read(path: &Path) -> Result<Self, PlansError> {
        let failed = |source| PlansError::Read { path: path.to_owned(), source };
        if fs::metadata(path).map_err(failed)?.len() > PLANS_BYTES_MAX {
            return Err(PlansError::TooLarge { path: path.to_owned() });
        }
        Self::parse(&fs::read_to_string(path).map_err(failed)?)
    }

    fn parse(yaml: &str) -> Result<Self, PlansError> {
        let list: PlanList = serde_saphyr::from_str(yaml).map_err(PlansError::Malformed)?;
        let mut plans = BTreeMap::new();
        for plan in list.plans {
            if !plan.monthly_price_usd.parse::<f64>().is_ok_and(|price| price.is_finite() && price >= 0.0) {
                return Err(PlansError::Price { code: plan.code, price: plan.monthly_price_usd });
            }
            if let Some(first) = plans.insert(plan.code.clone(), plan) {
                return Err(PlansError::Twice(first.code));
            }
        }
        Ok(Self(plans))
    }

    pub fn find(&self, code: &str) -> Option<&PlanOffer> {
        self.0.get(code)
    }

    pub fn codes(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

impl Default for Plans {
    /// The list that comes with the product: `p-free` and `p-pro`.
    fn default() -> Self {
        Self::parse(DEFAULT_PLANS).expect("the list that comes with the product is sound")
    }
}

impl PlanOffer {
    pub fn is_paid(&self) -> bool {
        self.monthly_price_usd.parse::<f64>().is_ok_and(|price| price > 0.0)
    }

    /// The plan's quotas with a merchant's own on top.
    pub fn quotas_with(&self, own: &Quotas) -> EffectiveQuotas {
        EffectiveQuotas {
            messages_per_minute: own.messages_per_minute.unwrap_or(self.quotas.messages_per_minute),
            concurrent_answers: own.concurrent_answers.unwrap_or(self.quotas.concurrent_answers),
            responses_per_month: own.responses_per_month.unwrap_or(self.quotas.responses_per_month),
            chatbots: own.chatbots.unwrap_or(self.quotas.chatbots),
            documents: own.documents.unwrap_or(self.quotas.documents),
            storage_mebibytes: own.storage_mebibytes.unwrap_or(self.quotas.storage_mebibytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_list_has_a_free_and_a_paid_plan() {
        let plans = Plans::default();
        assert_eq!(plans.codes().collect::<Vec<_>>(), ["p-free", "p-pro"]);
        assert!(!plans.find("p-free").unwrap().is_paid());
        let pro = plans.find("p-pro").unwrap();
        assert!(pro.is_paid());
        assert_eq!(pro.allowances["chat_response"], 1000);
        assert_eq!(pro.quotas.responses_per_month, 1000);
    }

    #[test]
    fn a_merchants_own_number_wins_over_the_plans() {
        let plans = Plans::default();
        let own = Quotas { chatbots: Some(50), ..Quotas::default() };
        let effective = plans.find("p-free").unwrap().quotas_with(&own);
        assert_eq!(effective, EffectiveQuotas { chatbots: 50, ..plans.find("p-free").unwrap().quotas });
    }

    #[test]
    fn a_list_of_ones_own_is_read_from_a_file_and_mistakes_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plans.yaml");
        fs::write(&path, DEFAULT_PLANS.replace("p-pro", "p-gold")).unwrap();
        assert!(Plans::read(&path).unwrap().find("p-gold").is_some());

        fs::write(&path, DEFAULT_PLANS.replace("p-pro", "p-free")).unwrap();
        assert!(matches!(Plans::read(&path), Err(PlansError::Twice(code)) if code == "p-free"));

        fs::write(&path, DEFAULT_PLANS.replace("29.00", "cheap")).unwrap();
        assert!(matches!(Plans::read(&path), Err(PlansError::Price { code, .. }) if code == "p-pro"));

        fs::write(&path, DEFAULT_PLANS.replace("chatbots: 1", "chatbot: 1")).unwrap();
        assert!(matches!(Plans::read(&path), Err(PlansError::Malformed(_))));
        assert!(matches!(Plans::read(&folder.path().join("none")), Err(PlansError::Read { .. })));
    }
}
