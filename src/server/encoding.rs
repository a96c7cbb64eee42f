//! Compression of answers and YAML bodies, as far as OPA's data API has them.

use std::io::{self, Write};

use actix_web::http::Method;
use actix_web::http::header::{self, HeaderMap};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::yaml::{self, YamlError};

/// Why a body of YAML is not read.
#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    /// Not text.
    #[error(transparent)]
    Utf8(#[from] std::str::Utf8Error),
    /// Not YAML, or too much of it.
    #[error(transparent)]
    Yaml(#[from] YamlError),
    /// A value that JSON cannot say.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

/// Whether the caller takes gzip.
pub fn accepts_gzip(headers: &HeaderMap) -> bool {
    let values = headers.get_all(header::ACCEPT_ENCODING).filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let gzip = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip") || name == "*");
        let quality = parts.find_map(|part| part.strip_prefix("q=")).map_or(Ok(1.0), str::parse::<f32>);
        gzip && quality.is_ok_and(|quality| quality > 0.0)
    })
}

/// A gzip file.
pub fn gzip(body: &[u8], level: u32) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(level.min(9)));
    encoder.write_all(body)?;
    encoder.finish()
}

/// Whether answers depend on what the caller takes: those of the data API, and of the compile API.
pub fn varies(method: &Method, path: &str) -> bool {
    let data = path.starts_with("/v0/data") || path.starts_with("/v1/data");
    match *method {
        Method::GET => data,
        Method::POST => data || path.starts_with("/v1/compile"),
        _ => false,
    }
}

/// OPA takes any content type with `yaml` in it, since none is standard.
pub fn is_yaml(headers: &HeaderMap) -> bool {
    let content_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    content_type.is_some_and(|content_type| content_type.contains("yaml"))
}

/// Returns a YAML document as JSON text. The parser bounds depth and the repetition of aliases.
pub fn yaml_to_json(body: &[u8]) -> Result<Vec<u8>, BodyError> {
    Ok(serde_json::to_vec(&yaml::load(str::from_utf8(body)?)?)?)
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    #[test]
    fn gzip_is_taken_by_those_who_say_so() {
        let table = [
            ("", false),
            ("gzip", true),
            ("deflate, GZIP;q=0.5", true),
            ("gzip;q=0", false),
            ("gzip; q=0.0, br", false),
            ("*", true),
            ("*/*", false),
            ("identity", false),
        ];
        for (value, expected) in table {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(value));
            assert_eq!(accepts_gzip(&headers), expected, "{value}");
        }
    }

    #[test]
    fn yaml_is_bounded() {
        assert_eq!(yaml_to_json(b"a: [1, x]\n").unwrap(), br#"{"a":[1,"x"]}"#);
        assert!(yaml_to_json(b"a: [").is_err());
        assert!(yaml_to_json("[".repeat(10_000).as_bytes()).is_err(), "depth");
        let level = |n: u8| {
            let (name, inside) = (char::from(b'a' + n), char::from(b'a' + n - 1));
            format!("{name}: &{name} [{}]\n", vec![format!("*{inside}"); 9].join(","))
        };
        let bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n".to_owned() + &(1..9).map(level).collect::<String>();
        assert!(yaml_to_json(bomb.as_bytes()).is_err(), "a document that is its own 9th power");
    }
}
