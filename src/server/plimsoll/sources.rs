//! `PUT` and `DELETE /plimsoll/v1/sources/{name}`, and `POST …/sync`: replication into the state.

use std::any::Any;
use std::time::Duration;

use actix_web::dev::Decompress;
use actix_web::http::StatusCode;
use actix_web::web::{Bytes, Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use futures::StreamExt;
use plimsoll_contract::source::Synced;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::name;
use crate::budget::{BudgetError, Weight};
use crate::server::pool::Lane;
use crate::server::request::Params;
use crate::server::respond::{self, ApiError};
use crate::server::{Engine, limits};
use crate::snapshot::SyncError;

/// Pieces of the body on their way to the worker.
const PIECES: usize = 16;

/// A message to the worker.
enum Piece {
    Bytes(Bytes),
    /// The body is complete. Without it, nothing is applied.
    End,
}

/// Declares a source; its older session ends.
pub async fn declare(request: HttpRequest, engine: Data<Engine>, payload: Payload) -> Result<HttpResponse, ApiError> {
    let name = name(&request)?;
    let body = limits::body(payload, request.headers(), limits::POLICIES, engine.body(Lane::Write)).await?;
    let shared = Data::clone(&engine);
    let declare = move || -> Result<_, ApiError> {
        let _charge = shared.charge(Lane::Write, Weight::of(&body.text).stored())?;
        let declare = limits::parse(&body.text, "the declaration cannot be read")?;
        Ok(shared.store.declare(&name, declare)?)
    };
    let declared = engine.run(Lane::Write, None, declare).await??;
    Ok(respond::json(StatusCode::OK, &declared, false))
}

/// Deletes a source: its session ends, its objects go; with `?policies` its policy set goes as well.
pub async fn withdraw(request: HttpRequest, engine: Data<Engine>) -> Result<HttpResponse, ApiError> {
    let name = name(&request)?;
    let policies = Params::parse(request.query_string())?.flag("policies");
    let shared = Data::clone(&engine);
    let lane = if policies { Lane::Compile } else { Lane::Write };
    engine.run(lane, None, move || shared.store.withdraw(&name, policies)).await??;
    Ok(HttpResponse::NoContent().finish())
}

/// Takes in NDJSON line by line; all of it is applied at the end, or nothing.
pub async fn sync(request: HttpRequest, engine: Data<Engine>, payload: Payload) -> Result<HttpResponse, ApiError> {
    let name = name(&request)?;
    // What waits for a worker grows old.
    let began = engine.store.now();
    let (sender, receiver) = mpsc::channel(PIECES);
    let shared = Data::clone(&engine);
    let worker = engine.run(Lane::Replicate, None, move || take_in(&shared, (&name, began), receiver));
    let body = Decompress::from_headers(payload, request.headers());
    let (applied, sent) = futures::join!(worker, send(body, sender));
    // A broken body is why the worker saw no end.
    sent?;
    Ok(respond::json(StatusCode::OK, &applied??, false))
}

fn take_in(engine: &Engine, (name, began): (&str, Duration), mut pieces: mpsc::Receiver<Piece>) -> Result<Synced, ApiError> {
    let admit = |line: &[u8]| match engine.charge(Lane::Replicate, Weight::of(line).read()) {
        Ok(charge) => Ok(Box::new(charge) as Box<dyn Any>),
        Err(error) => Err(no_memory(error)),
    };
    let mut body = engine.store.sync_body(name).begun(began).admitting(&admit);
    let mut charge = engine.body(Lane::Replicate);
    loop {
        match pieces.blocking_recv() {
            Some(Piece::Bytes(bytes)) => {
                body.feed(&bytes)?;
                // What is held of a line that is not whole yet, and what was taken in already.
                charge.grow((body.held() as u64).saturating_sub(charge.bytes())).map_err(no_memory)?;
                engine.budget.room(0).map_err(no_memory)?;
            }
            Some(Piece::End) => return Ok(body.finish()?),
            None => return Err(ApiError::invalid("the body broke off; nothing was applied")),
        }
    }
}

fn no_memory(error: BudgetError) -> SyncError {
    let never = matches!(error, BudgetError::TooLarge { .. });
    SyncError::NoMemory { why: error.to_string(), never }
}

async fn send(mut body: Decompress<Payload>, worker: mpsc::Sender<Piece>) -> Result<(), ApiError> {
    loop {
        let piece = match timeout(limits::SILENCE, body.next()).await {
            Err(_) => return Err(ApiError::new(StatusCode::REQUEST_TIMEOUT, "timeout", "the body stopped; nothing was applied")),
            Ok(None) => Piece::End,
            Ok(Some(Ok(bytes))) => Piece::Bytes(bytes),
            Ok(Some(Err(error))) => {
                return Err(ApiError::invalid(format!("the body could not be read: {error}; nothing was applied")));
            }
        };
        let last = matches!(piece, Piece::End);
        // A worker that hung up has an error of its own to tell.
        if worker.send(piece).await.is_err() || last {
            return Ok(());
        }
    }
}
