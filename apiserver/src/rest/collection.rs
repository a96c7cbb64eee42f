//! Deletecollection: a list, then a delete of each, with admission for each. Objects that are not initialized go too, as
//! upstream, but who does not see them is not told of them.

use std::sync::Arc;

use super::delete::{Options, delete};
use super::list::{self, Page};
use crate::rest::context::Context;
use crate::status::Status;
use crate::storage::Record;

/// Deletes what the list options select; gives the objects as they were, those that the caller sees.
pub async fn delete_collection(context: &Context, wanted: &list::Options, options: &Options) -> Result<Page, Status> {
    let page = list::list(context, wanted).await?;
    for record in page.items.iter().chain(&hidden(context, wanted, &page)) {
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

/// What the selectors want but the page does not show, as far as the page goes: between its first object and its last, or to the
/// end if no other page follows. So no page is counted by it, and no token names it.
fn hidden(context: &Context, wanted: &list::Options, page: &Page) -> Vec<Arc<Record>> {
    let snapshot = context.snapshot();
    let after = wanted.token.as_ref().map(|token| (token.namespace.as_str(), token.name.as_str()));
    let last = page.items.last().filter(|_| page.token.is_some()).map(|last| &last.key);
    let selector = wanted.selector.clone().with_uninitialized(true);
    let records =
        snapshot.list(&context.resource.collection, list::namespace(context), after).filter(|record| record.uninitialized);
    let within = records.take_while(|record| last.is_none_or(|last| record.key <= *last));
    let shown = |record: &Record| page.items.iter().any(|item| item.key == record.key);
    within.filter(|record| selector.matches(record) && !shown(record)).cloned().collect()
}
