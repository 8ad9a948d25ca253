//! Which host of the one port serves what.

use std::collections::HashMap;
use std::path::PathBuf;
use std::str::FromStr;

use axum::http::uri::Authority;
use url::Url;

/// What a host serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The loader, the widget's document and the shopper API.
    Widget,
    /// The owner's console.
    Console,
    /// Uploaded files.
    Uploads,
    /// Demo pages of merchants, by publishable key.
    Demo,
    /// A demo shop: a folder of pages, by its position in [`Hosts::sites`].
    Site(usize),
}

/// Where browsers reach the four parts. They are four origins, so that a page of one is a stranger to the others.
#[derive(Clone, Debug)]
pub struct PublicOrigins {
    pub widget: PublicOrigin,
    pub console: PublicOrigin,
    pub uploads: PublicOrigin,
    pub demo: PublicOrigin,
}

impl PublicOrigins {
    /// The hosts of the embedded default, which resolve to this machine in every browser.
    pub fn localhost(port: u16) -> Self {
        let origin = |name: &str| PublicOrigin {
            origin: format!("http://{name}.localhost:{port}"),
            host: format!("{name}.localhost"),
        };
        Self { widget: origin("widget"), console: origin("console"), uploads: origin("uploads"), demo: origin("shop") }
    }
}

/// Scheme, host and port, as a browser writes them in `Origin`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicOrigin {
    origin: String,
    host: String,
}

impl PublicOrigin {
    pub fn as_str(&self) -> &str {
        &self.origin
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not an origin: expected http:// or https://, a host, and a port if it is not the usual one")]
pub struct NotAnOrigin(String);

impl FromStr for PublicOrigin {
    type Err = NotAnOrigin;

    fn from_str(text: &str) -> Result<Self, NotAnOrigin> {
        let refused = || NotAnOrigin(text.to_owned());
        let url: Url = text.parse().map_err(|_| refused())?;
        let is_bare = matches!(url.scheme(), "http" | "https")
            && url.path() == "/"
            && url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none();
        let host = url.host_str().filter(|_| is_bare).ok_or_else(refused)?.to_owned();
        Ok(Self { origin: url.origin().ascii_serialization(), host })
    }
}

/// A demo shop: `HOST=DIR`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    pub host: String,
    pub folder: PathBuf,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a site: expected HOST=DIR, the host without a port")]
pub struct NotASite(String);

impl FromStr for Site {
    type Err = NotASite;

    fn from_str(text: &str) -> Result<Self, NotASite> {
        match text.split_once('=') {
            Some((host, folder)) if is_plain_host(host) && !folder.is_empty() => {
                Ok(Self { host: host.to_ascii_lowercase(), folder: folder.into() })
            }
            _ => Err(NotASite(text.to_owned())),
        }
    }
}

fn is_plain_host(host: &str) -> bool {
    !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'-')
}

/// The table of hosts.
#[derive(Clone, Debug)]
pub struct Hosts {
    origins: PublicOrigins,
    sites: Vec<Site>,
    places: HashMap<String, Place>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("failed to lay out the hosts: {host} is used twice, and each needs its own")]
pub struct HostUsedTwice {
    host: String,
}

impl Hosts {
    pub fn new(origins: PublicOrigins, sites: Vec<Site>) -> Result<Self, HostUsedTwice> {
        let own = [
            (&origins.widget, Place::Widget),
            (&origins.console, Place::Console),
            (&origins.uploads, Place::Uploads),
            (&origins.demo, Place::Demo),
        ];
        let own = own.into_iter().map(|(origin, place)| (origin.host.clone(), place));
        let shops = sites.iter().enumerate().map(|(index, site)| (site.host.clone(), Place::Site(index)));
        let mut places = HashMap::new();
        for (host, place) in own.chain(shops) {
            if places.insert(host.clone(), place).is_some() {
                return Err(HostUsedTwice { host });
            }
        }
        Ok(Self { origins, sites, places })
    }

    /// What the host of a `Host` header serves; the port does not matter.
    pub fn place(&self, host: &str) -> Option<Place> {
        let authority: Authority =
            host.parse().ok().filter(|authority: &Authority| !authority.as_str().contains('@'))?;
        let name = authority.host();
        self.places.get(name).or_else(|| self.places.get(&name.to_ascii_lowercase())).copied()
    }

    pub const fn origins(&self) -> &PublicOrigins {
        &self.origins
    }

    pub fn sites(&self) -> &[Site] {
        &self.sites
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts() -> Hosts {
        let sites = ["zadelhoek.localhost=demo/sites/zadelhoek", "127.0.0.1=demo/sites/negin"];
        Hosts::new(PublicOrigins::localhost(7400), sites.iter().map(|site| site.parse().unwrap()).collect()).unwrap()
    }

    #[test]
    fn each_host_has_its_place() {
        assert_eq!(hosts().place("widget.localhost:7400"), Some(Place::Widget));
        assert_eq!(hosts().place("Console.LOCALHOST"), Some(Place::Console));
        assert_eq!(hosts().place("uploads.localhost:7400"), Some(Place::Uploads));
        assert_eq!(hosts().place("shop.localhost:7400"), Some(Place::Demo));
        assert_eq!(hosts().place("zadelhoek.localhost:7400"), Some(Place::Site(0)));
        assert_eq!(hosts().place("127.0.0.1:7400"), Some(Place::Site(1)));
    }

    #[test]
    fn other_hosts_have_none() {
        for host in [
            "",
            "localhost",
            "evil.widget.localhost",
            "widget.localhost.evil.example",
            "127.0.0.2",
            "a b",
            "x@widget.localhost",
            "[::1]:7400",
            "widget.localhost.",
        ] {
            assert_eq!(hosts().place(host), None, "{host:?}");
        }
    }

    #[test]
    fn a_host_cannot_be_two_things() {
        let site = "console.localhost=somewhere".parse().unwrap();
        assert!(Hosts::new(PublicOrigins::localhost(7400), vec![site]).is_err());
    }

    #[test]
    fn an_origin_is_written_as_browsers_write_it() {
        let origin: PublicOrigin = "https://Widget.Example:443/".parse().unwrap();
        assert_eq!(origin.as_str(), "https://widget.example");
        for wrong in [
            "widget.example",
            "https://widget.example/path",
            "ftp://widget.example",
            "https://a@widget.example",
            "https://",
        ] {
            assert!(wrong.parse::<PublicOrigin>().is_err(), "{wrong:?}");
        }
        for wrong in ["shop", "=dir", "shop=", "shop:80=dir", "a/b=dir"] {
            assert!(wrong.parse::<Site>().is_err(), "{wrong:?}");
        }
    }
}
