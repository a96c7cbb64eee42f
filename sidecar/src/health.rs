//! Live, ready with reasons, metrics: a listener of its own, on loopback unless told otherwise.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;

use actix_web::dev::Server;
use actix_web::{App, HttpResponse, HttpServer, web};
use parking_lot::Mutex;
use thiserror::Error;

use crate::metrics::Metrics;

/// A sum of named conditions. Each starts unmet; ready means that all are met.
#[derive(Clone, Debug, Default)]
pub struct Health {
    conditions: Arc<Mutex<BTreeMap<String, State>>>,
}

/// Called before readiness is answered, to bring conditions up to date: ages depend on the time of the request.
pub type Refresh = Arc<dyn Fn() + Send + Sync>;

#[derive(Clone, Debug)]
struct State {
    gates: bool,
    was_met: bool,
    unmet: Option<Unmet>,
}

#[derive(Clone, Debug)]
struct Unmet {
    reason: String,
    gates: bool,
}

/// One condition; only its owner changes it.
#[derive(Clone, Debug)]
pub struct Condition {
    health: Health,
    name: String,
}

/// The listener cannot start.
#[derive(Debug, Error)]
#[error("cannot listen on `{addr}` for health checks; choose another `--health-addr`")]
pub struct ListenError {
    addr: SocketAddr,
    source: std::io::Error,
}

// --- impl Health ---

impl Health {
    /// A condition that readiness waits for, unmet at first.
    pub fn gate(&self, name: &str, reason: &str) -> Condition {
        self.condition(name, reason, true)
    }

    /// A condition that is shown and gates nothing.
    pub fn note(&self, name: &str, reason: &str) -> Condition {
        self.condition(name, reason, false)
    }

    fn condition(&self, name: &str, reason: &str, gates: bool) -> Condition {
        let unmet = Some(Unmet { reason: reason.to_owned(), gates });
        self.conditions.lock().insert(name.to_owned(), State { gates, was_met: false, unmet });
        Condition { health: self.clone(), name: name.to_owned() }
    }

    /// Why not ready; empty when ready.
    pub fn not_ready(&self) -> Vec<String> {
        self.reasons(true)
    }

    /// Returns the unmet conditions that do not affect readiness, as `name: reason`.
    pub fn notes(&self) -> Vec<String> {
        self.reasons(false)
    }

    fn reasons(&self, gates: bool) -> Vec<String> {
        let conditions = self.conditions.lock();
        let unmet = conditions.iter().filter_map(|(name, state)| Some((name, state.unmet.as_ref()?)));
        unmet.filter(|(_, unmet)| unmet.gates == gates).map(|(name, unmet)| format!("{name}: {}", unmet.reason)).collect()
    }
}

// --- impl Condition ---

impl Condition {
    /// The condition holds.
    pub fn met(&self) {
        self.set(|_| None);
    }

    /// The condition does not hold (any more).
    pub fn unmet(&self, reason: impl std::fmt::Display) {
        self.set(|state| Some(Unmet { reason: reason.to_string(), gates: state.gates }));
    }

    /// The condition does not hold any more. Readiness waits for it only if it never did: what it is good for goes on for a
    /// while, and something else says when that is over.
    pub fn lapsed(&self, reason: impl std::fmt::Display) {
        self.set(|state| Some(Unmet { reason: reason.to_string(), gates: state.gates && !state.was_met }));
    }

    /// Why it does not hold.
    pub fn reason(&self) -> Option<String> {
        self.health.conditions.lock().get(&self.name).and_then(|state| state.unmet.as_ref()).map(|unmet| unmet.reason.clone())
    }

    fn set(&self, unmet: impl FnOnce(&State) -> Option<Unmet>) {
        if let Some(state) = self.health.conditions.lock().get_mut(&self.name) {
            let unmet = unmet(state);
            if state.unmet.is_some() != unmet.is_some() {
                match &unmet {
                    None => tracing::info!(condition = %self.name, "met"),
                    Some(Unmet { reason, .. }) => tracing::warn!(condition = %self.name, reason, "not met any more"),
                }
            }
            state.was_met |= unmet.is_none();
            state.unmet = unmet;
        }
    }
}

// --- the listener ---

