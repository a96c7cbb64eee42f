//! How many files may be open. Shells and container runtimes give 1,024, for programs that could not take more.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// What is open beside connections: policies, logs, services.
const OTHERS: u64 = 256;

/// As many as the process may; `connections` are meant to be open at a time.
pub fn raise(connections: usize) {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }) {
        tracing::warn!(%error, "the limit of open files stays as it is");
    }
    let needed = OTHERS.saturating_add(connections as u64);
    if maximum.is_some_and(|maximum| maximum < needed) {
        tracing::warn!(
            maximum,
            needed,
            "too few files may be open for so many connections: raise the limit, or lower --max-connections"
        );
    }
}
