//! Install what is global, parse, run.

use std::process::ExitCode;

fn main() -> ExitCode {
    // An error means that a provider is already there, and there is only this one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    plimsoll::cli::main(std::env::args_os())
}