/// Binds `addr`; the server runs when it is awaited.
pub fn listen(addr: SocketAddr, health: Health, metrics: Metrics, refresh: Refresh) -> Result<(SocketAddr, Server), ListenError> {
    let failed = |source| ListenError { addr, source };
    let server = HttpServer::new(move || {
        let (ready, metrics, refresh) = (health.clone(), metrics.clone(), refresh.clone());
        let again = refresh.clone();
        App::new()
            .route("/health/live", web::get().to(|| async { HttpResponse::Ok().body("ok\n") }))
            .route("/health/ready", web::get().to(move || std::future::ready(answer_ready(&ready, &refresh))))
            .route("/metrics", web::get().to(move || std::future::ready(answer_metrics(&metrics, &again))))
    });
    let server = server.workers(1).disable_signals().shutdown_timeout(1).bind(addr).map_err(failed)?;
    let bound = server.addrs().first().copied().unwrap_or(addr);
    Ok((bound, server.run()))
}

fn answer_ready(health: &Health, refresh: &Refresh) -> HttpResponse {
    refresh();
    let (reasons, notes) = (health.not_ready(), health.notes());
    let ready = reasons.is_empty();
    let body = serde_json::json!({ "ready": ready, "reasons": reasons, "notes": notes });
    if ready { HttpResponse::Ok().json(body) } else { HttpResponse::ServiceUnavailable().json(body) }
}

fn answer_metrics(metrics: &Metrics, refresh: &Refresh) -> HttpResponse {
    refresh();
    match metrics.text() {
        Ok(text) => HttpResponse::Ok().content_type("text/plain; version=0.0.4").body(text),
        Err(error) => HttpResponse::InternalServerError().body(format!("{error}\n")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readiness_starts_at_no_and_is_the_sum_of_its_gates() {
        let health = Health::default();
        let (session, kind) = (health.gate("session", "not declared yet"), health.gate("v1/pods", "not loaded yet"));
        let optional = health.note("v1/nodes", "not served");
        assert_eq!(health.not_ready(), ["session: not declared yet", "v1/pods: not loaded yet"]);
        session.met();
        kind.met();
        assert!(health.not_ready().is_empty());
        assert_eq!(health.notes(), ["v1/nodes: not served"]);
        optional.met();
        kind.unmet("forbidden");
        assert_eq!((health.not_ready(), health.notes()), (vec!["v1/pods: forbidden".to_owned()], vec![]));
        assert_eq!(kind.reason().as_deref(), Some("forbidden"));
    }

    #[test]
    fn what_was_met_once_and_lapses_is_shown_and_gates_nothing() {
        let health = Health::default();
        let engine = health.gate("engine", "not reached yet");
        engine.lapsed("refused");
        assert_eq!((health.not_ready(), health.notes()), (vec!["engine: refused".to_owned()], vec![]));
        engine.met();
        engine.lapsed("refused");
        assert_eq!((health.not_ready(), health.notes()), (vec![], vec!["engine: refused".to_owned()]));
        engine.unmet("gone");
        assert_eq!(health.not_ready(), ["engine: gone"]);
    }

    #[tokio::test]
    async fn the_listener_answers_ready_with_reasons() {
        let health = Health::default();
        let gate = health.gate("session", "not declared yet");
        let (addr, server) = listen(([127, 0, 0, 1], 0).into(), health, Metrics::new().unwrap(), Arc::new(|| ())).unwrap();
        let handle = server.handle();
        let running = tokio::spawn(server);
        let get = |path: &str| reqwest_get(format!("http://{addr}{path}"));
        let (status, body) = get("/health/ready").await;
        assert_eq!((status, body.contains("not declared yet")), (503, true));
        gate.met();
        assert_eq!(get("/health/ready").await.0, 200);
        assert_eq!(get("/health/live").await.0, 200);
        assert!(get("/metrics").await.1.contains("plimsoll_sidecar_leading 0"));
        handle.stop(false).await;
        running.await.unwrap().unwrap();
    }

    async fn reqwest_get(url: String) -> (u16, String) {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let answer = reqwest::Client::new().get(url).send().await.unwrap();
        (answer.status().as_u16(), answer.text().await.unwrap())
    }
}
