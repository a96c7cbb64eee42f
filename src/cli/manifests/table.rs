//! Checks the table of kinds before manifests are generated from it.

use std::path::{Path, PathBuf};

use plimsoll_contract::kind::{Gvr, Kind, Target};

/// A placed kind without a target: webhooks would ask about objects on which no placement can be written.
#[derive(Debug, thiserror::Error)]
#[error(
    "`{file}`: `kinds[{row}].target`: {gvr} is placed, but nothing says how its placement is written; say \
     `target: replica-set-preferences`, `target: deployment-preferences` or `target: <key of an annotation>`"
)]
pub struct Error {
    file: PathBuf,
    row: usize,
    gvr: Gvr,
}

/// Fails when a placed kind has no target, neither one of its own nor by its kind.
pub(super) fn check(file: &Path, kinds: &[Kind]) -> Result<(), Error> {
    let is_lost = |kind: &Kind| kind.place && kind.effective_target().is_none() && of_resource(kind).is_none();
    match kinds.iter().enumerate().find(|(_, kind)| is_lost(kind)) {
        Some((row, kind)) => Err(Error { file: file.into(), row, gvr: kind.gvr.clone() }),
        None => Ok(()),
    }
}

/// Returns the target of a row that leaves the kind's name to the sidecar, which looks it up in discovery.
fn of_resource(row: &Kind) -> Option<Target> {
    match row.gvr.resource.as_str() {
        _ if !row.kind.is_empty() => None,
        "replicasets" => Some(Target::ReplicaSetPreferences),
        "deployments" => Some(Target::DeploymentPreferences),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_said_or_known_by_kind_or_resource() {
        let cases = [
            ("apps/v1/replicasets", "", None, true),
            ("apps/v1/deployments", "", None, true),
            ("apps/v1/deployments", "Deployment", None, true),
            ("batch/v1/jobs", "", None, false),
            ("batch/v1/jobs", "Job", None, false),
            ("batch/v1/jobs", "Job", Some("example.com/clusters"), true),
            ("example.com/v1/deployments", "Rollout", None, false),
        ];
        for (gvr, kind, target, expected) in cases {
            let mut row = Kind::new(Gvr::try_from(gvr.to_owned()).unwrap(), kind);
            row.target = target.map(|key| Target::Annotation(key.into()));
            assert!(check(Path::new("sync.yaml"), std::slice::from_ref(&row)).is_ok(), "a row that is not placed");
            row.place = true;
            assert_eq!(check(Path::new("sync.yaml"), &[row]).is_ok(), expected, "{gvr} {kind}");
        }
    }
}
