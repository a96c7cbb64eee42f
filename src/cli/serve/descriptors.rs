//! The limit of open files. Shells and container runtimes set 1,024, for programs that cannot take more.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// How many files are open beside connections: policies, logs, connections to other services.
const OTHERS: u64 = 256;

/// Raises the limit of open files to the most that the process may have. Warns if that is too few for so many connections at a time.
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
