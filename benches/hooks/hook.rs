//! A webhook that agrees with everything, as fast as it can: the same for both servers.

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use actix_web::{App, HttpResponse, HttpServer, web};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use tokio::time::{Instant, sleep};

use crate::authority::Authority;
use crate::load::Load;
use crate::tables::Outcome;

const GROUP: &str = "/apis/admissionregistration.k8s.io/v1";
const NAME: &str = "bench";
/// Until a configuration is in force.
const LIMIT: Duration = Duration::from_secs(60);

/// Of webhooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Mutating,
    Validating,
}

/// A running one.
pub(super) struct Hook {
    port: u16,
    asked: Arc<AtomicUsize>,
}

/// All that is read of a question.
#[derive(Deserialize)]
struct Review {
    request: Request,
}

#[derive(Deserialize)]
struct Request {
    uid: String,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Mutating => "mutating",
            Self::Validating => "validating",
        }
    }

    fn collection(self) -> String {
        format!("{GROUP}/{}webhookconfigurations", self.name())
    }
}

impl Hook {
    /// In a thread of its own, until the program ends.
    pub(super) fn serve(authority: &Authority) -> Outcome<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let (port, asked) = (listener.local_addr()?.port(), Arc::new(AtomicUsize::new(0)));
        let (counted, tls) = (web::Data::from(Arc::clone(&asked)), authority.server("localhost", None));
        std::thread::spawn(move || {
            let app = move || App::new().app_data(counted.clone()).default_service(web::to(answer));
            let server = HttpServer::new(app).workers(2).disable_signals().listen_rustls_0_23(listener, tls)?;
            actix_web::rt::System::new().block_on(server.run())
        });
        Ok(Self { port, asked })
    }

    /// So many, of which each is called for every ReplicaSet; returns when all are in force.
    pub(super) async fn register(&self, load: &Load, authority: &Authority, kind: Kind, count: usize) -> Outcome<()> {
        let hooks: Vec<Json> = (0..count).map(|number| self.spec(authority, number)).collect();
        if hooks.is_empty() {
            return Ok(());
        }
        load.send("POST", &kind.collection(), &json!({"metadata": {"name": NAME}, "webhooks": hooks})).await?;
        let end = Instant::now() + LIMIT;
        loop {
            let before = self.asked.load(Ordering::Acquire);
            load.probe().await?;
            if self.asked.load(Ordering::Acquire) - before >= count {
                return Ok(());
            }
            if Instant::now() > end {
                return Err(format!("{count} webhooks are not in force after {LIMIT:?}").into());
            }
            sleep(Duration::from_millis(50)).await;
        }
    }

    /// Returns when none is called any more.
    pub(super) async fn unregister(&self, load: &Load, kind: Kind) -> Outcome<()> {
        // There is none where there were no webhooks.
        let _ = load.send("DELETE", &format!("{}/{NAME}", kind.collection()), &Json::Null).await;
        let end = Instant::now() + LIMIT;
        loop {
            let before = self.asked.load(Ordering::Acquire);
            load.probe().await?;
            if self.asked.load(Ordering::Acquire) == before {
                return Ok(());
            }
            if Instant::now() > end {
                return Err(format!("webhooks are called {LIMIT:?} after they were taken away").into());
            }
            sleep(Duration::from_millis(50)).await;
        }
    }

    fn spec(&self, authority: &Authority, number: usize) -> Json {
        json!({
            "name": format!("hook-{number}.example.com"), "sideEffects": "None", "admissionReviewVersions": ["v1"],
            "clientConfig": {"url": format!("https://localhost:{}/", self.port), "caBundle": STANDARD.encode(authority.pem())},
            "rules": [{"operations": ["CREATE"], "apiGroups": ["apps"], "apiVersions": ["v1"], "resources": ["replicasets"]}],
        })
    }
}

async fn answer(asked: web::Data<AtomicUsize>, body: web::Bytes) -> HttpResponse {
    asked.fetch_add(1, Ordering::AcqRel);
    let Ok(Review { request: Request { uid } }) = serde_json::from_slice(&body) else {
        return HttpResponse::BadRequest().finish();
    };
    let response = json!({"uid": uid, "allowed": true});
    HttpResponse::Ok().json(json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response}))
}
