//! Names of admission configurations that are kept for manifests on the server's disk (KEP-5793): nothing of such a name comes in by the API.
//! Source: `kubernetes/pkg/apis/admissionregistration/validation/static_suffix.go` and the strategies of
//! `kubernetes/pkg/registry/admissionregistration`.

use serde_json::Value as Json;

use crate::resources::object;
use crate::resources::prepare::Warning;
use crate::resources::resource::Resource;
use crate::status::field::FieldError;

/// The end of the names that are kept.
pub const STATIC_SUFFIX: &str = ".static.k8s.io";

impl Resource {
    /// Fails with every fault of an object that somebody creates through the API: those of [`Resource::validate`], and a name that is
    /// kept for manifests.
    pub fn validate_new(&self, object: &Json) -> Result<(), Vec<FieldError>> {
        let mut faults = self.validate(object, None).err().unwrap_or_default();
        let name = object::text(object, "name");
        faults.extend(self.reserved(name).map(|why| FieldError::invalid("metadata.name", name, why)));
        if faults.is_empty() { Ok(()) } else { Err(faults) }
    }

    /// Returns what the user is told of an update, as upstream: an object that has the name already may change.
    pub fn warning_of_name(&self, name: &str) -> Option<Warning> {
        self.reserved(name).map(|why| format!("metadata.name: {why}"))
    }

    fn reserved(&self, name: &str) -> Option<String> {
        let why = || {
            format!(
                "names ending with {STATIC_SUFFIX:?} are reserved for static manifest-based configurations and cannot be managed \
                 via the API"
            )
        };
        (self.group == "admissionregistration.k8s.io" && name.ends_with(STATIC_SUFFIX)).then(why)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::resources::Registry;

    #[test]
    fn the_suffix_is_kept_in_every_version_of_the_group_and_nowhere_else() {
        let registry = Registry::built_in().unwrap();
        let names = [("a.static.k8s.io", true), (".static.k8s.io", true), ("a.static.k8s.io.x", false), ("static.k8s.io", false)];
        let of_group: Vec<_> = registry.all().filter(|row| row.group == "admissionregistration.k8s.io").collect();
        assert_eq!(of_group.len(), 6);
        for row in of_group {
            for (name, reserved) in names {
                let faults = row.validate_new(&json!({"metadata": {"name": name}})).err().unwrap_or_default();
                let told = faults.iter().any(|fault| fault.field == "metadata.name" && fault.message.contains("are reserved"));
                assert_eq!((told, row.warning_of_name(name).is_some()), (reserved, reserved), "{} {name}", row.kind);
            }
        }
        let maps = registry.find("", "v1", "configmaps").unwrap();
        assert!(maps.validate_new(&json!({"metadata": {"name": "a.static.k8s.io", "namespace": "a"}})).is_ok());
    }
}
