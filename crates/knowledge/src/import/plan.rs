//! What the rows of an import are, worked out before the database is asked.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde::Serialize;
use sha2::{Digest, Sha256};
use vitrine_domain::{Language, SourceKind};

use crate::chunk::{Passage, passages};
use crate::item::{ItemError, KnowledgeImport, KnowledgeItem, PASSAGES_MAX};
use crate::text::{self, lexicon::Lexicon, stem, stop_words, tokenize};

/// Concepts stand in the vocabulary under the code for no particular language.
const NO_LANGUAGE: &str = "und";

pub(super) struct Plan {
    pub(super) items: Vec<IndexedItem>,
    pub(super) vocabulary: Vec<VocabularyRow>,
}

/// An item as rows of the database.
#[derive(Serialize)]
pub(super) struct IndexedItem {
    kind: &'static str,
    external_id: String,
    title: String,
    language: Language,
    url: Option<String>,
    content: KnowledgeItem,
    content_hash: String,
    #[serde(skip)]
    pub(super) passages: Vec<IndexedPassage>,
}

#[derive(Serialize)]
pub(super) struct IndexedPassage {
    kind: &'static str,
    external_id: String,
    position: usize,
    language: Language,
    title: String,
    heading: Option<String>,
    url: Option<String>,
    text: String,
    terms: BTreeSet<String>,
}

#[derive(Serialize)]
pub(super) struct VocabularyRow {
    language: &'static str,
    word: String,
    term: String,
    /// Passages in which the term stands.
    passages: usize,
}

/// What has to be written and removed.
pub(super) struct Difference<'a> {
    pub(super) written: Vec<&'a IndexedItem>,
    /// How many of the written are new.
    pub(super) added: usize,
    /// Kind and id.
    pub(super) removed: Vec<(String, String)>,
}

impl Difference<'_> {
    pub(super) const fn is_change(&self) -> bool {
        !self.written.is_empty() || !self.removed.is_empty()
    }
}

impl Plan {
    pub(super) fn new(import: &KnowledgeImport, default_language: Language) -> Result<Self, ItemError> {
        import.check()?;
        let rules = rules_digest();
        let cheap = cheapest(import);
        let items: Vec<_> = import
            .items
            .iter()
            .map(|item| index(item, default_language, &rules, cheap.contains(&(item.kind(), item.id()))))
            .collect();
        let plan = Self { vocabulary: vocabulary(&items), items };
        if plan.passages() > PASSAGES_MAX {
            return Err(ItemError::TooManyPassages);
        }
        Ok(plan)
    }

    pub(super) fn passages(&self) -> usize {
        self.items.iter().map(|item| item.passages.len()).sum()
    }

    pub(super) fn languages(&self) -> BTreeSet<Language> {
        self.items.iter().map(|item| item.language).collect()
    }

    /// Compares with what is stored: kind, id and hash of every item.
    pub(super) fn difference(&self, stored: &[(String, String, Vec<u8>)]) -> Difference<'_> {
        let key = |item: &IndexedItem| (item.kind.to_owned(), item.external_id.clone());
        let stored: HashMap<_, _> =
            stored.iter().map(|(kind, id, hash)| ((kind.clone(), id.clone()), hex(hash))).collect();
        let wanted: HashSet<_> = self.items.iter().map(key).collect();
        let written: Vec<_> =
            self.items.iter().filter(|item| stored.get(&key(item)) != Some(&item.content_hash)).collect();
        let added = written.iter().filter(|item| !stored.contains_key(&key(item))).count();
        let mut removed: Vec<_> = stored.keys().filter(|item| !wanted.contains(item)).cloned().collect();
        removed.sort();
        Difference { written, added, removed }
    }
}

/// What passages are indexed by; another digest indexes everything anew.
fn rules_digest() -> Vec<u8> {
    let mut digest = Sha256::new();
    digest.update(text::ANALYSIS_VERSION.to_be_bytes());
    digest.update(text::data_digest());
    digest.finalize().to_vec()
}

/// The products with which a shopper who asks for something cheap is served: the lowest third of the prices of each
/// category.
fn cheapest(import: &KnowledgeImport) -> HashSet<(SourceKind, &str)> {
    let mut categories: HashMap<_, Vec<(f64, &str)>> = HashMap::new();
    for item in &import.items {
        if let KnowledgeItem::Product(product) = item
            && let Some(Ok(price)) = product.price.as_deref().map(str::parse)
        {
            categories
                .entry((&product.category, &product.currency, product.language))
                .or_default()
                .push((price, &product.id));
        }
    }
    let lowest_third = |mut products: Vec<(f64, _)>| {
        products.sort_by(|(left, _), (right, _)| left.total_cmp(right));
        products.truncate(products.len() / 3);
        products
    };
    categories.into_values().flat_map(lowest_third).map(|(_, id)| (SourceKind::Product, id)).collect()
}

fn index(item: &KnowledgeItem, default_language: Language, rules: &[u8], is_cheap: bool) -> IndexedItem {
    let language = item.language().unwrap_or(default_language);
    let kind = item.kind().as_str();
    let mut digest = Sha256::new();
    digest.update(rules);
    digest.update(language.code());
    digest.update([u8::from(is_cheap)]);
    digest.update(serde_json::to_vec(item).expect("an item has only strings, so it is always JSON"));
    let url = item.url().map(str::to_owned);
    let passages = passages(item, language)
        .into_iter()
        .enumerate()
        .map(|(position, Passage { heading, text })| IndexedPassage {
            kind,
            external_id: item.id().to_owned(),
            position,
            language,
            title: item.title().to_owned(),
            terms: terms(item.title(), heading.as_deref(), &text, language, is_cheap),
            heading,
            url: url.clone(),
            text,
        })
        .collect();
    IndexedItem {
        kind,
        external_id: item.id().to_owned(),
        title: item.title().to_owned(),
        language,
        url,
        content: item.clone(),
        content_hash: hex(&digest.finalize()),
        passages,
    }
}

fn terms(title: &str, heading: Option<&str>, text: &str, language: Language, is_cheap: bool) -> BTreeSet<String> {
    let mut terms = text::terms(&format!("{title}\n{}\n{text}", heading.unwrap_or_default()), language);
    let lexicon = Lexicon::of_shops();
    if let Some(cheap) = lexicon.concept("cheap").filter(|_| is_cheap) {
        terms.insert(lexicon.term(cheap));
    }
    terms
}

fn vocabulary(items: &[IndexedItem]) -> Vec<VocabularyRow> {
    let mut passages_of: HashMap<&str, usize> = HashMap::new();
    let mut terms_of: BTreeMap<(&'static str, String), String> = BTreeMap::new();
    for passage in items.iter().flat_map(|item| &item.passages) {
        for term in &passage.terms {
            *passages_of.entry(term).or_default() += 1;
            if Lexicon::is_term(term) {
                terms_of.entry((NO_LANGUAGE, term.clone())).or_insert_with(|| term.clone());
            }
        }
        let parts = [Some(passage.title.as_str()), passage.heading.as_deref(), Some(passage.text.as_str())];
        for token in parts.into_iter().flatten().flat_map(tokenize) {
            for form in token.forms().filter(|form| !stop_words::is_stop_word(form, passage.language)) {
                let key = (passage.language.code(), form.to_owned());
                terms_of.entry(key).or_insert_with(|| stem::stem(form, passage.language));
            }
        }
    }
    terms_of
        .into_iter()
        .map(|((language, word), term)| {
            let passages = passages_of.get(term.as_str()).copied().unwrap_or_default();
            VocabularyRow { language, word, term, passages }
        })
        .collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}
