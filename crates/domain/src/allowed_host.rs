//! Which pages may frame a widget: entries of `allowedDomains`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// `host` or `*.host`, with an optional port, in the form a browser sends it (lower case, punycode).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct AllowedHost {
    subdomains: bool,
    host: String,
    port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{entry:?} is not allowed here: write a host such as shop.example or *.shop.example, with :port if it has one, without https:// and path"
)]
pub struct NotAnAllowedHost {
    pub entry: String,
}

impl AllowedHost {
    /// Whether a page at `scheme://host:port` may frame the widget. Plain http is allowed for loopback names only.
    pub fn admits(&self, scheme: &str, host: &str, port: Option<u16>) -> bool {
        let scheme_fits = scheme == "https" || (scheme == "http" && self.is_loopback());
        let host_fits = if self.subdomains {
            host.strip_suffix(&self.host).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
        } else {
            host == self.host
        };
        scheme_fits && host_fits && self.port == port.filter(|port| Some(*port) != default_port(scheme))
    }

    /// The entry as a source of the `frame-ancestors` directive.
    pub fn frame_ancestor(&self) -> String {
        let scheme = if self.is_loopback() { "http" } else { "https" };
        format!("{scheme}://{self}")
    }

    /// `www.` of the host beside it, which a shop domain implies.
    pub fn with_www(&self) -> Option<Self> {
        let www_makes_sense = !self.subdomains && !self.host.starts_with("www.") && !self.is_address();
        www_makes_sense.then(|| Self { host: format!("www.{}", self.host), ..self.clone() })
    }

    /// Names that never leave the machine.
    pub fn is_loopback(&self) -> bool {
        self.host == "localhost"
            || self.host.ends_with(".localhost")
            || self.host.starts_with("127.") && self.is_address()
    }

    fn is_address(&self) -> bool {
        self.host.parse::<std::net::Ipv4Addr>().is_ok()
    }
}

fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    }
}

impl FromStr for AllowedHost {
    type Err = NotAnAllowedHost;

    fn from_str(entry: &str) -> Result<Self, Self::Err> {
        let refused = || NotAnAllowedHost { entry: entry.to_owned() };
        let (subdomains, rest) = match entry.strip_prefix("*.") {
            Some(rest) => (true, rest),
            None => (false, entry),
        };
        let (host, port) = match rest.split_once(':') {
            Some((host, port)) => (host, Some(port.parse::<u16>().ok().filter(|port| *port > 0).ok_or_else(refused)?)),
            None => (rest, None),
        };
        let host = idna::domain_to_ascii_strict(host).map_err(|_| refused())?;
        let labels_fit = !host.is_empty()
            && host.len() <= 253
            && host.split('.').all(|label| {
                !label.is_empty()
                    && label.len() <= 63
                    && !label.starts_with('-')
                    && !label.ends_with('-')
                    && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            });
        // `*.example` with a single label would be a whole top-level domain.
        if !labels_fit || (subdomains && !host.contains('.') && host != "localhost") {
            return Err(refused());
        }
        Ok(Self { subdomains, host, port })
    }
}

impl fmt::Display for AllowedHost {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let star = if self.subdomains { "*." } else { "" };
        write!(formatter, "{star}{}", self.host)?;
        match self.port {
            Some(port) => write!(formatter, ":{port}"),
            None => Ok(()),
        }
    }
}

impl TryFrom<String> for AllowedHost {
    type Error = NotAnAllowedHost;

    fn try_from(entry: String) -> Result<Self, Self::Error> {
        entry.parse()
    }
}

impl From<AllowedHost> for String {
    fn from(host: AllowedHost) -> Self {
        host.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(entry: &str) -> AllowedHost {
        entry.parse().unwrap()
    }

    #[test]
    fn a_host_admits_itself_over_https_only() {
        assert!(allowed("shop.example").admits("https", "shop.example", None));
        assert!(allowed("shop.example").admits("https", "shop.example", Some(443)));
        assert!(!allowed("shop.example").admits("http", "shop.example", None));
        assert!(!allowed("shop.example").admits("https", "evilshop.example", None));
        assert!(!allowed("shop.example").admits("https", "shop.example", Some(8443)));
        assert!(!allowed("shop.example").admits("https", "www.shop.example", None));
        assert!(allowed("zadelhoek.localhost:7400").admits("http", "zadelhoek.localhost", Some(7400)));
    }

    #[test]
    fn a_star_admits_subdomains_and_not_the_host_itself() {
        assert!(allowed("*.shop.example").admits("https", "a.b.shop.example", None));
        assert!(!allowed("*.shop.example").admits("https", "shop.example", None));
        assert!(!allowed("*.shop.example").admits("https", "evilshop.example", None));
        assert!(!allowed("*.shop.example").admits("https", ".shop.example", None));
    }

    #[test]
    fn names_are_kept_as_the_browser_sends_them() {
        assert_eq!(allowed("Käse.Example").to_string(), "xn--kse-qla.example");
        assert_eq!(allowed("shop.example:8443").frame_ancestor(), "https://shop.example:8443");
        assert_eq!(allowed("127.0.0.1:7400").frame_ancestor(), "http://127.0.0.1:7400");
        assert_eq!(allowed("shop.example").with_www().unwrap().to_string(), "www.shop.example");
        assert_eq!(allowed("www.shop.example").with_www(), None);
        assert_eq!(allowed("127.0.0.1").with_www(), None);
    }

    #[test]
    fn anything_else_is_refused() {
        for wrong in [
            "",
            "*",
            "*.",
            "*.com",
            "https://shop.example",
            "shop.example/path",
            "shop.example:",
            "shop.example:0",
            "shop.example:99999",
            "user@shop.example",
            "shop..example",
            "-shop.example",
            "shop example",
            "a.*.example",
            "'self'",
            "shop.example; script-src *",
            "[::1]",
        ] {
            assert!(wrong.parse::<AllowedHost>().is_err(), "{wrong:?}");
        }
    }
}
