//! Why a bundle is not used; where OPA has words for it, they are OPA's.

use std::io;
use std::str::Utf8Error;

use super::SignatureError;
use crate::budget::BudgetError;
use crate::policy_set::data::DataError;
use crate::state::{WriteError, exact};
use crate::yaml::YamlError;

/// Why a bundle cannot be used. The last good one stays in force.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// Not there, not readable, or broken.
    #[error("could not read `{path}`")]
    Read {
        /// What was read.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// A path that leads out of the bundle.
    #[error("the path `{0}` leads out of the bundle")]
    Escapes(String),
    /// Two files, one path: which of them counts is anybody's guess.
    #[error("two files of the bundle are called `{0}`")]
    Twice(String),
    /// Larger than allowed.
    #[error("`{path}` exceeds the size limit of {limit} bytes")]
    TooLarge {
        /// The file, or the bundle.
        path: String,
        /// The limit.
        limit: u64,
    },
    /// No memory for what is in it.
    #[error("the bundle is not read: {0}")]
    Memory(#[from] BudgetError),
    /// More files than anybody needs.
    #[error("the bundle holds more than {0} files")]
    TooMany(usize),
    /// A file that cannot be understood.
    #[error("bundle load failed on `{path}`: {why}")]
    Invalid {
        /// The file.
        path: String,
        /// Why; it stands in the message, hence it is no `source`.
        why: FileError,
    },
    /// The manifest is wrong, or does not fit the rest.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// Data that was encoded here and cannot be read, which never happens.
    #[error(transparent)]
    Encoding(#[from] serde_json::Error),
    /// The signature is missing, wrong, or not of this bundle.
    #[error("the signature is not accepted: {0}")]
    Signature(SignatureError),
}

/// What is wrong with a file of a bundle.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// Not text.
    #[error("it is not UTF-8: {0}")]
    NotText(Utf8Error),
    /// Not JSON, or not of the shape that such a file has.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// A number that is not kept.
    #[error(transparent)]
    Inexact(#[from] exact::Inexact),
    /// Not YAML.
    #[error(transparent)]
    Yaml(#[from] YamlError),
    /// It does not fit beside the other files.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A step of a patch that the data does not take.
    #[error(transparent)]
    Step(#[from] WriteError),
    /// Which of them counts is anybody's guess.
    #[error("bundle contains multiple patch files")]
    SeveralPatches,
    /// A file that only OPA reads; the text says what to do instead.
    #[error("{0}")]
    Foreign(&'static str),
    /// A patch of nothing.
    #[error("a delta bundle must change something: OPA would take everything away")]
    ChangesNothing,
    /// A field of a step that holds something else than a text.
    #[error("`{0}` of a step is no string")]
    StepText(&'static str),
    /// A path of a step that OPA reads in another way.
    #[error("path {0:?} has `%` or an empty name: write it without, `/` in a name as `~1`")]
    StepPath(String),
    /// A step that would replace everything.
    #[error("a step upserts nothing: its path is empty")]
    StepAtRoot,
    /// A symlink may lead back.
    #[error("folders nest deeper than {0}")]
    TooDeep(usize),
}

/// What is wrong with a manifest, or with what lies outside of its roots.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ManifestError {
    /// Which of them counts is anybody's guess.
    #[error("bundle contains multiple manifest files: {first:?} and {second:?}")]
    Several {
        /// One file.
        first: String,
        /// The other.
        second: String,
    },
    /// A root at or above another one of the same bundle.
    #[error("manifest has overlapped roots: '{0}' and '{1}'")]
    OverlappedRoots(String, String),
    /// A root at, above or below one of another bundle.
    #[error("its root '{root}' overlaps with the root '{other_root}' of bundle {other}")]
    SharedRoot {
        /// Of this bundle.
        root: String,
        /// Of the other one.
        other_root: String,
        /// The path of the other one.
        other: String,
    },
    /// Compiled policies, which only OPA runs.
    #[error("manifest has `wasm`: compiled policies are not run here, build the bundle from Rego")]
    Wasm,
    /// Neither Rego v0 nor v1.
    #[error("manifest has unknown rego version {0}: 0 and 1 are known")]
    UnknownVersion(u8),
    /// Go's patterns have more signs than are read here.
    #[error("manifest: pattern `{0}` of file_rego_versions uses more than `*` and `?`")]
    Pattern(String),
    /// A package outside of the roots.
    #[error("manifest roots [{roots}] do not permit 'package {package}' in module '{module}'")]
    Package {
        /// With a space between them.
        roots: String,
        /// With dots.
        package: String,
        /// The module.
        module: String,
    },
    /// Data outside of the roots.
    #[error("manifest roots {roots:?} do not permit data at path '/{path}' (hint: check bundle directory structure)")]
    Data {
        /// The roots.
        roots: Vec<String>,
        /// With slashes.
        path: String,
    },
    /// A patch outside of the roots.
    #[error("manifest roots {roots:?} do not permit data patch at path '{path}'")]
    Patch {
        /// The roots.
        roots: Vec<String>,
        /// As the step has it.
        path: String,
    },
    /// Data or modules beside a patch.
    #[error("delta bundle expected to contain only patch file but {0} files found")]
    DeltaWith(&'static str),
    /// A delta, before what it changes.
    #[error("a delta bundle came before the bundle that it changes")]
    DeltaFirst,
    /// A delta of another bundle, to go by its roots.
    #[error("delta bundle '{0}' has manifest roots that are different from those in the store")]
    DeltaRoots(String),
    /// A delta, where only whole bundles can be.
    #[error("a delta bundle cannot be loaded from disk")]
    DeltaOnDisk,
    /// A delta, where bundles are to be kept on disk.
    #[error("'persist' property is true in config. persisting delta bundle to disk is not supported")]
    DeltaPersisted,
}
