//! `plimsoll serve`: puts the engine together and runs it.
//!
//! ```text
//!  options ─► access, TLS ─► bind ─► store ─► sweep, engine ─► policies ─► serve ─► signal ─► leave
//!  └────────────────── assembly ──────────────────────────┘   └──────── running ────────────────┘
//! ```

pub mod access;
pub mod args;
pub mod arming;
pub mod assembly;
pub mod descriptors;
pub mod management;
pub mod memory;
mod record_keys;
pub mod running;
pub mod shutdown;

pub use args::Args;

use std::io::Write;
use std::process::ExitCode;

use actix_web::rt::System;
use anyhow::Context;
use serde_json::{Map, Value as Json, json};
use tokio::runtime::Builder;

use crate::rego::limits::count_to_the_end;
use assembly::{Assembly, assemble};
use running::Running;
use shutdown::{Ending, Signals};

/// Runs the engine until SIGTERM or SIGINT, then stops it. Exit code 1: a second signal cut that short. Fails when the engine cannot
/// start, or a part ends by itself.
pub fn run(args: Args, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let assembly = assemble(args)?;
    let runtime = Builder::new_current_thread().enable_all().on_thread_start(count_to_the_end).build();
    let runtime = runtime.context("could not start threads")?;
    System::with_tokio_rt(|| runtime).block_on(serve(assembly, out))
}

async fn serve(assembly: Assembly, out: &mut dyn Write) -> anyhow::Result<ExitCode> {
    let mut signals = Signals::listen().context("could not listen for signals")?;
    let mut running = Running::start(assembly)?;
    announce(running.urls(), out)?;
    tokio::select! {
        () = signals.next() => {}
        error = running.ended() => return Err(error),
    }
    let ending = running.leave(&mut signals).await;
    Ok(if ending == Ending::Drained { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prints the one line of standard output: the address of each listener as JSON, for people and for programs that asked for a free port.
fn announce(urls: &Map<String, Json>, out: &mut dyn Write) -> anyhow::Result<()> {
    tracing::info!(listening = %json!(urls), version = env!("CARGO_PKG_VERSION"), "plimsoll serves");
    writeln!(out, "{}", json!({ "listening": urls })).and_then(|()| out.flush()).context("could not write to standard output")
}
