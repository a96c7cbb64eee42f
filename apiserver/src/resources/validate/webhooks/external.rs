//! ExternalAdmissionHookConfigurations of `v1alpha1`. Source: `pkg/apis/admissionregistration/validation` of Kubernetes 1.8, whose
//! rules for rules are still the same; an address and its certificates must be given, which was found at the call.

use serde_json::Value as Json;

use super::{FAILURE, rule};
use crate::resources::validate::peek::{field, list, text};
use crate::resources::validate::{one_of, qualified_name, selector};
use crate::status::field::{Faults, Path};

/// Every fault of a configuration.
pub(in crate::resources::validate) fn external(object: &Json, faults: &mut Faults) {
    let hooks = Path::ROOT.child("externalAdmissionHooks");
    for (index, hook) in list(object, "externalAdmissionHooks").iter().enumerate() {
        let path = hooks.index(index);
        qualified_name(text(hook, "name"), &path.child("name"), faults);
        let rules = path.child("rules");
        for (index, one) in list(hook, "rules").iter().enumerate() {
            rule::validate(one, &rules.index(index), faults);
        }
        one_of(hook, "failurePolicy", &FAILURE, &path, faults);
        selector::validate(field(hook, "namespaceSelector"), &path.child("namespaceSelector"), faults);
        let (client, at) = (field(hook, "clientConfig"), path.child("clientConfig"));
        if text(client, "caBundle").is_empty() {
            faults.required(&at.child("caBundle"), "");
        }
        let (service, at) = (field(client, "service"), at.child("service"));
        for name in ["name", "namespace"].into_iter().filter(|name| text(service, name).is_empty()) {
            faults.required(&at.child(name), "");
        }
    }
}
