//! What admission webhooks cost: the embedded API server beside kube-apiserver and etcd, in one run, with 0, 1, 4 and 16 webhooks that
//! agree with everything, mutating and validating ones. The same webhook, the same requests, by the same client.
//!
//! `KUBEBUILDER_ASSETS=$(tests/tools/build) cargo bench --bench hooks [-- OBJECTS]`

// The scenarios' own servers: what is measured is what is tested.
#[path = "../tests/e2e"]
#[allow(dead_code, reason = "a benchmark needs a part of it")]
#[allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::print_stderr, reason = "test support")]
mod e2e {
    mod support;

    pub(super) use support::api_server::ApiServer;
    pub(super) use support::assets::Assets;
    pub(super) use support::embedded::Embedded;
}
#[path = "../apiserver/tests/support/authority.rs"]
#[allow(dead_code, reason = "a benchmark needs a part of it")]
#[allow(clippy::unwrap_used, reason = "test support")]
mod authority;
#[path = "hooks/hook.rs"]
mod hook;
#[path = "apiserver/load.rs"]
#[allow(dead_code, reason = "a benchmark needs a part of it")]
mod load;
#[path = "support.rs"]
mod tables;

use std::path::Path;
use std::time::Duration;

use authority::Authority;
use e2e::{ApiServer, Assets, Embedded};
use hook::{Hook, Kind};
use load::Load;
use tables::{Outcome, human, median, p99, row, title};

/// Webhooks at once.
const HOOKS: [usize; 4] = [0, 1, 4, 16];
/// Creates at once: alone, and together.
const WRITERS: [usize; 2] = [1, 16];

/// One line of a server's table: kind, webhooks, creates at once, and how long each took.
struct Line {
    kind: Kind,
    hooks: usize,
    writers: usize,
    times: Vec<Duration>,
}

fn main() -> Outcome<()> {
    let objects = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(2_000);
    let Some(assets) = Assets::find() else { return Ok(()) };
    // Somebody else may have installed one; it is the only provider there is.
    drop(rustls::crypto::ring::default_provider().install_default());
    let authority = Authority::new();
    let hook = Hook::serve(&authority)?;
    title(&format!("{objects} creates each, no write waits for the disk; kube-apiserver + etcd | embedded | ratio"))?;
    let real = ApiServer::start_durable(&assets, false);
    let theirs = measure(real.admin().kubeconfig(), &hook, &authority, objects)?;
    drop(real);
    let embedded = Embedded::kept_with(&assets, &["--unsafe-no-fsync"]);
    let ours = measure(&embedded.kubeconfig(), &hook, &authority, objects)?;
    for kind in [Kind::Mutating, Kind::Validating] {
        for writers in WRITERS {
            table(kind, writers, &theirs, &ours)?;
        }
    }
    Ok(())
}

/// Every combination on one server, with objects of its own each.
fn measure(kubeconfig: &Path, hook: &Hook, authority: &Authority, objects: usize) -> Outcome<Vec<Line>> {
    tokio::runtime::Runtime::new()?.block_on(async {
        let load = Load::new(kubeconfig).await?;
        // Caches and connections are filled first.
        load.create_from(0, objects / 4, 16).await?;
        let (mut lines, mut first) = (Vec::new(), objects);
        for kind in [Kind::Mutating, Kind::Validating] {
            for hooks in HOOKS {
                hook.register(&load, authority, kind, hooks).await?;
                for writers in WRITERS {
                    let (times, _) = load.create_from(first, objects, writers).await?;
                    first += objects;
                    lines.push(Line { kind, hooks, writers, times });
                }
                hook.unregister(&load, kind).await?;
            }
        }
        Ok(lines)
    })
}

/// What a create takes, and what of it is due to webhooks: the difference from none.
fn table(kind: Kind, writers: usize, theirs: &[Line], ours: &[Line]) -> Outcome<()> {
    let of = |lines: &[Line], hooks: usize| -> Vec<Duration> {
        let found = lines.iter().find(|line| line.kind == kind && line.writers == writers && line.hooks == hooks);
        found.map(|line| line.times.clone()).unwrap_or_default()
    };
    for hooks in HOOKS {
        for (name, figure) in [("p50", median as fn(Vec<Duration>) -> Duration), ("p99", p99)] {
            let (real, embedded) = (figure(of(theirs, hooks)), figure(of(ours, hooks)));
            let more = |lines: &[Line], all: Duration| human(all.saturating_sub(figure(of(lines, 0))));
            let text = format!(
                "{:>10} (+{:>8}) | {:>10} (+{:>8}) | {:>5.1} x",
                human(real),
                more(theirs, real),
                human(embedded),
                more(ours, embedded),
                real.as_secs_f64() / embedded.as_secs_f64()
            );
            row(&format!("{} {hooks:>2}, {writers:>2} at once, {name}", kind.name()), text)?;
        }
    }
    Ok(())
}
