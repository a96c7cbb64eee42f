//! What policy says of an event: whether it is logged, and what is taken out of it.

use super::{Event, MaskError, mask};
use crate::management::config::decision_logs::DecisionLogs;
use crate::rego::{Definition, Limits, Value};
use crate::snapshot::Snapshot;

/// The two documents that are asked.
#[derive(Debug)]
pub(super) struct Policies {
    drop: Vec<String>,
    mask: Vec<String>,
    limits: Limits,
}

impl Policies {
    pub(super) fn of(config: &DecisionLogs, limits: Limits) -> Self {
        let path = |configured: &Option<String>, default: &str| {
            let text = configured.as_deref().unwrap_or(default);
            text.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect()
        };
        Self {
            drop: path(&config.drop_decision, "system/log/drop"),
            mask: path(&config.mask_decision, "system/log/mask"),
            limits,
        }
    }

    /// Masks the event; nothing is left of one that is not to be logged. An error means the same: what a policy failed to
    /// mask is not shown to anybody.
    pub(super) fn apply(&self, mut event: Event, snapshot: &Snapshot) -> Result<Option<Event>, MaskError> {
        let defined = |path: &[String]| snapshot.policies.program.defines(path) != Definition::Nothing;
        let (drops, masks) = (defined(&self.drop), defined(&self.mask));
        if !drops && !masks {
            return Ok(Some(event));
        }
        let text = serde_json::to_vec(&event).map_err(MaskError::Event)?;
        let input = Value::from_json(&text).map_err(MaskError::Event)?;
        let ask = |path: &[String]| snapshot.document(path, Some(&input), &self.limits).map_err(MaskError::Policy);
        if drops && ask(&self.drop)?.is_some_and(|document| document.is_true()) {
            return Ok(None);
        }
        if masks && let Some(rules) = ask(&self.mask)? {
            mask::apply(&rules.to_nearest_json(), &mut event)?;
        }
        Ok(Some(event))
    }
}
