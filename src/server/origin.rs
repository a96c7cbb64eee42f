//! Web pages: whom a listener takes a request for, and from.
//!
//! A browser on the same machine reaches loopback for every page that it shows. So a listener on loopback goes by the names of
//! loopback alone, at any port (forwarded ones too): a page whose own name was made to point there (DNS rebinding) is refused.
//! And a request that another site's page makes is refused everywhere; programs send no `Origin`.

use std::net::IpAddr;
use std::sync::Arc;

use actix_web::dev::ServiceRequest;
use actix_web::http::header::{self, HeaderMap, HeaderName};
use actix_web::http::uri::Authority;
use actix_web::http::{StatusCode, Uri};

use crate::server::respond::ApiError;

/// The names that a listener goes by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    checked: bool,
    allowed: Arc<[String]>,
}

/// A value of `--allowed-hosts` that names no host.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no host name or address without a port, such as `opa.example.com`")]
pub struct NameError(String);

impl Names {
    /// Loopback's and these.
    pub fn only(allowed: Arc<[String]>) -> Self {
        Self { checked: true, allowed }
    }

    /// Any; pages of these may ask.
    pub fn any(allowed: Arc<[String]>) -> Self {
        Self { checked: false, allowed }
    }

    /// Lets a request through, or says why not.
    pub fn check(&self, request: &ServiceRequest) -> Result<(), ApiError> {
        let hosts = hosts(request)?;
        if self.checked
            && let Some(host) = hosts.iter().find(|host| !self.goes_by(host.host()))
        {
            return Err(misdirected(host.host()));
        }
        self.check_origin(request.headers(), hosts.first())
    }

    fn check_origin(&self, headers: &HeaderMap, host: Option<&Authority>) -> Result<(), ApiError> {
        let mut trusted = false;
        for origin in headers.get_all(header::ORIGIN) {
            let uri = origin.to_str().ok().and_then(|origin| origin.parse::<Uri>().ok());
            trusted = uri.as_ref().and_then(Uri::host).is_some_and(|host| self.allowed.contains(&plain(host)));
            if !trusted && !uri.is_some_and(|origin| host.is_some_and(|host| same(&origin, host))) {
                let shown = String::from_utf8_lossy(origin.as_bytes());
                return Err(foreign(&format!(
                    "requests of the web page `{shown}` are not taken; if they should be, add its host to --allowed-hosts"
                )));
            }
        }
        let site = headers.get(HeaderName::from_static("sec-fetch-site"));
        if !trusted && site.is_some_and(|site| site.as_bytes().eq_ignore_ascii_case(b"cross-site")) {
            return Err(foreign("requests of other sites' web pages are not taken (Sec-Fetch-Site: cross-site)"));
        }
        Ok(())
    }

    fn goes_by(&self, host: &str) -> bool {
        let host = plain(host);
        let loopback = host.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback());
        loopback || host == "localhost" || self.allowed.contains(&host)
    }
}

/// Returns the hosts that the request names: in its target, if that has one, and in `Host`. HTTP/1.0 may name none: no browser speaks it.
fn hosts(request: &ServiceRequest) -> Result<Vec<Authority>, ApiError> {
    let target = request.uri().authority().cloned().into_iter().map(Ok);
    let headers = request.headers().get_all(header::HOST).map(|value| {
        let host = value.to_str().ok().and_then(|host| host.parse::<Authority>().ok());
        host.filter(|host| !host.as_str().contains('@')).ok_or_else(|| ApiError::invalid("the Host header is no host"))
    });
    target.chain(headers).collect()
}

/// Whether a page's origin is the host that it asks. A port that is not said is the usual one of the page's scheme: where TLS
/// ends before us, we do not know it.
fn same(origin: &Uri, host: &Authority) -> bool {
    let usual = if origin.scheme_str() == Some("https") { 443 } else { 80 };
    let port = origin.port_u16().unwrap_or(usual);
    origin.host().is_some_and(|name| plain(name) == plain(host.host())) && host.port_u16().unwrap_or(usual) == port
}

/// As names are compared: in small letters, without brackets, and without the root's dot.
fn plain(host: &str) -> String {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    bare.strip_suffix('.').unwrap_or(bare).to_ascii_lowercase()
}

/// Reads a value of `--allowed-hosts`: a host name or an address, without a port. Returns it in the form in which names are compared.
pub fn name(text: &str) -> Result<String, NameError> {
    let authority = text.parse::<Authority>().ok().filter(|authority| authority.host() == text);
    // An address of IPv6 may stand without brackets.
    let address = text.parse::<IpAddr>().ok();
    match (authority, address) {
        (None, None) => Err(NameError(text.into())),
        _ => Ok(plain(text)),
    }
}

