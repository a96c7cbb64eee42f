//! How much memory the process may take: as said, or most of what the container may.

use std::fs;
use std::path::Path;

use crate::rego::limits::install_memory_limit;

/// Version 2 of control groups, as every supported Kubernetes has it.
const CGROUP: &str = "/sys/fs/cgroup/memory.max";

/// Installs the limit; evaluation that would go beyond ends with an error instead of the process.
pub fn install(said: Option<u64>) {
    let limit = said.or_else(|| of_container(Path::new(CGROUP)));
    if let Some(bytes) = limit {
        tracing::info!(bytes, "memory is limited");
        install_memory_limit(Some(bytes));
    }
}

/// 90 % of the container's limit; the rest is for what is not evaluation.
fn of_container(file: &Path) -> Option<u64> {
    let limit: u64 = fs::read_to_string(file).ok()?.trim().parse().ok()?;
    Some(limit / 10 * 9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_container_without_a_limit_has_none() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("memory.max");
        assert_eq!(of_container(&file), None);
        fs::write(&file, "max\n").unwrap();
        assert_eq!(of_container(&file), None);
        fs::write(&file, "1073741820\n").unwrap();
        assert_eq!(of_container(&file), Some(966_367_638));
    }
}
