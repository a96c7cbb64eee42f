//! Deletecollection: a list, then a delete of each, with admission for each.

use super::delete::{Options, delete};
use super::list::{self, Page};
use crate::rest::context::Context;
use crate::status::Status;

/// Deletes what the list options select; gives the objects as they were.
pub async fn delete_collection(context: &Context, wanted: &list::Options, options: &Options) -> Result<Page, Status> {
    let page = list::list(context, wanted).await?;
    for record in &page.items {
        let one = Context { in_collection: true, ..context.of_object(&record.key) };
        match delete(&one, options).await {
            // Somebody was faster, which is what the caller wants.
            Err(status) if status.code == 404 => {}
            result => drop(result?),
        }
        context.warnings.borrow_mut().append(&mut one.warnings.borrow_mut());
    }
    Ok(page)
}
