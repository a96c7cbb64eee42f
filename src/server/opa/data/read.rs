//! `POST /v0/data`, `GET` and `POST /v1/data`.

use std::cell::OnceCell;
use std::time::Instant;

use actix_web::http::header;
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse, ResponseError};
use bytes::Bytes;
use serde_json::value::RawValue;

use super::answer::Api;
use super::body;
use super::explain::Explain;
use super::job::{Answered, Job, Packed};
use super::query::{Found, Query, lane, malformed};
use crate::budget::Weight;
use crate::fields::Fields;
use crate::server::encoding::{accepts_gzip, is_yaml, yaml_to_json};
use crate::server::limits::Body;
use crate::server::logged::RequestInfo;
use crate::server::pool::Lane;
use crate::server::request::{Params, segments};
use crate::server::respond::{self, ApiError};
use crate::server::{Engine, limits};

/// `GET /v1/data[/path]?input=`.
pub async fn get(request: HttpRequest, engine: Data<Engine>) -> Result<HttpResponse, ApiError> {
    let started = Instant::now();
    let params = Params::parse(request.query_string())?;
    let input = params.get("input").map(|text| Bytes::copy_from_slice(text.as_bytes()));
    if let Some(text) = &input {
        limits::parse::<Box<RawValue>>(text, "parameter contains malformed input document")?;
    }
    let (path, explain) = (segments(request.uri().path(), 2)?, Explain::of(&params));
    let query = Query { path, input, api: Api::V1, decides: false, explain, labels: params.flag("rule_labels") };
    let (lane, options) = (Lane::Data, AnswerOptions::of(&request, &params));
    run(&engine, (lane, None), query, options, move |_, found| body::v1(found, &params, false, started)).await
}

/// `POST /v1/data[/path]` with `{"input"}`.
pub async fn post_v1(request: HttpRequest, engine: Data<Engine>, payload: Payload) -> Result<HttpResponse, ApiError> {
    let started = Instant::now();
    let params = Params::parse(request.query_string())?;
    let path = segments(request.uri().path(), 2)?;
    let (explain, labels) = (Explain::of(&params), params.flag("rule_labels"));
    let query = Query { path, input: None, api: Api::V1, decides: !params.flag("raw"), explain, labels };
    let (lane, options) = (lane(&engine, &query), AnswerOptions::of(&request, &params));
    let sent = Sent::read(&request, &engine, payload, lane).await?;
    run(&engine, (lane, Some(sent)), query, options, move |query, found| body::v1(found, &params, query.input.is_none(), started))
        .await
}

/// `POST /v0/data[/path]`: the body is the input, the answer is the document.
pub async fn post_v0(request: HttpRequest, engine: Data<Engine>, payload: Payload) -> Result<HttpResponse, ApiError> {
    let params = Params::parse(request.query_string())?;
    let path = segments(request.uri().path(), 2)?;
    let (explain, labels) = Default::default();
    let query = Query { path, input: None, api: Api::V0, decides: !params.flag("raw"), explain, labels };
    let (lane, options) = (lane(&engine, &query), AnswerOptions::v0(&request, &params));
    let sent = Sent::read(&request, &engine, payload, lane).await?;
    run(&engine, (lane, Some(sent)), query, options, move |query, found| body::v0(found, &query.path, params.flag("pretty")))
        .await
}

/// `POST /`: as v0, at the default decision's path.
pub async fn post_default(request: HttpRequest, engine: Data<Engine>, payload: Payload) -> Result<HttpResponse, ApiError> {
    let params = Params::parse(request.query_string())?;
    let path = engine.settings.default_decision.clone();
    let (explain, labels) = Default::default();
    let query = Query { path, input: None, api: Api::V0, decides: false, explain, labels };
    let options = AnswerOptions { gzip: false, ..AnswerOptions::v0(&request, &params) };
    let sent = Sent::read(&request, &engine, payload, Lane::Query).await?;
    let encode = move |query: &Query, found: &Found| body::v0(found, &query.path, params.flag("pretty"));
    run(&engine, (Lane::Query, Some(sent)), query, options, encode).await
}

/// A body as it came.
pub(super) struct Sent {
    pub(super) body: Body,
    lane: Lane,
    pub(super) yaml: bool,
    /// The authorization policy was shown it.
    authorized: bool,
    /// Reckoned once.
    cost: OnceCell<u64>,
}

