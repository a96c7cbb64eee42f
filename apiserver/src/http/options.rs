//! What the query of a request asks for, as the verbs take it.

pub mod delete;
pub mod list;
pub mod watch;

use super::query::Query;
use crate::resources::Resource;
use crate::selector::Selector;
use crate::status::Status;

pub use delete::delete;
pub use list::list;
pub use watch::watch;

/// `labelSelector` and `fieldSelector`.
fn selector(query: &Query, resource: &Resource) -> Result<Selector, Status> {
    Selector::parse(query.text("labelSelector"), query.text("fieldSelector"), resource)
}
