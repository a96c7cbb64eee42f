//! The memory limit of the process: as `--memory-limit` says, or most of what the container may use.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use crate::budget::Budget;
use crate::rego::limits::install_memory_limit;

/// The container's limit as a control group shows it: in version 2, which every supported Kubernetes uses, and in version 1.
const CGROUPS: [&str; 2] = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
/// Limits above this are none: version 1 shows a huge number that depends on the page size.
const NO_LIMIT: u64 = i64::MAX as u64 / 2;

/// Installs the memory limit and returns the budget that requests are charged to. An evaluation that would exceed the limit ends with an
/// error, instead of the process.
pub fn install(said: Option<u64>) -> Arc<Budget> {
    let limit = limit(said);
    if let Some(bytes) = limit {
        tracing::info!(bytes, "memory is limited");
        install_memory_limit(Some(bytes));
    }
    Arc::new(Budget::new(limit))
}

/// Returns the limit in bytes: as `said`, or the container's; `None` if there is none.
pub fn limit(said: Option<u64>) -> Option<u64> {
    said.or_else(|| CGROUPS.iter().find_map(|file| of_container(Path::new(file))))
}

/// Returns 75 % of the container's limit. The rest is left for what the allocator does not count: code, stacks, and pages that are half
/// used.
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
