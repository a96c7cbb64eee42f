//! Whether an object is valid, in kube-apiserver's words.

mod formats;
pub mod metadata;
pub mod names;
mod value;

use serde_json::Value as Json;

use super::field::{Faults, FieldError, Path, quote};
use super::resource::Resource;

impl Resource {
    /// Every fault of `object`; of the change from `old` too, where there is one.
    pub fn validate(&self, object: &Json, old: Option<&Json>) -> Result<(), Vec<FieldError>> {
        let mut faults = Faults::default();
        metadata::validate(self, object, old, &mut faults);
        if self.custom {
            value::validate(&self.schema, object, &Path::ROOT, &mut faults);
        }
        faults.into_result()
    }
}
