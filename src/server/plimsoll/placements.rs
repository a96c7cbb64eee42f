//! `GET /plimsoll/v1/placements`: a list with filters, or with `?watch&since=N` a stream of one event per line.

use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::web::{self, Bytes, Data, ServiceConfig};
use actix_web::{Error, HttpRequest, HttpResponse};
use futures::{Stream, stream};
use plimsoll_contract::kind::Gvr;
use plimsoll_contract::outcome::Outcome;
use plimsoll_contract::placement::PlacementEvent;
use tokio::sync::watch;
use tokio::time::{Interval, MissedTickBehavior, interval};

use crate::placements::{Filter, Gone};
use crate::server::edge::not_allowed;
use crate::server::pool::Lane;
use crate::server::request::Params;
use crate::server::respond::{self, ApiError};
use crate::server::{Engine, Phase};
use crate::snapshot::Snapshot;

/// Between bookmarks: half of what is promised.
const BOOKMARKS: Duration = Duration::from_secs(5);
const FILTERS: [&str; 5] = ["kind", "namespace", "outcome", "cluster", "pending"];
const WATCHING: [&str; 3] = ["watch", "since", "epoch"];

impl From<Gone> for ApiError {
    fn from(gone: Gone) -> Self {
        Self::new(StatusCode::GONE, "gone", gone.to_string())
    }
}

/// Mounts the table.
pub fn routes(config: &mut ServiceConfig) {
    let resource = web::resource("/plimsoll/v1/placements").route(web::get().to(get));
    config.service(resource.default_service(web::to(not_allowed)));
}

async fn get(request: HttpRequest, engine: Data<Engine>) -> Result<HttpResponse, ApiError> {
    let params = Params::parse(request.query_string())?;
    if params.flag("watch") { watch_from(&params, engine) } else { list(&params, engine).await }
}

// ---- list ----

async fn list(params: &Params, engine: Data<Engine>) -> Result<HttpResponse, ApiError> {
    known(params, &[FILTERS.as_slice(), &["pretty", "watch"]].concat())?;
    let filter = filter(params, &engine.store.load())?;
    let pretty = params.flag("pretty");
    let shared = Data::clone(&engine);
    let encode = move || respond::encoded(&shared.table.list(&filter), pretty);
    let body = engine.evaluate(Lane::Data, encode).await?;
    let body = body.map_err(|error| ApiError::internal(format!("the list could not be encoded: {error}")))?;
    Ok(HttpResponse::Ok().content_type("application/json").body(body))
}

fn filter(params: &Params, snapshot: &Snapshot) -> Result<Filter, ApiError> {
    let text = |name: &str| params.get(name).map(str::to_owned);
    let outcome = text("outcome").map(|said| outcome(&said)).transpose()?;
    let gvr = text("kind").map(|kind| gvr(kind, snapshot)).transpose()?;
    Ok(Filter { gvr, namespace: text("namespace"), outcome, cluster: text("cluster"), pending: params.flag("pending") })
}

/// An outcome's name, as metrics have it (`no_opinion`, `stale`) or as rows show it (`noOpinion`, `unavailable`).
fn outcome(said: &str) -> Result<String, ApiError> {
    let names = [Outcome::NAMES.as_slice(), &[Outcome::UNAVAILABLE]].concat();
    let found = names.iter().find(|name| **name == said || name.replace('_', "").eq_ignore_ascii_case(said));
    let unknown = || ApiError::invalid(format!("outcome `{said}` is none of {}", names.join(", ")));
    found.map(|name| (*name).to_owned()).ok_or_else(unknown)
}

/// `apps/v1/replicasets`, or the kind or plural of a declared row.
pub(super) fn gvr(text: String, snapshot: &Snapshot) -> Result<Gvr, ApiError> {
    if text.contains('/') {
        return Gvr::try_from(text).map_err(|error| ApiError::invalid(format!("kind {error}")));
    }
    let mut kinds = snapshot.state.sources.values().flat_map(|source| &source.kinds).map(|kind| &kind.kind);
    let found = kinds.find(|kind| kind.kind.eq_ignore_ascii_case(&text) || kind.gvr.resource.eq_ignore_ascii_case(&text));
    found.map(|kind| kind.gvr.clone()).ok_or_else(|| ApiError::invalid(format!("kind `{text}` is not declared by any source")))
}

/// A parameter that is not known is refused by name: ignored, it would silently show too much.
pub(super) fn known(params: &Params, names: &[&str]) -> Result<(), ApiError> {
    match params.unknown(names) {
        None => Ok(()),
        Some(name) => Err(ApiError::invalid(format!("parameter `{name}` is none of {}", names.join(", ")))),
    }
}

// ---- watch ----

fn watch_from(params: &Params, engine: Data<Engine>) -> Result<HttpResponse, ApiError> {
    known(params, &WATCHING)?;
    let since = params.get("since").and_then(|text| text.parse().ok());
    let since = since.ok_or_else(|| ApiError::invalid("a watch needs `since`, the position from the list"))?;
    if params.get("epoch").is_some_and(|epoch| epoch != engine.table.epoch()) {
        return Err(Gone(since).into());
    }
    engine.table.events_after(since)?;
    let reader = Reader::new(engine, since);
    Ok(HttpResponse::Ok().content_type("application/x-ndjson").streaming(lines(reader)))
}

struct Reader {
    engine: Data<Engine>,
    since: u64,
    newest: watch::Receiver<u64>,
    phase: watch::Receiver<Phase>,
    bookmarks: Interval,
}

impl Reader {
    fn new(engine: Data<Engine>, since: u64) -> Self {
        let mut bookmarks = interval(BOOKMARKS);
        bookmarks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (newest, phase) = (engine.table.subscribe(), engine.phase.subscribe());
        Self { engine, since, newest, phase, bookmarks }
    }

    /// The next lines; `None` ends the stream: the engine drains, or the reader was too slow and must list again.
    async fn next(&mut self) -> Option<Vec<PlacementEvent>> {
        loop {
            self.newest.mark_unchanged();
            let events = self.engine.table.events_after(self.since).ok()?;
            if let Some(last) = events.last() {
                self.since = position(last);
                return Some(events);
            }
            tokio::select! {
                biased;
                _ = self.phase.wait_for(|phase| *phase == Phase::Draining) => return None,
                changed = self.newest.changed() => changed.ok()?,
                _ = self.bookmarks.tick() => {
                    if let Some(bookmark) = self.engine.table.bookmark(self.since) {
                        return Some(vec![bookmark]);
                    }
                }
            }
        }
    }
}

fn lines(reader: Reader) -> impl Stream<Item = Result<Bytes, Error>> {
    stream::unfold(reader, |mut reader| async move {
        let events = reader.next().await?;
        let mut text = Vec::new();
        for event in &events {
            reader.engine.metrics.notified(label(event));
            if let Err(error) = serde_json::to_writer(&mut text, event) {
                return Some((Err(ApiError::internal(error.to_string()).into()), reader));
            }
            text.push(b'\n');
        }
        Some((Ok(Bytes::from(text)), reader))
    })
}

fn position(event: &PlacementEvent) -> u64 {
    match event {
        PlacementEvent::Changed { seq, .. } | PlacementEvent::Removed { seq, .. } | PlacementEvent::Bookmark { seq, .. } => *seq,
    }
}

fn label(event: &PlacementEvent) -> &'static str {
    match event {
        PlacementEvent::Changed { .. } => "changed",
        PlacementEvent::Removed { .. } => "removed",
        PlacementEvent::Bookmark { .. } => "bookmark",
    }
}