impl Sent {
    async fn read(request: &HttpRequest, engine: &Engine, payload: Payload, lane: Lane) -> Result<Self, ApiError> {
        let limit = engine.settings.sizes.of(limits::DECISION);
        let body = limits::body(payload, request.headers(), limit, engine.body(lane)).await?;
        let authorized = engine.settings.authorization;
        Ok(Self { body, lane, yaml: is_yaml(request.headers()), authorized, cost: OnceCell::new() })
    }

    /// Returns the bytes that its document takes; more for an object that is decided.
    pub(super) fn cost(&self) -> u64 {
        *self.cost.get_or_init(|| {
            let weight = if self.yaml { Weight::of_yaml(&self.body.text) } else { Weight::of(&self.body.text) };
            if self.lane == Lane::Decide { weight.decided() } else { weight.asked() }
        })
    }

    /// The input that it holds; of v0 there is always one, and no body is `null`, as in OPA. Runs on the pool.
    pub(super) fn input(&self, api: Api) -> Result<Option<Bytes>, ApiError> {
        let Self { body: Body { text: body, .. }, yaml, authorized, .. } = self;
        let (yaml, authorized, blank) = (*yaml, *authorized, body.trim_ascii().is_empty());
        let json = match yaml && !blank {
            true => yaml_to_json(body).map_err(|why| ApiError::invalid(format!("{}: {why}", malformed(api))))?.into(),
            false => body.clone(),
        };
        match (api, blank) {
            (Api::V0, true) => Ok(Some(Bytes::from_static(b"null"))),
            (Api::V0, false) => Ok(Some(json)),
            (Api::V1, true) => Ok(None),
            (Api::V1, false) => v1_input(&json, authorized),
        }
    }
}

/// The `input` of a v1 body, unread. Of several the last counts, and `null` is none, as in OPA; a body that the authorization
/// policy was shown has its names as they are written, another one in any case.
fn v1_input(body: &Bytes, authorized: bool) -> Result<Option<Bytes>, ApiError> {
    let parsed: Option<Fields<Box<RawValue>>> = limits::parse(body, malformed(Api::V1))?;
    let input = parsed.and_then(|mut parsed| if authorized { parsed.exactly("input") } else { parsed.take("input") });
    let input = input.map(|input| Box::<str>::from(input).into_string());
    Ok(input.filter(|input| input != "null").map(Bytes::from))
}

/// Options of evaluation and of the answer.
#[derive(Clone, Debug)]
pub(super) struct AnswerOptions {
    pub(super) strict: bool,
    pub(super) gzip: bool,
    pretty: bool,
    pub(super) request_info: RequestInfo,
}

impl AnswerOptions {
    fn of(request: &HttpRequest, params: &Params) -> Self {
        Self { strict: params.flag("strict-builtin-errors"), ..Self::v0(request, params) }
    }

    fn v0(request: &HttpRequest, params: &Params) -> Self {
        let gzip = accepts_gzip(request.headers());
        Self { strict: false, gzip, pretty: params.flag("pretty"), request_info: RequestInfo::of(request) }
    }

    /// Returns how many bytes of a kept answer are shown without a worker: to copy them takes some 10 us, to compress them or to write them
    /// with spaces a hundred times as long.
    pub(super) fn most(&self) -> usize {
        const COPIED: usize = 128 << 10;
        const WRITTEN: usize = 8 << 10;
        if self.gzip || self.pretty { WRITTEN } else { COPIED }
    }
}

/// Answers on the pool: what takes long to evaluate or to encode delays nobody else's request. What is found without evaluation is
/// answered at once.
async fn run(
    engine: &Data<Engine>,
    (lane, sent): (Lane, Option<Sent>),
    query: Query,
    options: AnswerOptions,
    encode: impl FnOnce(&Query, &Found) -> Result<Vec<u8>, ApiError> + Send + 'static,
) -> Result<HttpResponse, ApiError> {
    // The log tells them of every decision.
    let query = Query { labels: query.labels || options.request_info.id.is_some(), ..query };
    let mut job = Job { engine: Data::clone(engine), lane, sent, query, options, encode, started: Instant::now() };
    let answered = match job.seen() {
        Some(found) => job.answer(found),
        None => engine.evaluate(lane, move || job.run()).await?,
    };
    let Answered { encoded, snapshot, ages } = answered?;
    let response = match encoded {
        Ok(Packed { text, gzip }) => {
            let mut response = HttpResponse::Ok();
            response.content_type("application/json");
            if gzip {
                response.insert_header((header::CONTENT_ENCODING, "gzip"));
            }
            response.body(text)
        }
        Err(error) => error.error_response(),
    };
    Ok(respond::stamped(response, &snapshot, &ages))
}
