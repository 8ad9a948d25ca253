//! Embed and visitor tokens: what a shopper's calls are authorized by.
//!
//! Both name the merchant, the chatbot and the visitor. An embed token stands in the widget's document and lives
//! minutes; a visitor token is kept by the browser once the visitor has done something. Neither is ever in a URL or a
//! log.

use std::fmt;
use std::time::Duration;

use jiff::Timestamp;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, encode};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use uuid::Uuid;
use vitrine_domain::{MerchantId, VisitorId};

/// How long the token in a document is good for.
pub const EMBED_TOKEN_LIFETIME: Duration = Duration::from_mins(15);
/// How long a browser is known. Every token that is handed out begins this anew.
pub const VISITOR_TOKEN_LIFETIME: Duration = Duration::from_hours(30 * 24);
/// Shorter secrets can be guessed.
pub const SECRET_BYTES_MIN: usize = 32;
/// Longer headers are refused unread.
const TOKEN_BYTES_MAX: usize = 2_048;

/// Who a token speaks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    pub merchant: MerchantId,
    /// Name of the chatbot.
    pub chatbot: String,
    pub visitor: VisitorId,
}

/// Which of the two tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TokenKind {
    Embed,
    Visitor,
}

impl TokenKind {
    const fn lifetime(self) -> Duration {
        match self {
            Self::Embed => EMBED_TOKEN_LIFETIME,
            Self::Visitor => VISITOR_TOKEN_LIFETIME,
        }
    }
}

/// A token as it is handed out.
#[derive(Clone)]
pub struct IssuedToken {
    pub token: String,
    pub expires_at: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    #[error("failed to verify a token: it has expired")]
    Expired,
    #[error("failed to verify a token: it is not one of ours")]
    Invalid,
}

#[derive(Debug, thiserror::Error)]
#[error("refusing a token secret of {bytes} bytes: at least {SECRET_BYTES_MIN} are needed")]
pub struct SecretTooShort {
    bytes: usize,
}

#[derive(Debug, thiserror::Error)]
#[error("failed to sign a token")]
pub struct SignError(#[source] jsonwebtoken::errors::Error);

#[derive(Serialize, Deserialize)]
struct Claims {
    typ: TokenKind,
    mer: Uuid,
    bot: String,
    vis: Uuid,
    iat: i64,
    exp: i64,
}

/// Signs and verifies tokens with the platform's secret.
pub struct Tokens {
    signing: EncodingKey,
    verifying: DecodingKey,
    validation: Validation,
}

impl Tokens {
    pub fn new(secret: &SecretString) -> Result<Self, SecretTooShort> {
        let secret = secret.expose_secret().as_bytes();
        if secret.len() < SECRET_BYTES_MIN {
            return Err(SecretTooShort { bytes: secret.len() });
        }
        let mut validation = Validation::new(Algorithm::HS256);
        validation.leeway = 0;
        Ok(Self { signing: EncodingKey::from_secret(secret), verifying: DecodingKey::from_secret(secret), validation })
    }

    /// A token for the session, good from `now` for the lifetime of its kind.
    pub fn issue(&self, kind: TokenKind, session: &Session, now: Timestamp) -> Result<IssuedToken, SignError> {
        let expires_at = now.saturating_add(kind.lifetime()).unwrap_or(Timestamp::MAX);
        let claims = Claims {
            typ: kind,
            mer: session.merchant.as_uuid(),
            bot: session.chatbot.clone(),
            vis: session.visitor.as_uuid(),
            iat: now.as_second(),
            exp: expires_at.as_second(),
        };
        let token = encode(&Header::default(), &claims, &self.signing).map_err(SignError)?;
        // What is promised is what is signed: whole seconds.
        let expires_at = Timestamp::from_second(claims.exp).unwrap_or(expires_at);
        Ok(IssuedToken { token, expires_at })
    }

    /// Who a token speaks for, if it is ours and has not expired.
    pub fn verify(&self, token: &str) -> Result<Session, TokenError> {
        if token.len() > TOKEN_BYTES_MAX {
            return Err(TokenError::Invalid);
        }
        let claims = decode::<Claims>(token, &self.verifying, &self.validation)
            .map_err(|error| match error.kind() {
                jsonwebtoken::errors::ErrorKind::ExpiredSignature => TokenError::Expired,
                _ => TokenError::Invalid,
            })?
            .claims;
        Ok(Session { merchant: claims.mer.into(), chatbot: claims.bot, visitor: claims.vis.into() })
    }
}

impl fmt::Debug for Tokens {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Tokens")
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::prelude::BASE64_URL_SAFE_NO_PAD;

    use super::*;

    fn tokens(secret: &str) -> Tokens {
        Tokens::new(&SecretString::from(secret.repeat(32))).unwrap()
    }

    fn session() -> Session {
        Session {
            merchant: Uuid::from_u128(1).into(),
            chatbot: "zadelhoek-nl".to_owned(),
            visitor: Uuid::from_u128(2).into(),
        }
    }

    #[test]
    fn a_token_speaks_for_the_session_it_was_made_for() {
        for kind in [TokenKind::Embed, TokenKind::Visitor] {
            let issued = tokens("s").issue(kind, &session(), Timestamp::now()).unwrap();
            assert_eq!(tokens("s").verify(&issued.token), Ok(session()));
        }
    }

    #[test]
    fn a_token_dies_at_the_end_of_its_lifetime() {
        let then = Timestamp::now() - EMBED_TOKEN_LIFETIME - Duration::from_secs(1);
        let issued = tokens("s").issue(TokenKind::Embed, &session(), then).unwrap();
        assert_eq!(tokens("s").verify(&issued.token), Err(TokenError::Expired));
        let issued = tokens("s").issue(TokenKind::Visitor, &session(), then).unwrap();
        assert_eq!(tokens("s").verify(&issued.token), Ok(session()));
    }

    #[test]
    fn a_changed_or_foreign_token_is_refused() {
        let token = tokens("s").issue(TokenKind::Visitor, &session(), Timestamp::now()).unwrap().token;
        assert_eq!(tokens("x").verify(&token), Err(TokenError::Invalid));

        let parts: Vec<&str> = token.split('.').collect();
        let claims = String::from_utf8(BASE64_URL_SAFE_NO_PAD.decode(parts[1]).unwrap()).unwrap();
        let forged = BASE64_URL_SAFE_NO_PAD.encode(claims.replace("zadelhoek-nl", "negin-fa"));
        let unsigned = BASE64_URL_SAFE_NO_PAD.encode(r#"{"typ":"JWT","alg":"none"}"#);
        for wrong in [
            format!("{}.{forged}.{}", parts[0], parts[2]),
            format!("{unsigned}.{}.", parts[1]),
            format!("{unsigned}.{}.{}", parts[1], parts[2]),
            String::new(),
            "..".to_owned(),
            "a".repeat(TOKEN_BYTES_MAX + 1),
        ] {
            assert_eq!(tokens("s").verify(&wrong), Err(TokenError::Invalid), "{wrong:?}");
        }
    }

    #[test]
    fn a_short_secret_is_refused() {
        assert!(Tokens::new(&SecretString::from("x".repeat(SECRET_BYTES_MIN - 1))).is_err());
    }
}
