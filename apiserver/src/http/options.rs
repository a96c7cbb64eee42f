//! What the query of a request asks for, as the verbs take it.

pub mod connect;
pub mod delete;
pub mod list;
pub mod watch;

use serde_json::{Map, Value as Json};

use super::edge::Request;
use super::query::Query;
use crate::rest::context::Context;
use crate::selector::Selector;
use crate::status::Status;

pub use connect::connect;
pub use delete::delete;
pub use list::list;
pub use watch::watch;

/// What every write may be given, as admission webhooks see it.
pub fn given(query: &Query) -> Json {
    let mut given = Map::new();
    let dry_run: Vec<&str> = query.all("dryRun").collect();
    if !dry_run.is_empty() {
        given.insert("dryRun".to_owned(), dry_run.into());
    }
    for name in ["fieldManager", "fieldValidation"] {
        if let Some(value) = query.get(name).filter(|value| !value.is_empty()) {
            given.insert(name.to_owned(), value.into());
        }
    }
    Json::Object(given)
}

/// `includeUninitialized`; a server without initializers hides nothing.
pub fn sees_uninitialized(request: &Request) -> bool {
    request.query.flag("includeUninitialized") || !request.server.initialization.settings.enabled
}

/// `labelSelector` and `fieldSelector`, and what of the objects the caller sees.
fn selector(query: &Query, context: &Context) -> Result<Selector, Status> {
    let selector = Selector::parse(query.text("labelSelector"), query.text("fieldSelector"), &context.resource)?;
    Ok(selector.with_uninitialized(context.sees_uninitialized))
}
