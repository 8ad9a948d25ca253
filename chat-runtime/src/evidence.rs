//! What a merchant's knowledge says about a question, as a model gets it.

use vitrine_database::{Database, StoreError};
use vitrine_domain::{AllowedHost, Language, MerchantId, SourceKind};
use vitrine_knowledge::{Hit, Verdict, best_sentences, retrieve};
use vitrine_tenant_config::TenantChatbot;

use crate::model::Evidence;

/// Passages a model gets at most.
const PASSAGES_MAX: usize = 5;

/// What retrieval decided, before any model is asked.
pub(crate) enum Found {
    Evidence {
        language: Language,
        evidence: Vec<Evidence>,
    },
    /// The shopper said hello or thank you: nothing to look up.
    Greeting {
        text: String,
    },
    /// Not enough of the question is covered: refuse.
    Nothing {
        language: Language,
    },
}

/// Searches the knowledge of `merchant` for `question`, asked of `chatbot`.
pub(crate) async fn find(
    database: &Database,
    merchant: MerchantId,
    chatbot: &TenantChatbot,
    question: &str,
) -> Result<Found, StoreError> {
    let mut transaction = database.tenant(merchant).await?;
    let retrieval = retrieve(&mut transaction, question, chatbot.language, PASSAGES_MAX).await?;
    transaction.commit().await?;

    let language = retrieval.language;
    Ok(match retrieval.verdict {
        Verdict::SmallTalk => Found::Greeting { text: chatbot.appearance.welcome_message.clone() },
        Verdict::Refuse => Found::Nothing { language },
        Verdict::Answerable => {
            let shop = chatbot.tenant().merchant.shop_domain.as_ref();
            let evidence = retrieval.passages.into_iter().map(|hit| evidence(hit, question, shop)).collect();
            Found::Evidence { language, evidence }
        }
    })
}

fn evidence(hit: Hit, question: &str, shop: Option<&AllowedHost>) -> Evidence {
    let text = match hit.kind {
        SourceKind::Document => best_sentences(question, &hit.text, hit.language),
        SourceKind::Faq | SourceKind::Product => hit.text,
    };
    let title = match hit.heading {
        Some(heading) if heading != hit.title => format!("{}: {heading}", hit.title),
        _ => hit.title,
    };
    Evidence { kind: hit.kind, title, url: hit.url.and_then(|url| link(&url, shop)), text, score: hit.score }
}

/// An address a shopper can follow: a whole http(s) address as it is, a path on the shop's site made whole.
fn link(url: &str, shop: Option<&AllowedHost>) -> Option<String> {
    if url.starts_with("https://") || url.starts_with("http://") {
        return Some(url.to_owned());
    }
    // `//host` would leave the shop.
    let is_path = url.starts_with('/') && !url.starts_with("//");
    is_path.then_some(()).and(shop).map(|shop| format!("{}{url}", shop.frame_ancestor()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_links_into_the_shop_and_nothing_else_becomes_a_link() {
        let shop: AllowedHost = "zadelhoek.example".parse().unwrap();
        assert_eq!(link("/retour.html#days", Some(&shop)).unwrap(), "https://zadelhoek.example/retour.html#days");
        assert_eq!(link("https://other.example/x", Some(&shop)).unwrap(), "https://other.example/x");
        for wrong in ["//evil.example/", "javascript:alert(1)", "retour.html", ""] {
            assert_eq!(link(wrong, Some(&shop)), None, "{wrong:?}");
        }
        assert_eq!(link("/retour.html", None), None);
    }
}
