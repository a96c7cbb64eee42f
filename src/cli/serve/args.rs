//! Options of `plimsoll serve`.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use plimsoll_contract::controllers::Pattern;
use plimsoll_contract::exempt::is_namespace_name;
use plimsoll_contract::source::is_source_name;

use crate::cli::units;
use crate::decision::Hold;
use crate::management::decision_log::WhenFull;
use crate::rego::RegoVersion;
use crate::server::address::{Address, tcp};
use crate::server::origin;

/// Options of `plimsoll serve`. Each has an environment variable.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// What is decided, and how.
    #[command(flatten)]
    pub decisions: Decisions,
    /// Where requests come in.
    #[command(flatten)]
    pub listeners: Listeners,
    /// Who may ask.
    #[command(flatten)]
    pub access: Access,
    /// How long things take.
    #[command(flatten)]
    pub running: Running,
}

/// What is decided, and how.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Decisions")]
pub struct Decisions {
    /// Directory or file of policies; watched. May be given several times.
    #[arg(long, value_name = "PATH", env = "PLIMSOLL_POLICIES", value_delimiter = ':')]
    pub policies: Vec<PathBuf>,
    /// Directory or tarball that is an OPA bundle; watched. May be given several times.
    #[arg(short, long, value_name = "PATH", env = "PLIMSOLL_BUNDLE", value_delimiter = ':')]
    pub bundle: Vec<PathBuf>,
    /// OPA's configuration, YAML or JSON: services, bundles, decision_logs, status, keys, labels, server.
    #[arg(short, long, value_name = "FILE", env = "PLIMSOLL_CONFIG_FILE")]
    pub config_file: Option<PathBuf>,
    /// What a decision does when its log line finds no room.
    #[arg(long, value_enum, default_value = "drop", env = "PLIMSOLL_DECISION_LOG_FULL")]
    pub decision_log_full: WhenFull,
    /// How modules are read: `auto` (v1, else v0), `v0` or `v1`.
    #[arg(long, value_name = "VERSION", default_value = "auto", env = "PLIMSOLL_REGO")]
    pub rego: RegoVersion,
    /// The document below `data` that is the decision.
    #[arg(long, value_name = "PATH", default_value = "kubernetes/placement", env = "PLIMSOLL_PLACEMENT_PATH")]
    #[arg(value_parser = placement_path)]
    pub placement_path: PlacementPath,
    /// Annotation keys that policies may write, beside those of the targets.
    #[arg(long, value_name = "KEY,…", env = "PLIMSOLL_ANNOTATION_KEYS", value_delimiter = ',')]
    pub annotation_keys: Vec<String>,
    /// Nothing is decided before this source is declared and loaded. May be given several times.
    #[arg(long, value_name = "NAME", env = "PLIMSOLL_REQUIRE_SOURCE", value_delimiter = ',', value_parser = source)]
    pub require_source: Vec<String>,
    /// A source that decisions depend on and that has not proved itself current for this long is stale.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = units::interval, env = "PLIMSOLL_STALE_AFTER")]
    pub stale_after: Duration,
    /// What admission does while a source that decisions depend on is stale; nothing is repaired then.
    #[arg(long, value_enum, default_value = "deny", env = "PLIMSOLL_ON_STALE")]
    pub on_stale: WhenStale,
    /// A namespace whose objects are never placed, beside `kube-*`. May be given several times.
    #[arg(long, value_name = "NAME", env = "PLIMSOLL_EXEMPT_NAMESPACE", value_delimiter = ',', value_parser = namespace)]
    pub exempt_namespace: Vec<String>,
    /// What becomes of placed objects when no policy defines the placement path any more.
    #[arg(long, value_enum, default_value = "keep", env = "PLIMSOLL_WHEN_DISARMED")]
    pub when_disarmed: WhenDisarmed,
    /// How long the policies must have stayed the same before a placement that they have no opinion about any more is let go, such
    /// as `30s`; 0s: at once.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = units::duration, env = "PLIMSOLL_LETTING_GO_AFTER")]
    pub letting_go_after: Duration,
    /// User whose writes are a controller's, beside the controller manager's own: children of placed objects that it writes
    /// follow their owners. `*` stands for any characters but `:`. May be given several times.
    #[arg(long, value_name = "USER,…", env = "PLIMSOLL_CONTROLLERS", value_delimiter = ',')]
    pub controllers: Vec<Pattern>,
    /// User name of a sidecar, as the API server knows it, such as system:serviceaccount:NAMESPACE:plimsoll: what it writes was
    /// decided by an engine. May be given several times.
    #[arg(long, value_name = "USER,…", env = "PLIMSOLL_SIDECAR_USER", value_delimiter = ',')]
    pub sidecar_user: Vec<String>,
    /// Whether the annotation plimsoll.io/hold keeps a placement as it is, and who may set it: `ignore` (it has no effect), `verb` (the
    /// generated admission policy asks for the RBAC verb `hold`), `groups:NAME,…` (reviews ask) or `anyone`.
    #[arg(long, value_name = "WHO", default_value = "ignore", value_parser = hold, env = "PLIMSOLL_HOLD")]
    pub hold: Hold,
    /// What becomes of a placement that policy has no opinion about any more and that nothing shows to be policy's own.
    #[arg(long, value_enum, default_value = "keep", env = "PLIMSOLL_UNPROVEN")]
    pub unproven: WhenUnproven,
    /// Keys, one a line, that records on objects are signed with: the first one signs, all verify. Read again when it changes.
    #[arg(long, value_name = "FILE", env = "PLIMSOLL_RECORD_KEY_FILE")]
    pub record_key_file: Option<PathBuf>,
    /// Directory, for this process alone, that accepted policy sets are kept in: after a restart, one that is refused gives way
    /// to the last good one, if that is what the Lease's holder places by.
    #[arg(long, value_name = "DIR", env = "PLIMSOLL_STATE_DIR")]
    pub state_dir: Option<PathBuf>,
}

