//! `/plimsoll/v1/why`: why an object is placed as it is. `GET` asks of one that is there, `POST` of one that is sent.

use actix_web::web::{self, Data, Payload, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use plimsoll_contract::kind::{Gvr, Mode};
use plimsoll_contract::source::ObjectName;
use plimsoll_contract::why::{Why, WhyQuestion};
use serde_json::Value as Json;

use crate::budget::Weight;
use crate::decision::{Subject, Way, Writer};
use crate::placements::Filter;
use crate::server::edge::not_allowed;
use crate::server::opa::data::query;
use crate::server::plimsoll::placements::{gvr, known};
use crate::server::pool::Lane;
use crate::server::request::Params;
use crate::server::respond::{self, ApiError, loaded};
use crate::server::{Engine, limits};
use crate::snapshot::Snapshot;
use crate::why::{self, why};

const PARAMETERS: [&str; 5] = ["kind", "namespace", "name", "cluster", "pretty"];
const MALFORMED: &str = "body contains malformed question";

/// Mounts it.
pub fn routes(config: &mut ServiceConfig) {
    let resource = web::resource("/plimsoll/v1/why").route(web::get().to(get)).route(web::post().to(post));
    config.service(resource.default_service(web::to(not_allowed)));
}

async fn get(request: HttpRequest, engine: Data<Engine>) -> Result<HttpResponse, ApiError> {
    let params = Params::parse(request.query_string())?;
    known(&params, &PARAMETERS)?;
    let text = |name: &str| params.get(name).unwrap_or_default().to_owned();
    let (kind, name) = (text("kind"), ObjectName { namespace: text("namespace"), name: text("name") });
    let request = request_of(&engine, clusters(&text("cluster")))?;
    let shared = Data::clone(&engine);
    let explained = engine.evaluate(Lane::Data, move || stored(&shared, kind, &name, &request)).await??;
    answer(&explained, params.flag("pretty"))
}

async fn post(request: HttpRequest, engine: Data<Engine>, payload: Payload) -> Result<HttpResponse, ApiError> {
    let params = Params::parse(request.query_string())?;
    known(&params, &["pretty"])?;
    let limit = engine.settings.sizes.of(limits::DECISION);
    let body = limits::body(payload, request.headers(), limit, engine.body(Lane::Data)).await?;
    let shared = Data::clone(&engine);
    let work = move || {
        let _charge = shared.charge(Lane::Data, Weight::of(&body.text).decided())?;
        sent(&shared, limits::parse(&body.text, MALFORMED)?)
    };
    answer(&engine.evaluate(Lane::Data, work).await??, params.flag("pretty"))
}

/// Names between commas.
fn clusters(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// Returns the request for these clusters; an explanation goes as far as it comes in the time of an evaluation. Fails for more than 10,000.
fn request_of(engine: &Engine, clusters: Vec<String>) -> Result<why::Request, ApiError> {
    const MOST: usize = 10_000;
    if clusters.len() > MOST {
        return Err(ApiError::invalid(format!(
            "{} clusters are named, more than {MOST}: ask for all, or for fewer",
            clusters.len()
        )));
    }
    Ok(why::Request { clusters, time: engine.config.limits.time })
}

/// Explains an object that a source has replicated. Fails when the kind or the object is not there.
fn stored(engine: &Engine, kind: String, name: &ObjectName, request: &why::Request) -> Result<Why, ApiError> {
    let snapshot = engine.store.load();
    loaded(&snapshot)?;
    if kind.is_empty() || name.name.is_empty() {
        return Err(ApiError::invalid("an object has a `kind` and a `name`, and most have a `namespace`"));
    }
    let gvr = gvr(kind, &snapshot)?;
    let kind = snapshot.state.kind(&gvr).ok_or_else(|| ApiError::invalid(format!("kind {gvr} is not declared by any source")))?;
    let leaf = snapshot.state.object(kind, name);
    let leaf = leaf.ok_or_else(|| ApiError::not_found(format!("there is no {gvr} {}", shown(name))))?;
    let object: Json = limits::document(&leaf.json, "the replicated object cannot be read")?;
    let last = engine.table.last(&leaf.uid);
    let subject = Subject { object: &object, kind: Some(kind), way: Way::Stored, writer: Writer::Unknown, last: last.as_ref() };
    let mut explained = explained(engine, &snapshot, subject, request)?;
    explained.notes.splice(0..0, standing(engine, gvr, name));
    Ok(explained)
}

/// Returns where an object stands that is not where policy wants it, and what keeps it there; `None` for all others.
fn standing(engine: &Engine, gvr: Gvr, name: &ObjectName) -> Option<String> {
    let still = engine.store.still();
    let (is_paused, is_braked) = (still.paused.cover(&gvr, &name.namespace), still.braked.cover(&gvr, &name.namespace));
    let filter = Filter { gvr: Some(gvr), namespace: Some(name.namespace.clone()), pending: true, ..Filter::default() };
    let row = engine.table.list(&filter).items.into_iter().find(|row| row.name == name.name)?;
    let from = row.moves.as_ref().map(|moves| moves.from.join(", "));
    let stands = match from.as_deref() {
        Some("") => "it is placed nowhere now".to_owned(),
        Some(clusters) => format!("it stands on {clusters} now"),
        None => "it stands where it is wanted, with other annotations".to_owned(),
    };
    let why = match () {
        () if row.hold => "annotation `plimsoll.io/hold` keeps it there",
        () if row.mode != Mode::Auto => "the mode of its kind is not `auto`, so nothing is written",
        () if is_paused => "placement is paused there: `plimsoll brake resume`",
        () if is_braked && row.moves.is_some() => "the brake is on: `plimsoll brake` shows what stands still",
        () => "the sidecar has not written what policy wants yet",
    };
    Some(format!("{stands}; {why}"))
}

/// Explains an object as it would be written. Fails when it is no Kubernetes object.
fn sent(engine: &Engine, question: WhyQuestion) -> Result<Why, ApiError> {
    let snapshot = engine.store.load();
    loaded(&snapshot)?;
    let WhyQuestion { object, clusters } = question;
    if ["apiVersion", "kind", "metadata"].iter().any(|field| object.get(field).is_none()) {
        return Err(ApiError::invalid("`object` is no Kubernetes object: it needs `apiVersion`, `kind` and `metadata`"));
    }
    let request = request_of(engine, clusters)?;
    query::of_object(engine, &snapshot, &object, |subject| explained(engine, &snapshot, subject, &request))
}

fn explained(engine: &Engine, snapshot: &Snapshot, subject: Subject<'_>, request: &why::Request) -> Result<Why, ApiError> {
    let explained = why(snapshot, subject, &engine.config, request)?;
    Ok(Why { sources: snapshot.ages(engine.store.now()), ..explained })
}

fn shown(ObjectName { namespace, name }: &ObjectName) -> String {
    if namespace.is_empty() { name.clone() } else { format!("{namespace}/{name}") }
}

fn answer(why: &Why, pretty: bool) -> Result<HttpResponse, ApiError> {
    let body = respond::encoded(why, pretty);
    let body = body.map_err(|error| ApiError::internal(format!("the answer could not be encoded: {error}")))?;
    Ok(HttpResponse::Ok().content_type("application/json").body(body))
}