fn misdirected(host: &str) -> ApiError {
    let message =
        format!("this listener does not go by the name `{host}`: ask it as localhost, or start with --allowed-hosts={host}");
    ApiError::new(StatusCode::MISDIRECTED_REQUEST, "misdirected_request", message)
}

fn foreign(message: &str) -> ApiError {
    ApiError::new(StatusCode::FORBIDDEN, "forbidden", message)
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn status(names: &Names, target: &str, headers: &[(&'static str, &str)]) -> u16 {
        let request = TestRequest::with_uri(target);
        let request = headers.iter().fold(request, |request, header| request.append_header(*header)).to_srv_request();
        names.check(&request).map_or_else(|error| error.status.as_u16(), |()| 200)
    }

    #[test]
    fn loopback_goes_by_its_names_at_any_port() {
        let (loopback, anywhere) = (Names::only(Arc::from(["opa.example".to_owned()])), Names::any(Arc::default()));
        let table = [
            ("localhost", 200),
            ("LocalHost:40123", 200),
            ("localhost.:1", 200),
            ("127.0.0.1:8181", 200),
            ("127.1.2.3", 200),
            ("[::1]:8181", 200),
            ("[::ffff:127.0.0.1]", 200),
            ("opa.example:8181", 200),
            ("OPA.example.", 200),
            ("evil.example", 421),
            ("localhost.evil.example", 421),
            ("127.0.0.1.evil.example:8181", 421),
            ("10.0.0.1:8181", 421),
            ("0.0.0.0", 421),
            ("2130706433", 421),
            ("[::]:8181", 421),
            ("a@localhost", 400),
            ("", 400),
        ];
        for (host, expected) in table {
            assert_eq!(status(&loopback, "/", &[("host", host)]), expected, "{host}");
            assert_eq!(status(&anywhere, "/", &[("host", host)]), if expected == 400 { 400 } else { 200 }, "{host}");
        }
        assert_eq!(status(&loopback, "/", &[]), 200, "HTTP/1.0");
        assert_eq!(status(&loopback, "/", &[("host", "localhost"), ("host", "evil.example")]), 421);
        assert_eq!(status(&loopback, "http://evil.example/v1/data", &[("host", "localhost")]), 421);
        assert_eq!(status(&loopback, "http://127.0.0.1:8181/v1/data", &[("host", "evil.example")]), 421);
        assert_eq!(status(&loopback, "http://127.0.0.1:8181/v1/data", &[("host", "127.0.0.1:8181")]), 200);
    }

    #[test]
    fn only_pages_of_the_host_that_is_asked_may_ask() {
        let names = Names::any(Arc::from(["console.example".to_owned()]));
        let table = [
            ("localhost:8181", Some("http://localhost:8181"), None, 200),
            ("localhost:8181", Some("http://localhost:3000"), None, 403),
            ("localhost:8181", Some("http://evil.example"), None, 403),
            ("localhost:8181", Some("null"), None, 403),
            ("localhost:8181", Some(""), None, 403),
            ("localhost:8181", None, Some("cross-site"), 403),
            ("localhost:8181", None, Some("same-site"), 200),
            ("localhost:8181", None, Some("none"), 200),
            ("localhost:8181", Some("http://localhost:8181"), Some("same-origin"), 200),
            ("localhost:8181", Some("http://localhost:8181"), Some("cross-site"), 403),
            ("engine.example", Some("https://engine.example"), None, 200),
            ("engine.example", Some("https://engine.example:443"), None, 200),
            ("engine.example", Some("http://engine.example"), None, 200),
            ("engine.example:443", Some("https://ENGINE.example"), None, 200),
            ("engine.example", Some("https://console.example:8443"), Some("cross-site"), 200),
            ("engine.example", Some("https://console.example.evil"), None, 403),
            ("engine.example", None, None, 200),
        ];
        for (host, origin, site, expected) in table {
            let mut headers = vec![("host", host)];
            headers.extend(origin.map(|origin| ("origin", origin)));
            headers.extend(site.map(|site| ("sec-fetch-site", site)));
            assert_eq!(status(&names, "/", &headers), expected, "{host} {origin:?} {site:?}");
        }
        assert_eq!(status(&names, "/", &[("origin", "http://localhost")]), 403, "HTTP/1.0 without a host");
    }

    #[test]
    fn allowed_names_have_no_port() {
        for (text, expected) in
            [("opa.example", "opa.example"), ("OPA.Example.", "opa.example"), ("::1", "::1"), ("[::1]", "::1")]
        {
            assert_eq!(name(text).unwrap(), expected);
        }
        for text in ["opa.example:8181", "http://opa.example", "", "a b", "a/b", "u@h"] {
            assert!(name(text).is_err(), "{text}");
        }
    }
}
