//! OPA's query API, the default decision at `/`, and the compile API, which there is no partial evaluation for.

use std::time::Instant;

use actix_web::http::StatusCode;
use actix_web::web::{self, Bytes, Data, Payload, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value as Json};

use crate::budget::{Charge, Weight};
use crate::fields::{Fields, NoText, Text};
use crate::rego::{Document, Limits, Value};
use crate::server::edge::not_allowed;
use crate::server::logged::{DecisionInfo, RequestInfo, reason, timer};
use crate::server::opa::data::body::warning;
use crate::server::opa::data::explain::{Explain, Explanation};
use crate::server::pool::Lane;
use crate::server::request::Params;
use crate::server::respond::{self, ApiError};
use crate::server::{Engine, limits};
use crate::snapshot::QueryError;

/// Mounts `/v1/query` and `/v1/compile`.
pub fn routes(config: &mut ServiceConfig) {
    let query = web::resource("/v1/query").route(web::get().to(get)).route(web::post().to(post));
    config.service(query.default_service(web::to(not_allowed)));
    config.service(web::resource("/v1/query/{path:.*}").default_service(web::to(not_allowed)));
    config.service(
        web::resource(["/v1/compile", "/v1/compile/{path:.*}"]).route(web::post().to(compile)).route(web::get().to(compile)),
    );
}

const MALFORMED: &str = "error(s) occurred while decoding request";

async fn get(request: HttpRequest, engine: Data<Engine>) -> Result<HttpResponse, ApiError> {
    let params = Params::parse(request.query_string())?;
    let query = params.get("q").ok_or_else(|| ApiError::invalid("missing parameter 'q'"))?.to_owned();
    answer(&engine, AnswerOptions { params, request_info: RequestInfo::of(&request) }, || {
        Ok(Question { query, input: None, charges: None })
    })
    .await
}

async fn post(request: HttpRequest, engine: Data<Engine>, payload: Payload) -> Result<HttpResponse, ApiError> {
    let params = Params::parse(request.query_string())?;
    let body = limits::body(payload, request.headers(), engine.settings.sizes.of(limits::DECISION), engine.body(Lane::Query));
    let body = body.await?;
    let authorized = engine.settings.authorization;
    let shared = Data::clone(&engine);
    let read = move || {
        let charge = shared.charge(Lane::Query, Weight::of(&body.text).asked())?;
        Ok(Question { charges: Some((body.charge, charge)), ..question(&body.text, authorized)? })
    };
    answer(&engine, AnswerOptions { params, request_info: RequestInfo::of(&request) }, read).await
}

/// The body of a query.
struct Question {
    query: String,
    /// JSON text.
    input: Option<Bytes>,
    /// What it takes of the budget.
    charges: Option<(Charge, Charge)>,
}

/// The query and the input of a body. One that the authorization policy was shown has its names as they are written.
fn question(body: &[u8], authorized: bool) -> Result<Question, ApiError> {
    let mut fields: Fields<Box<RawValue>> = limits::parse(body, MALFORMED)?;
    let no_text = |_: NoText| ApiError::invalid(format!("{MALFORMED}: `query` is no string"));
    let (query, input) = if authorized {
        let query = fields.exactly("query").map(Text::text).transpose().map_err(no_text)?.flatten();
        (query.unwrap_or_default(), fields.exactly("input"))
    } else {
        (fields.text("query").map_err(no_text)?, fields.take("input"))
    };
    let input = input.map(|input| Bytes::from(Box::<str>::from(input).into_string()));
    Ok(Question { query, input: input.filter(|input| input.as_ref() != b"null"), charges: None })
}

/// The answer.
#[derive(Serialize)]
struct Answered {
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<Explanation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metrics: Option<Map<String, Json>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Vec<Document>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rule_labels: Vec<Document>,
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<Json>,
}

/// Options of evaluation, answer and log.
struct AnswerOptions {
    params: Params,
    request_info: RequestInfo,
}

async fn answer(
    engine: &Data<Engine>,
    options: AnswerOptions,
    question: impl FnOnce() -> Result<Question, ApiError> + Send + 'static,
) -> Result<HttpResponse, ApiError> {
    let AnswerOptions { params, request_info } = options;
    let started = Instant::now();
    let shared = Data::clone(engine);
    let explain = Explain::of(&params);
    let limits = engine.config.limits.clone();
    let (pretty, wants_metrics) = (params.flag("pretty"), params.flag("metrics") || params.flag("instrument"));
    let shows_labels = params.flag("rule_labels");
    let job = move || -> Result<_, ApiError> {
        let Question { query, input, charges: _charges } = question()?;
        let _charge = explain.charge(&shared, Lane::Query)?;
        let snapshot = shared.store.load();
        let info = DecisionInfo { query: query.clone(), input: input.clone(), ..DecisionInfo::default() };
        let input = input.map(|text| Value::from_json(&text)).transpose();
        let input = input.map_err(|error| ApiError::invalid(limits::explain(&error)))?;
        respond::loaded(&snapshot)?;
        let text = query.trim_start_matches('\u{feff}');
        let labelled = shows_labels || request_info.id.is_some();
        let (rows, labels) = match snapshot.labelled_query(text, input.as_ref(), &limits, labelled) {
            Ok(rows) => rows,
            Err(error) => {
                let is_query = !matches!(error, QueryError::Parse(_));
                let error = ApiError::from(error);
                if request_info.id.is_some() && is_query {
                    request_info.log(
                        &shared,
                        DecisionInfo { error: Some(reason(&error)), metrics: timer(started), ..info },
                        &snapshot,
                    )?;
                }
                return Err(error);
            }
        };
        if request_info.id.is_some() {
            // OPA's is a list that was never made where the query is undefined.
            let result = if rows.is_empty() { Json::Null } else { rows.iter().map(Document::to_nearest_json).collect() };
            let rule_labels = labels.iter().map(Document::to_nearest_json).collect();
            request_info.log(
                &shared,
                DecisionInfo { result: Some(result), metrics: timer(started), rule_labels, ..info },
                &snapshot,
            )?;
        }
        let evaluate = |limits: &Limits, steps| snapshot.explain(text, input.as_ref(), limits, steps);
        let explained = explain.explained(&limits, started, evaluate);
        Ok((rows, if shows_labels { labels } else { Vec::new() }, explained, snapshot))
    };
    let (rows, rule_labels, explained, snapshot) = engine.evaluate(Lane::Query, job).await??;
    let (explanation, missing) = explained.map_or((None, None), |told| (Some(told.explanation), told.warning));
    let body = Answered {
        explanation,
        warning: warning(missing.as_slice()),
        metrics: wants_metrics.then(|| timer(started)),
        result: (!rows.is_empty()).then_some(rows),
        rule_labels,
    };
    let response = respond::json(StatusCode::OK, &body, pretty);
    Ok(respond::stamped(response, &snapshot, &snapshot.ages(engine.store.now())))
}

/// 501: no client can do with less than partial evaluation here.
async fn compile() -> Result<HttpResponse, ApiError> {
    let message = "the Compile API needs partial evaluation, which this engine does not have: \
                   ask the Data API with the whole input instead";
    Err(ApiError::new(StatusCode::NOT_IMPLEMENTED, "not_implemented", message))
}
