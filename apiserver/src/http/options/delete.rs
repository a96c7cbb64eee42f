//! `DeleteOptions`.

use serde_json::Value as Json;

use crate::http::query::Query;
use crate::rest::delete::Options;
use crate::status::Status;

/// From the body or, where there is none, from the query.
pub fn delete(body: Option<Json>, query: &Query) -> Result<Options, Status> {
    let options = match body.filter(|body| !body.is_null()) {
        Some(body) => serde_json::from_value(body)
            .map_err(|error| Status::bad_request(format!("the body of a delete must be DeleteOptions: {error}")))?,
        None => Options {
            propagation_policy: query.get("propagationPolicy").map(str::to_owned),
            orphan_dependents: query.get("orphanDependents").map(|_| query.flag("orphanDependents")),
            ..Options::default()
        },
    };
    options.check()?;
    Ok(options)
}