/// Below `data`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacementPath(pub Vec<String>);

/// What becomes of placed objects when the whole policy set is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WhenDisarmed {
    /// They keep what was written.
    Keep,
    /// They get back what was there before.
    Release,
}

/// What admission does while a source is stale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WhenStale {
    /// It decides nothing, and the engine is not ready.
    Deny,
    /// It decides, and says so.
    Warn,
    /// It decides.
    Ignore,
}

/// What becomes of a placement that nothing shows to be policy's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WhenUnproven {
    /// It stays, and is reported.
    Keep,
    /// The object gets back what was there before.
    Release,
}

/// Where requests come in.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Listeners")]
pub struct Listeners {
    /// OPA's API and /plimsoll/v1. Port 0 takes a free one; the first line of standard output says which. May be given several
    /// times.
    #[arg(long, value_name = "IP:PORT|unix:///PATH", default_value = "127.0.0.1:8181", env = "PLIMSOLL_ADDR")]
    #[arg(value_delimiter = ',')]
    pub addr: Vec<Address>,
    /// The option that these are given by, for errors.
    #[arg(skip = "--addr")]
    pub addr_option: &'static str,
    /// Permissions of the sockets among --addr.
    #[arg(long, value_name = "MODE", default_value = "755", value_parser = mode, env = "PLIMSOLL_UNIX_SOCKET_PERM")]
    pub unix_socket_perm: u32,
    /// Certificate chain for --addr, PEM; read again when it changes.
    #[arg(long, value_name = "FILE", requires = "tls_private_key_file", env = "PLIMSOLL_TLS_CERT_FILE")]
    pub tls_cert_file: Option<PathBuf>,
    /// Private key for --addr, PEM.
    #[arg(long, value_name = "FILE", requires = "tls_cert_file", env = "PLIMSOLL_TLS_PRIVATE_KEY_FILE")]
    pub tls_private_key_file: Option<PathBuf>,
    /// Authorities of the client certificates that --authentication=tls asks for, PEM; read again when it changes.
    #[arg(long, value_name = "FILE", requires = "tls_cert_file", env = "PLIMSOLL_TLS_CA_CERT_FILE")]
    pub tls_ca_cert_file: Option<PathBuf>,
    /// AdmissionReview only, over TLS: /mutate and /validate.
    #[arg(long, value_name = "IP:PORT", value_parser = tcp, requires = "review_cert_file", env = "PLIMSOLL_REVIEW_ADDR")]
    pub review_addr: Option<SocketAddr>,
    /// Certificate chain for --review-addr, PEM; read again when it changes.
    #[arg(long, value_name = "FILE", requires = "review_key_file", env = "PLIMSOLL_REVIEW_CERT_FILE")]
    pub review_cert_file: Option<PathBuf>,
    /// Private key for --review-addr, PEM.
    #[arg(long, value_name = "FILE", requires = "review_cert_file", env = "PLIMSOLL_REVIEW_KEY_FILE")]
    pub review_key_file: Option<PathBuf>,
    /// Callers of --review-addr must show a certificate of one of these authorities, PEM.
    #[arg(long, value_name = "FILE", requires = "review_addr", env = "PLIMSOLL_REVIEW_CLIENT_CA")]
    pub review_client_ca: Option<PathBuf>,
    /// Health and metrics only, for probes and Prometheus.
    #[arg(long, value_name = "IP:PORT", value_parser = tcp, env = "PLIMSOLL_DIAGNOSTIC_ADDR")]
    pub diagnostic_addr: Option<SocketAddr>,
    /// Names, beside those of loopback, that listeners on loopback are asked by; given, --addr elsewhere takes no others either.
    /// Web pages of these hosts may ask.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', value_parser = origin::name, env = "PLIMSOLL_ALLOWED_HOSTS")]
    pub allowed_hosts: Vec<String>,
    /// Connections that --addr and --review-addr each hold at a time; beyond them, the longest idle give way.
    #[arg(long, value_name = "N", default_value = "1024", value_parser = at_least_one, env = "PLIMSOLL_MAX_CONNECTIONS")]
    pub max_connections: usize,
    /// Of these, connections of one address (IPv6: of one /64).
    #[arg(long, value_name = "N", default_value = "512", value_parser = at_least_one, env = "PLIMSOLL_MAX_CONNECTIONS_PER_PEER")]
    pub max_connections_per_peer: usize,
    /// New connections of one address in a second; as many again wait up to a second, more are closed.
    #[arg(long, value_name = "N", default_value = "500", value_parser = clap::value_parser!(u32).range(1..))]
    #[arg(env = "PLIMSOLL_MAX_CONNECTION_RATE")]
    pub max_connection_rate: u32,
}

