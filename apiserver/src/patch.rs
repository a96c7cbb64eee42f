//! Patches: pure functions from an object and a patch to the patched object, and the book-keeping of who owns which field.
//!
//! ```text
//!   body ─► PatchKind::from_content_type ─► json | merge | strategic ─► fields::updated ─► (http: prepare, admission, store)
//!                                        └► fields::apply (server-side apply, conflicts) ─┘
//! ```
//!
//! Nothing here reads the clock or the store. Every walk is bounded: documents come in at most [`MAX_DEPTH`] deep (what
//! `serde_json` reads) and leave so, JSON patches have budgets of operations, copied bytes and moved members.

mod error;
pub mod fields;
mod go_text;
mod json;
mod merge;
mod ordered;
#[cfg(test)]
mod recorded;
mod refused;
mod strategic;
#[cfg(test)]
mod testing;

pub use error::PatchError;
pub use json::json;
pub use merge::merge;
pub use refused::refused;
pub use strategic::strategic;

/// How deep a document may nest: what `serde_json` reads back. Upstream's limit is that of Go, 10,000.
pub const MAX_DEPTH: usize = 127;

/// What a patch is, by its content type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PatchKind {
    /// RFC 6902.
    Json,
    /// RFC 7386.
    Merge,
    /// Kubernetes' own, by the merge keys of the schema; not for custom resources.
    Strategic,
    /// Server-side apply.
    Apply,
}

impl PatchKind {
    /// All, in the order in which upstream lists them in its 415 answer.
    pub const ALL: [Self; 4] = [Self::Json, Self::Merge, Self::Strategic, Self::Apply];

    /// By the media type, parameters (`;charset=…`) aside.
    pub fn from_content_type(content_type: &str) -> Option<Self> {
        let media_type = content_type.split(';').next().unwrap_or_default().trim();
        Self::ALL.into_iter().find(|kind| kind.content_type() == media_type)
    }

    /// The media type.
    pub fn content_type(self) -> &'static str {
        match self {
            Self::Json => "application/json-patch+json",
            Self::Merge => "application/merge-patch+json",
            Self::Strategic => "application/strategic-merge-patch+json",
            Self::Apply => "application/apply-patch+yaml",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PatchKind;

    #[test]
    fn content_types_name_their_kind() {
        for kind in PatchKind::ALL {
            assert_eq!(PatchKind::from_content_type(kind.content_type()), Some(kind));
            assert_eq!(PatchKind::from_content_type(&format!("{}; charset=UTF-8", kind.content_type())), Some(kind));
        }
        for other in ["", "application/json", "application/json-patch", "text/plain"] {
            assert_eq!(PatchKind::from_content_type(other), None, "{other}");
        }
    }
}
