//! Sets the replicas of an object by its scale, see [`crate::resources::scale`].

use serde_json::Value as Json;

use crate::resources::object;
use crate::resources::resource::Scale;
use crate::resources::scale::{set_replicas, view};
use crate::rest::context::{Context, Object};
use crate::status::{FieldError, Status};

use super::update::update;

/// Sets the replicas of the object of the context; `make` gives the new scale from the present one.
pub async fn set(context: &Context, paths: &Scale, make: &dyn Fn(&Json) -> Result<Json, Status>) -> Result<Object, Status> {
    update(context, &|old| {
        let scale = make(&view(old, paths))?;
        let replicas = scale.pointer("/spec/replicas").and_then(Json::as_i64).unwrap_or_default();
        if replicas < 0 {
            let error = FieldError::invalid("spec.replicas", replicas, "must be greater than or equal to 0");
            return Err(Status::invalid_kind("autoscaling", "Scale", &context.name, &[error]));
        }
        let mut object = old.clone();
        for field in ["resourceVersion", "uid"] {
            let given = Some(object::text(&scale, field)).filter(|text| !text.is_empty());
            object::set(&mut object, field, given.map(Into::into));
        }
        set_replicas(&mut object, paths, replicas);
        Ok(object.into())
    })
    .await
}