/// Who may ask.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Access to --addr")]
pub struct Access {
    /// How callers of --addr are known; `token` if a token file is given.
    #[arg(long, value_enum, env = "PLIMSOLL_AUTHENTICATION")]
    pub authentication: Option<Scheme>,
    /// Whether a policy, by default `system.authz.allow`, decides on every request to --addr.
    #[arg(long, value_enum, default_value = "off", env = "PLIMSOLL_AUTHORIZATION")]
    pub authorization: Authorization,
    /// Tokens, one a line, that may read: documents, decisions, status, placements. Read again when it changes.
    #[arg(long, value_name = "FILE", env = "PLIMSOLL_READ_TOKEN_FILE")]
    pub read_token_file: Option<PathBuf>,
    /// Tokens, one a line, that may read and write: data, sources, policies. Read again when it changes.
    #[arg(long, value_name = "FILE", env = "PLIMSOLL_WRITE_TOKEN_FILE")]
    pub write_token_file: Option<PathBuf>,
}

/// How callers are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Scheme {
    /// By bearer token: one of the token files, or what the authorization policy takes.
    Token,
    /// By client certificate.
    Tls,
    /// Not at all.
    Off,
}

/// Whether a policy decides on every request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Authorization {
    /// Yes.
    Basic,
    /// No.
    #[default]
    Off,
}

