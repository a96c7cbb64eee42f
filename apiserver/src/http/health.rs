//! Health and version. Ready means: the store answers, the first namespaces are there, what judges writes is known, nobody asked us to stop.

use actix_web::HttpResponse;
use serde_json::json;

use super::edge::Request;
use crate::server::{ApiServer, Phase};
use crate::status::Status;

/// The Kubernetes version whose behaviour is served: kubectl compares it with its own.
const VERSION: &str = "v1.36.3";

/// One named condition.
struct Check {
    name: &'static str,
    passes: fn(&ApiServer) -> bool,
    /// Part of readiness alone: a server that is stopping still lives.
    readiness: bool,
}

const CHECKS: [Check; 5] = [
    Check { name: "ping", passes: |_| true, readiness: false },
    Check { name: "storage", passes: |server| !server.store.is_closed(), readiness: false },
    Check { name: "bootstrap", passes: |server| *server.phase.borrow() != Phase::Starting, readiness: true },
    Check { name: "admission-configuration", passes: ApiServer::knows_configurations, readiness: true },
    Check { name: "shutdown", passes: |server| *server.phase.borrow() < Phase::Leaving, readiness: true },
];

/// `/healthz`, `/livez`, `/readyz` and one check of each; `None` for every other path.
pub fn answer(request: &Request, path: &str) -> Option<Result<HttpResponse, Status>> {
    let (probe, single) = ["healthz", "livez", "readyz"].into_iter().find_map(|probe| {
        let rest = path.strip_prefix('/')?.strip_prefix(probe)?;
        Some((probe, if rest.is_empty() { None } else { Some(rest.strip_prefix('/')?) }))
    })?;
    let checks = CHECKS.iter().filter(|check| probe == "readyz" || !check.readiness);
    Some(match single {
        None => Ok(all(request, probe, checks)),
        Some(name) => one(request, checks, name),
    })
}

fn all<'a>(request: &Request, probe: &str, checks: impl Iterator<Item = &'a Check>) -> HttpResponse {
    let (mut lines, mut healthy) = (String::new(), true);
    for check in checks {
        let passes = (check.passes)(&request.server);
        healthy &= passes;
        lines.push_str(&match passes {
            true => format!("[+]{} ok\n", check.name),
            false => format!("[-]{} failed: reason withheld\n", check.name),
        });
    }
    match (healthy, request.query.flag("verbose")) {
        (true, false) => text(200, "ok".to_owned()),
        (true, true) => text(200, format!("{lines}{probe} check passed\n")),
        (false, _) => text(500, format!("{lines}{probe} check failed\n")),
    }
}

fn one<'a>(request: &Request, mut checks: impl Iterator<Item = &'a Check>, name: &str) -> Result<HttpResponse, Status> {
    let check = checks.find(|check| check.name == name).ok_or_else(Status::no_such_path)?;
    let passes = (check.passes)(&request.server);
    Ok(if passes { text(200, "ok".to_owned()) } else { text(500, "internal server error: reason withheld\n".to_owned()) })
}

fn text(code: u16, text: String) -> HttpResponse {
    let mut response = if code == 200 { HttpResponse::Ok() } else { HttpResponse::InternalServerError() };
    response.content_type("text/plain; charset=utf-8").insert_header(("x-content-type-options", "nosniff")).body(text)
}

/// `/version`.
pub fn version() -> HttpResponse {
    let platform = format!("{}/{}", std::env::consts::OS, if cfg!(target_arch = "x86_64") { "amd64" } else { "arm64" });
    let git = format!("{VERSION}+plimsoll-{}", env!("CARGO_PKG_VERSION"));
    HttpResponse::Ok().json(json!({
        "major": "1", "minor": "36", "gitVersion": git, "gitCommit": "", "gitTreeState": "clean", "buildDate": "",
        "emulationMajor": "1", "emulationMinor": "36", "minCompatibilityMajor": "1", "minCompatibilityMinor": "35",
        "goVersion": "", "compiler": "rustc", "platform": platform,
    }))
}
