//! Ownership in whole: what each write leaves in the object and in `managedFields`.

mod applying;
mod laws;
mod updating;

use serde_json::{Value as Json, json};
use time::OffsetDateTime;

use super::{Manager, Operation, apply, updated};
use crate::patch::PatchError;
use crate::patch::testing::{config_map, owned, workload};
use crate::resources::Schema;

/// One object and its writers; every write is a minute later than the one before.
struct Story {
    schema: Schema,
    api_version: &'static str,
    object: Option<Json>,
    minute: i64,
}

impl Story {
    fn new(schema: Schema, api_version: &'static str) -> Self {
        Self { schema, api_version, object: None, minute: 0 }
    }

    fn of_config_map() -> Self {
        Self::new(config_map(), "v1")
    }

    fn of_workload() -> Self {
        Self::new(workload(), "apps/v1")
    }

    fn manager(&mut self, name: &str, operation: Operation) -> Manager {
        self.minute += 1;
        let (name, subresource) = name.split_once('/').unwrap_or((name, ""));
        Manager {
            name: name.into(),
            operation,
            api_version: self.api_version.into(),
            subresource: subresource.into(),
            time: OffsetDateTime::from_unix_timestamp(1_800_000_000 + self.minute * 60).unwrap(),
        }
    }

    fn try_apply(&mut self, name: &str, config: &Json, force: bool) -> Result<(), PatchError> {
        let manager = self.manager(name, Operation::Apply);
        self.object = Some(apply(&self.schema, self.object.as_ref(), config, &manager, force)?);
        Ok(())
    }

    fn apply(&mut self, name: &str, config: &Json) {
        self.try_apply(name, config, false).unwrap();
    }

    fn refused(&mut self, name: &str, config: &Json) -> String {
        self.try_apply(name, config, false).unwrap_err().to_string()
    }

    /// Writes the object as it is, with what `change` does to it.
    fn update(&mut self, name: &str, change: impl FnOnce(&mut Json)) {
        let manager = self.manager(name, Operation::Update);
        let mut new = self.object.clone().unwrap_or_else(|| json!({}));
        change(&mut new);
        updated(&self.schema, self.object.as_ref(), &mut new, &manager);
        self.object = Some(new);
    }

    fn object(&self) -> Json {
        self.object.clone().unwrap()
    }

    /// The object without its `managedFields`.
    fn content(&self) -> Json {
        let mut object = self.object();
        super::take_managed_fields(&mut object);
        object
    }

    fn owned(&self) -> Json {
        Json::Object(owned(&self.object()))
    }
}

fn data(entries: Json) -> Json {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "namespace": "default"}, "data": entries})
}

fn spec(spec: Json) -> Json {
    json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "x", "namespace": "default"}, "spec": spec})
}

fn pod(pod: Json) -> Json {
    spec(json!({"template": {"spec": pod}}))
}

/// Of `fieldsV1`, what lies below the pod template's `spec`.
fn pod_fields(fields: &Json) -> Json {
    fields["f:spec"]["f:template"]["f:spec"].clone()
}
