//! List: which revision, which page, which objects. Source: the table of section "resourceVersion" of Kubernetes' API
//! concepts, `apiserver` `pkg/storage/etcd3/store.go` (`GetList`), `apimachinery` `pkg/apis/meta/internalversion/validation`.

use std::sync::Arc;
use std::time::Duration;

use crate::http::context::Context;
use crate::http::continue_token::Token;
use crate::http::query::Query;
use crate::http::selector::Selector;
use crate::resources::FieldError;
use crate::resources::Scope;
use crate::status::Status;
use crate::storage::{AtError, Record, Snapshot};

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

impl Options {
    /// Of a list request.
    pub fn read(context: &Context, query: &Query) -> Result<Self, Status> {
        let limit = query.number("limit")?.unwrap_or_default();
        let limit = usize::try_from(limit).map_err(|_| Status::bad_request("limit: must not be negative"))?;
        let token = query.get("continue").filter(|text| !text.is_empty());
        let version = version(query, token.is_some(), limit)?;
        let token = token.map(|text| Token::read(text, namespace(context))).transpose()?;
        let selector = Selector::read(query, &context.resource)?;
        Ok(Self { limit, token, version, selector })
    }
}

/// The namespace of a request; `None` for all, or where there are none.
pub fn namespace(context: &Context) -> Option<&str> {
    match context.resource.scope {
        Scope::Cluster => Some(""),
        Scope::Namespaced => Some(context.namespace.as_str()).filter(|namespace| !namespace.is_empty()),
    }
}

/// `resourceVersion` as a number; `None` for absent and empty.
pub fn revision(query: &Query) -> Result<Option<u64>, FieldError> {
    let text = query.text("resourceVersion");
    if text.is_empty() {
        return Ok(None);
    }
    let parsed = text.parse::<u64>();
    let invalid = |error| FieldError::invalid("resourceVersion", text, format!("strconv.ParseUint: parsing {text:?}: {error}"));
    parsed.map(Some).map_err(|_| invalid("invalid syntax"))
}

fn version(query: &Query, continued: bool, limit: usize) -> Result<Version, Status> {
    check_match(query, continued)?;
    let unreadable = |error: FieldError| Status::bad_request(format!("invalid resource version: {error}"));
    let revision = revision(query).map_err(unreadable)?;
    if continued && revision.is_some_and(|revision| revision != 0) {
        return Err(Status::bad_request("specifying resource version is not allowed when using continue"));
    }
    Ok(match (revision, query.text("resourceVersionMatch")) {
        (None | Some(0), _) => Version::Latest,
        (Some(revision), "Exact") => Version::Exactly(revision),
        (Some(revision), "") if limit > 0 => Version::Exactly(revision),
        (Some(revision), _) => Version::NotOlder(revision),
    })
}

fn check_match(query: &Query, continued: bool) -> Result<(), Status> {
    let (version, matching) = (query.text("resourceVersion"), query.text("resourceVersionMatch"));
    let field = "resourceVersionMatch";
    let error = match matching {
        _ if query.get("sendInitialEvents").is_some() && !query.flag("watch") => {
            Some(FieldError::forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"))
        }
        "" => None,
        _ if continued => Some(FieldError::forbidden(field, "resourceVersionMatch is forbidden when continue is provided")),
        _ if version.is_empty() => {
            Some(FieldError::forbidden(field, "resourceVersionMatch is forbidden unless resourceVersion is provided"))
        }
        "Exact" if version == "0" => {
            Some(FieldError::forbidden(field, "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\""))
        }
        "Exact" | "NotOlderThan" => None,
        other => Some(FieldError::not_supported(field, other, &["Exact", "NotOlderThan", ""])),
    };
    error.map_or(Ok(()), |error| Err(Status::invalid_kind("meta.k8s.io", "ListOptions", "", &[error])))
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
    let count_rest = |key: &crate::storage::Key| snapshot.list(collection, namespace, Some((&key.namespace, &key.name))).count();
    let remaining = last.filter(|_| options.selector.is_empty()).map(count_rest);
    Page { revision: snapshot.revision(), items, token, remaining }
}
