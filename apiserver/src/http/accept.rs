//! Which form of answer a caller wants: JSON or YAML, and the object itself, its metadata, or a table. Source:
//! `apiserver` `pkg/endpoints/handlers/negotiation`.

use crate::rest::form::Form;
use crate::status::Status;
use crate::table::MetaVersion;

/// What is offered, as 406 lists it.
pub const MEDIA_TYPES: [&str; 2] = ["application/json", "application/yaml"];

/// The form of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accept {
    /// On the wire.
    pub encoding: Encoding,
    /// In content.
    pub form: Form,
}

/// On the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named after the formats")]
pub enum Encoding {
    Json,
    Yaml,
}

impl Accept {
    /// JSON, the whole object.
    pub const PLAIN: Self = Self { encoding: Encoding::Json, form: Form::Whole };

    /// The best of what the header lists. Tables and metadata are offered where `transforms` says so.
    pub fn read(header: Option<&str>, transforms: bool) -> Result<Self, Status> {
        let Some(header) = header.filter(|header| !header.trim().is_empty()) else { return Ok(Self::PLAIN) };
        let mut clauses: Vec<(f32, Self)> = header.split(',').filter_map(|clause| read_clause(clause, transforms)).collect();
        clauses.sort_by(|a, b| b.0.total_cmp(&a.0));
        clauses.first().map(|(_, accept)| *accept).ok_or_else(|| Status::not_acceptable(&MEDIA_TYPES))
    }

    /// The content type of the answer.
    pub fn content_type(self) -> &'static str {
        match self.encoding {
            Encoding::Json => "application/json",
            Encoding::Yaml => "application/yaml",
        }
    }
}

fn read_clause(clause: &str, transforms: bool) -> Option<(f32, Accept)> {
    let mut parts = clause.split(';').map(str::trim);
    let encoding = match parts.next()? {
        "application/json" | "application/*" | "*/*" => Encoding::Json,
        "application/yaml" => Encoding::Yaml,
        _ => return None,
    };
    let (mut quality, mut kind, mut group, mut version) = (1.0, "", "", "");
    for (key, value) in parts.filter_map(|part| part.split_once('=')) {
        match key.trim() {
            "q" => quality = value.trim().parse().ok()?,
            "as" => kind = value.trim(),
            "g" => group = value.trim(),
            "v" => version = value.trim(),
            _ => {}
        }
    }
    let form = match (kind, group, version) {
        ("", _, _) => Form::Whole,
        _ if !transforms => return None,
        ("Table", "meta.k8s.io", version) => Form::Table(MetaVersion::parse(version)?),
        ("PartialObjectMetadata" | "PartialObjectMetadataList", "meta.k8s.io", version) => {
            Form::Metadata(MetaVersion::parse(version)?)
        }
        _ => return None,
    };
    Some((quality, Accept { encoding, form }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_offer_wins() {
        let (json, yaml) = (Encoding::Json, Encoding::Yaml);
        let table = [
            (None, Some((json, Form::Whole))),
            (Some("*/*"), Some((json, Form::Whole))),
            (Some("application/yaml"), Some((yaml, Form::Whole))),
            (Some("application/json;q=0.5, application/yaml"), Some((yaml, Form::Whole))),
            (Some("application/vnd.kubernetes.protobuf, application/json"), Some((json, Form::Whole))),
            (Some("application/vnd.kubernetes.protobuf"), None),
            (
                Some(
                    "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json",
                ),
                Some((json, Form::Table(MetaVersion::V1))),
            ),
            (Some("application/json;as=Table;v=v1beta1;g=meta.k8s.io"), Some((json, Form::Table(MetaVersion::V1beta1)))),
            (Some("application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"), Some((json, Form::Metadata(MetaVersion::V1)))),
            (Some("application/json;as=Table;v=v2;g=meta.k8s.io,application/json"), Some((json, Form::Whole))),
            (Some("application/json;as=Nothing;v=v1;g=meta.k8s.io"), None),
            (Some("application/json;stream=watch"), Some((json, Form::Whole))),
        ];
        for (header, expected) in table {
            let accept = Accept::read(header, true).ok().map(|accept| (accept.encoding, accept.form));
            assert_eq!(accept, expected, "{header:?}");
        }
        assert_eq!(Accept::read(Some("application/json;as=Table;v=v1;g=meta.k8s.io"), false).unwrap_err().code, 406);
    }
}
