//! The languages a chatbot can speak.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A chatbot's language, by its ISO 639-1 code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// English
    #[default]
    En,
    /// Dutch
    Nl,
    /// French
    Fr,
    /// German
    De,
    /// Italian
    It,
    /// Spanish
    Es,
    /// Belarusian
    Be,
    /// Arabic
    Ar,
    /// Persian
    Fa,
}

/// Which way a language is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    Ltr,
    Rtl,
}

impl Language {
    pub const ALL: [Self; 9] =
        [Self::En, Self::Nl, Self::Fr, Self::De, Self::It, Self::Es, Self::Be, Self::Ar, Self::Fa];

    pub const fn code(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Nl => "nl",
            Self::Fr => "fr",
            Self::De => "de",
            Self::It => "it",
            Self::Es => "es",
            Self::Be => "be",
            Self::Ar => "ar",
            Self::Fa => "fa",
        }
    }

    pub const fn direction(self) -> Direction {
        match self {
            Self::Ar | Self::Fa => Direction::Rtl,
            _ => Direction::Ltr,
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.code())
    }
}

/// A code that is none of the nine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown language {0:?}: allowed are en, nl, fr, de, it, es, be, ar, fa")]
pub struct UnknownLanguage(pub String);

impl FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|language| language.code() == text).ok_or_else(|| UnknownLanguage(text.to_owned()))
    }
}
