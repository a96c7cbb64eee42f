//! List: which revision, which page, which objects. Source: the table of section "resourceVersion" of Kubernetes' API
//! concepts, `apiserver` `pkg/storage/etcd3/store.go` (`GetList`), `apimachinery` `pkg/apis/meta/internalversion/validation`.

use std::sync::Arc;
use std::time::Duration;

use crate::resources::Scope;
use crate::rest::context::Context;
use crate::rest::continue_token::Token;
use crate::selector::Selector;
use crate::status::Status;
use crate::storage::{AtError, Key, Record, Snapshot};

/// A revision from the future is waited for that long.
const FUTURE: Duration = Duration::from_secs(3);

const TOO_OLD: &str = "The resourceVersion for the provided list is too old.";
const TOKEN_TOO_OLD: &str = "The provided continue parameter is too old to display a consistent list result. You can start a \
    new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the \
    results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or \
    deleted between the time the first chunk was returned and now may show up in the list.";

/// What a caller asks for.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Objects on a page; 0 for all.
    pub limit: usize,
    /// Where to go on.
    pub token: Option<Token>,
    /// As of when.
    pub version: Version,
    /// Which objects.
    pub selector: Selector,
}

/// As of when.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Version {
    /// With every write that was answered; this is also what "any" gets.
    #[default]
    Latest,
    /// This revision or a later one.
    NotOlder(u64),
    /// This revision.
    Exactly(u64),
}

/// A page.
#[derive(Debug)]
pub struct Page {
    /// Of the whole list.
    pub revision: u64,
    /// As they are stored.
    pub items: Vec<Arc<Record>>,
    /// Where to go on, if there is more.
    pub token: Option<String>,
    /// How many more there are; only known without selectors.
    pub remaining: Option<usize>,
}

/// The namespace of a request; `None` for all, or where there are none.
pub fn namespace(context: &Context) -> Option<&str> {
    match context.resource.scope {
        Scope::Cluster => Some(""),
        Scope::Namespaced => Some(context.namespace.as_str()).filter(|namespace| !namespace.is_empty()),
    }
}

/// A snapshot as of when the caller wants it.
pub async fn snapshot(context: &Context, version: Version) -> Result<Snapshot, Status> {
    let store = &context.server.store;
    let (asked, result) = match version {
        Version::Latest => return Ok(store.snapshot()),
        Version::NotOlder(revision) => (revision, store.wait_for(revision, FUTURE).await),
        Version::Exactly(revision) => match store.snapshot_at(revision) {
            Err(AtError::Future { .. }) => {
                (revision, store.wait_for(revision, FUTURE).await.and_then(|_| store.snapshot_at(revision)))
            }
            result => (revision, result),
        },
    };
    result.map_err(|error| match error {
        AtError::Compacted { .. } => Status::expired(TOO_OLD),
        AtError::Future { current } => Status::future_version(asked, current),
    })
}

/// One page.
pub async fn list(context: &Context, options: &Options) -> Result<Page, Status> {
    let snapshot = match &options.token {
        Some(Token { revision: Some(revision), .. }) => {
            let result = snapshot(context, Version::Exactly(*revision)).await;
            result.map_err(|status| too_old(status, options.token.as_ref()))?
        }
        Some(_) => context.snapshot(),
        None => snapshot(context, options.version).await?,
    };
    let page = page(context, options, &snapshot);
    if page.token.is_some() {
        context.server.store.keep(&snapshot);
    }
    Ok(page)
}

/// A fresh token goes with the refusal of an old one.
fn too_old(status: Status, token: Option<&Token>) -> Status {
    if status.code != 410 {
        return status;
    }
    let fresh = token.map(|token| Token { revision: None, ..token.clone() }.write());
    Status { continue_token: fresh, ..Status::expired(TOKEN_TOO_OLD) }
}

fn page(context: &Context, options: &Options, snapshot: &Snapshot) -> Page {
    let (collection, namespace) = (&context.resource.collection, namespace(context));
    let after = options.token.as_ref().map(|token| (token.namespace.as_str(), token.name.as_str()));
    let limit = if options.limit == 0 { usize::MAX } else { options.limit };
    let mut wanted = snapshot.list(collection, namespace, after).filter(|record| options.selector.matches(record));
    let items: Vec<_> = wanted.by_ref().take(limit).cloned().collect();
    let more = items.len() == limit && wanted.next().is_some();
    let last = items.last().filter(|_| more).map(|last| &last.key);
    let token = last.map(|key| {
        let (namespace, name) = (key.namespace.to_string(), key.name.to_string());
        Token { revision: Some(snapshot.revision()), namespace, name }.write()
    });
    let rest = |key: &Key| {
        let rest = snapshot.list(collection, namespace, Some((&key.namespace, &key.name)));
        rest.filter(|record| options.selector.matches(record)).count()
    };
    let remaining = last.filter(|_| options.selector.is_empty()).map(rest);
    Page { revision: snapshot.revision(), items, token, remaining }
}
