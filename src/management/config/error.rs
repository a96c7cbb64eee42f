//! Why a configuration cannot be used; where OPA has words for it, they are OPA's. No message holds a secret.

use std::io;
use std::path::PathBuf;
use std::str::FromStr;

use super::server::LARGEST;
use crate::yaml::YamlError;

/// A file that cannot be used. The program does not start.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// Not there, not readable, not text.
    #[error("could not read the configuration `{path}`")]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Neither YAML nor JSON.
    #[error("the configuration is not YAML: {0}")]
    Syntax(YamlError),
    /// A list or a scalar.
    #[error("the configuration is not YAML: invalid type: the document is no map of keys")]
    NotAMap,
    /// A key or a value.
    #[error("the configuration cannot be used: `{key}`: {why}")]
    Key {
        /// With its path, such as `bundles.authz.polling`.
        key: String,
        /// What is the matter; it stands in the message, hence it is no `source`.
        why: KeyError,
    },
}

/// What is wrong with a key or its value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// A key that is not known, or a value of another type. Serde's message without the value: it may be a secret.
    #[error("{0}")]
    Type(String),
    /// A service without a name, or with that of another one.
    #[error("each service has a name of its own")]
    ServiceName,
    /// There is no service that could be the default of this field.
    #[error("{0}: there is no service")]
    NoService(&'static str),
    /// A service that is not configured.
    #[error("{field}: service name {name:?} not found")]
    UnknownService {
        /// Of the section.
        field: &'static str,
        /// Of the service.
        name: String,
    },
    /// A token and a certificate.
    #[error("a maximum one credential method must be specified")]
    SeveralCredentials,
    /// None or both.
    #[error("invalid config: specify a value for either the \"token\" or \"token_path\" field")]
    Token,
    /// A scheme that is not spoken. The URL is not shown: it may hold a password.
    #[error("url: only http and https are spoken")]
    Scheme,
    /// No URL.
    #[error("url: {0}")]
    Url(<reqwest::Url as FromStr>::Err),
    /// A signature is required, and there is no key.
    #[error("signing: no verification keys configured")]
    NoKeys,
    /// A key that is not configured.
    #[error("signing: key id {0} not found")]
    UnknownKey(String),
    /// Go's patterns have more signs than are read here.
    #[error("signing.exclude_files: pattern {0:?} uses more than `*` and `?`")]
    Pattern(String),
    /// The longest wait is shorter than the shortest.
    #[error("max {0} delay must be >= min {0} delay")]
    DelayOrder(&'static str),
    /// One delay without the other.
    #[error("{what} configuration missing '{missing}'")]
    DelayMissing {
        /// What waits.
        what: &'static str,
        /// The other delay.
        missing: &'static str,
    },
    /// Zero seconds.
    #[error("'long_polling_timeout_seconds' must be at least 1")]
    LongPolling,
    /// Of OPA's plugins only one is here.
    #[error("plugin: `{0}` is not known, `file_logger` is")]
    UnknownPlugin(String),
    /// The plugin is named and not configured.
    #[error("plugin: `plugins.file_logger` is not configured")]
    NoFileLogger,
    /// Of `decision_logs.reporting`.
    #[error("reporting: {0}")]
    Reporting(Box<KeyError>),
    /// A limit for another kind of buffer.
    #[error("'{limit}' isn't supported for the {buffer} buffer type")]
    BufferLimit {
        /// The key.
        limit: &'static str,
        /// The type of the buffer.
        buffer: &'static str,
    },
    /// Two limits that exclude each other.
    #[error("specify either 'buffer_size_limit_bytes' or 'max_decisions_per_second'")]
    TwoLimits,
    /// A buffer of nothing.
    #[error("the buffer's limit must be higher than 0")]
    EmptyBuffer,
    /// A rate that lets nothing through.
    #[error("'max_decisions_per_second' must be higher than 0")]
    Rate,
    /// Zero bytes.
    #[error("encoding.gzip.min_length: it must be greater than 0")]
    MinLength,
    /// Not 0 to 9.
    #[error("encoding.gzip.compression_level: it must be between 0 and 9")]
    CompressionLevel,
    /// A size of bodies.
    #[error("decoding.{0}: it must be between 1 and {LARGEST} bytes")]
    BodySize(&'static str),
}
