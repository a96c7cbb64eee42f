//! Why manifests cannot be used.

use std::io;
use std::path::PathBuf;

use super::files::{MOST_BYTES, MOST_FILES};
use crate::resources::PrepareError;
use crate::resources::decode::DocumentError;
use crate::resources::validate::reserved::STATIC_SUFFIX;
use crate::status::field::FieldError;

/// A folder of manifests that cannot be used, as a whole.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// The table of kinds lacks what registers webhooks: a fault of the build.
    #[error("there is no kind {0} in admissionregistration.k8s.io/v1: this is a defect of plimsoll")]
    NoKind(&'static str),
    /// The folder.
    #[error("cannot read the manifest directory `{folder}`: {source}")]
    Folder {
        /// Which.
        folder: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// One of its files.
    #[error("cannot read the manifest `{file}`: {source}")]
    File {
        /// Which.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Something else by the name of a file.
    #[error("the manifest `{0}` is not a file: take it away, or give it another extension")]
    NotAFile(PathBuf),
    /// More than is read.
    #[error("the manifest directory `{0}` has more than {MOST_FILES} manifests or {MOST_BYTES} bytes: join or shorten them")]
    TooMuch(PathBuf),
    /// A file that was cut, or never meant.
    #[error("the manifest `{0}` has no object: write one, or take the file away")]
    Empty(PathBuf),
    /// A document that cannot be read.
    #[error("error loading `{file}`: {source}")]
    Unreadable {
        /// In which file.
        file: PathBuf,
        /// Which, and why.
        source: DocumentError,
    },
    /// A document that can be read and not used.
    #[error("error loading `{file}`: document {number}: {source}")]
    Document {
        /// In which file.
        file: PathBuf,
        /// Which, from 1.
        number: usize,
        /// Why.
        source: DocumentFault,
    },
}

/// What is wrong with a document, in upstream's words where it has some.
#[derive(Debug, thiserror::Error)]
pub enum DocumentFault {
    /// Fields that were there twice, or that nothing knows, or values of another type.
    #[error(transparent)]
    Decode(#[from] PrepareError),
    /// A list whose items were cut off: an empty list has to say that it is one.
    #[error("a list must have items: []")]
    NoItems,
    /// An object of another kind.
    #[error(
        "unsupported resource type {found:?}: only {wanted} of admissionregistration.k8s.io/v1, its list, and v1 List are loaded here"
    )]
    Kind {
        /// Its apiVersion and kind.
        found: String,
        /// What is loaded.
        wanted: &'static str,
    },
    /// The object is not valid.
    #[error("{kind} {name:?}: {}", faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Invalid {
        /// Its kind.
        kind: &'static str,
        /// Its name.
        name: String,
        /// Every fault.
        faults: Vec<FieldError>,
    },
    /// A name that the API may give.
    #[error("{0:?} must have a name ending with {STATIC_SUFFIX:?}")]
    Name(String),
    /// A name that another object has.
    #[error("duplicate name {name:?} (previously seen in `{before}`)")]
    Duplicate {
        /// The name.
        name: String,
        /// The file with the other one.
        before: PathBuf,
    },
    /// A webhook that an object of the API leads to.
    #[error(
        "webhook {webhook:?} in {name:?}: clientConfig.service is not supported for static manifests; use clientConfig.url instead"
    )]
    Service {
        /// The webhook.
        webhook: String,
        /// Its configuration.
        name: String,
    },
    /// An object that was found valid and cannot be written or read.
    #[error("{name:?} cannot be read: {source}")]
    Json {
        /// Its name.
        name: String,
        /// Why.
        source: serde_json::Error,
    },
}
