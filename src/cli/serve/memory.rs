//! How much memory the process may take: as said, or most of what the container may.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use crate::budget::Budget;
use crate::rego::limits::install_memory_limit;

/// Where control groups are: in version 2, as every supported Kubernetes has it, and in version 1.
const CGROUPS: [&str; 2] = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
/// What version 1 says where there is no limit is some page less than this.
const NO_LIMIT: u64 = i64::MAX as u64 / 2;

/// Installs the limit: evaluation that would go beyond ends with an error instead of the process, and what is read is charged to
/// shares of it.
pub fn install(said: Option<u64>) -> Arc<Budget> {
    let limit = limit(said);
    if let Some(bytes) = limit {
        tracing::info!(bytes, "memory is limited");
        install_memory_limit(Some(bytes));
    }
    Arc::new(Budget::new(limit))
}

/// The limit in bytes: as said, or the container's share; `None` if there is none.
pub fn limit(said: Option<u64>) -> Option<u64> {
    said.or_else(|| CGROUPS.iter().find_map(|file| of_container(Path::new(file))))
}

/// 75 % of the container's limit; the rest is for what the allocator does not count: code, stacks, pages that are half used.
fn of_container(file: &Path) -> Option<u64> {
    let limit: u64 = fs::read_to_string(file).ok()?.trim().parse().ok()?;
    (limit < NO_LIMIT).then_some(limit / 4 * 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_container_without_a_limit_has_none() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("memory.max");
        assert_eq!(of_container(&file), None);
        for none in ["max\n", "9223372036854771712\n"] {
            fs::write(&file, none).unwrap();
            assert_eq!(of_container(&file), None);
        }
        fs::write(&file, "1073741820\n").unwrap();
        assert_eq!(of_container(&file), Some(805_306_365));
    }
}
