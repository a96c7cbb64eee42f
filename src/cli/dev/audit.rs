//! The audit log of the API server that `plimsoll dev` runs.

use std::path::PathBuf;

use plimsoll_apiserver::audit;

/// The options of the audit log, called as kube-apiserver's.
#[derive(Clone, Debug, clap::Args)]
pub struct AuditArgs {
    /// Write a line of JSON (audit.k8s.io/v1 Event) for each request of the API server to this file; `-` is standard output.
    #[arg(long, value_name = "FILE", env = "PLIMSOLL_AUDIT_LOG_PATH")]
    pub audit_log_path: Option<PathBuf>,
    /// An audit.k8s.io/v1 Policy: which requests are written, at the levels None and Metadata. Without it, all of them.
    #[arg(long, value_name = "FILE", env = "PLIMSOLL_AUDIT_POLICY_FILE", requires = "audit_log_path")]
    pub audit_policy_file: Option<PathBuf>,
    /// Longest audit log, in megabytes (MiB); then it becomes FILE.1, and older ones FILE.2 and so on.
    #[arg(long, value_name = "MEGABYTES", default_value = "100", env = "PLIMSOLL_AUDIT_LOG_MAXSIZE")]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    pub audit_log_maxsize: u64,
    /// How many older audit logs are kept.
    #[arg(long, value_name = "COUNT", default_value = "10", env = "PLIMSOLL_AUDIT_LOG_MAXBACKUP")]
    pub audit_log_maxbackup: u16,
    /// `blocking`: a request is answered once its line is written, as far as it may take that long; `batch`: at once, and lines are lost
    /// where too many wait.
    #[arg(long, value_name = "MODE", default_value = "blocking", env = "PLIMSOLL_AUDIT_LOG_MODE")]
    pub audit_log_mode: AuditLogMode,
    /// How many lines wait at most, in the mode `batch`.
    #[arg(long, value_name = "LINES", default_value = "10000", env = "PLIMSOLL_AUDIT_LOG_BATCH_BUFFER_SIZE")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub audit_log_batch_buffer_size: u32,
}

/// Whether a request waits for its line. kube-apiserver's `blocking-strict` refuses requests whose arrival cannot be written, which is
/// not written here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum AuditLogMode {
    /// It does.
    Blocking,
    /// It does not.
    Batch,
}

impl AuditArgs {
    /// Returns where and how the audit log is written; `None` without `--audit-log-path`: there is no audit log.
    pub(super) fn options(&self) -> Option<audit::Options> {
        let path = self.audit_log_path.clone()?;
        let (policy, longest) = (self.audit_policy_file.clone(), self.audit_log_maxsize << 20);
        let mode = match self.audit_log_mode {
            AuditLogMode::Blocking => audit::Mode::Blocking,
            AuditLogMode::Batch => {
                audit::Mode::Batch { lines: usize::try_from(self.audit_log_batch_buffer_size).unwrap_or(usize::MAX) }
            }
        };
        Some(audit::Options { path, policy, longest, backups: self.audit_log_maxbackup, mode })
    }
}