/// How long things take.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Limits")]
pub struct Running {
    /// Longest evaluation.
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = units::interval, env = "PLIMSOLL_EVAL_TIMEOUT")]
    pub eval_timeout: Duration,
    /// Memory that requests, evaluation and state may take, such as `512Mi`; by default 75 % of the container's limit, if it has
    /// one.
    #[arg(long, value_name = "SIZE", value_parser = units::memory, env = "PLIMSOLL_MEMORY_LIMIT")]
    pub memory_limit: Option<u64>,
    /// Memory for answers of policies that are kept, such as `16Mi`; 0 keeps none, and each object is evaluated by itself. By default
    /// `64Mi`, or an eighth of the memory limit if that is less.
    #[arg(long, value_name = "SIZE", value_parser = units::bytes, env = "PLIMSOLL_CLASS_CACHE")]
    pub class_cache: Option<u64>,
    /// Every placed object is decided again at least this often.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = units::interval, env = "PLIMSOLL_RESYNC")]
    pub resync: Duration,
    /// After SIGTERM: not ready, but answering, for this long.
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = units::duration, env = "PLIMSOLL_SHUTDOWN_DELAY")]
    pub shutdown_delay: Duration,
}

/// Why the value of an option is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArgumentError {
    /// A value of `--hold` that is none of its words.
    #[error("`{0}` is none of ignore, verb, groups:NAME,… and anyone")]
    Hold(String),
    /// Not a whole number above 0.
    #[error("`{0}` is no number above 0")]
    Number(String),
    /// A text that is no octal number up to 777.
    #[error("`{0}` is no octal number up to 777")]
    Mode(String),
    /// A value of `--placement-path` that is no path.
    #[error("`{0}` is no path such as `kubernetes/placement`")]
    PlacementPath(String),
    /// A text that no namespace can be called.
    #[error("`{0}` is not the name of a namespace: each is named in full, patterns are not possible")]
    Namespace(String),
    /// A text that no source can be called.
    #[error("`{0}` is not the name of a source: at most 63 lower-case letters, digits, `-` and `.`")]
    Source(String),
}

/// Reads the name of a namespace; nothing, as of a variable that is set to nothing, exempts none. Fails for what none can be called.
pub fn namespace(text: &str) -> Result<String, ArgumentError> {
    if text.is_empty() || is_namespace_name(text) { Ok(text.into()) } else { Err(ArgumentError::Namespace(text.into())) }
}

/// Reads the name of a source, as `source` of a sidecar's configuration has it; nothing requires none. Fails for what none can be called.
fn source(text: &str) -> Result<String, ArgumentError> {
    if text.is_empty() || is_source_name(text) { Ok(text.into()) } else { Err(ArgumentError::Source(text.into())) }
}

/// Reads who may hold objects: `ignore`, `verb`, `groups:NAME,…` or `anyone`. Fails for anything else.
fn hold(text: &str) -> Result<Hold, ArgumentError> {
    let groups = text.strip_prefix("groups:").map(|names| names.split(',').map(str::trim).map(str::to_owned).collect());
    match (text, groups) {
        ("ignore", _) => Ok(Hold::Ignored),
        ("verb", _) => Ok(Hold::Verb),
        ("anyone", _) => Ok(Hold::Anyone),
        (_, Some::<BTreeSet<String>>(groups)) if groups.iter().all(|name| !name.is_empty()) => Ok(Hold::Groups(groups)),
        _ => Err(ArgumentError::Hold(text.into())),
    }
}

/// Reads a whole number above 0. Fails for anything else.
fn at_least_one(text: &str) -> Result<usize, ArgumentError> {
    let number = text.parse::<usize>().ok().filter(|number| *number > 0);
    number.ok_or_else(|| ArgumentError::Number(text.into()))
}

/// Reads the permissions of a file as an octal number, such as `755`. Fails for anything else.
fn mode(text: &str) -> Result<u32, ArgumentError> {
    let mode = u32::from_str_radix(text, 8).ok().filter(|mode| *mode <= 0o777);
    mode.ok_or_else(|| ArgumentError::Mode(text.into()))
}

/// Reads a path below `data`, such as `kubernetes/placement`. Fails when a part is empty or has a quotation mark.
pub fn placement_path(text: &str) -> Result<PlacementPath, ArgumentError> {
    let parts: Vec<String> = text.split('/').map(str::to_owned).collect();
    if parts.iter().any(|part| part.is_empty() || part.contains('"')) {
        return Err(ArgumentError::PlacementPath(text.into()));
    }
    Ok(PlacementPath(parts))
}
