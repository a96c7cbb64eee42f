//! Each target on its kept corpus, then on mutations of it: the same ones each time.
//!
//! The input at hand is kept in a file, for what ends the process: a stack overflow, an allocation, the watch.

use std::fs;
use std::io::{Write, stderr};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use super::alone::alone;
use super::chance::Chance;
use super::mutate::{Mutator, words};
use super::{bundle, http, json, policy};

/// Each; `FUZZ_MUTATIONS` asks for more, `FUZZ_SEED` for others.
const MUTATIONS: u64 = 20_000;
/// Of policies, each of which is compiled and evaluated twice; `rego/tests/fuzz` has more of them.
const OF_POLICIES: u64 = 5_000;
/// Ends the process, for what never comes back to be told that it took too much of the processor.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn policy() {
    alone(module_path!(), "policy", || replay("policy", OF_POLICIES, policy::run));
}

#[test]
fn json() {
    alone(module_path!(), "json", || replay("json", MUTATIONS, json::run));
}

#[test]
fn bundle() {
    alone(module_path!(), "bundle", || replay("bundle", MUTATIONS, bundle::run));
}

#[test]
fn http() {
    alone(module_path!(), "http", || replay("http", MUTATIONS, http::run));
}

fn replay(target: &str, mutations: u64, run: fn(&[u8])) {
    let kept = corpus(target);
    assert!(kept.len() >= 10, "the corpus of {target} is gone");
    let at_hand = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-{target}.input"));
    let beat = watch(target, at_hand.clone());
    let one = |input: &[u8]| {
        fs::write(&at_hand, input).unwrap();
        beat.send(()).unwrap();
        run(input);
    };
    kept.iter().for_each(|input| one(input));
    let dictionary = fs::read_to_string(folder().join(format!("{target}.dict"))).unwrap();
    let mut mutator = Mutator::new(Chance::new(number("FUZZ_SEED", 1), 0), kept, words(&dictionary));
    for _ in 0..number("FUZZ_MUTATIONS", mutations) {
        one(&mutator.next());
    }
    fs::remove_file(&at_hand).unwrap();
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz")
}

/// In the order of names, the same on every machine.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    let files = fs::read_dir(folder().join("corpus").join(target)).unwrap();
    let mut paths: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |text| text.parse().unwrap())
}

fn watch(target: &str, at_hand: PathBuf) -> Sender<()> {
    let (beat, beats) = channel();
    let target = target.to_owned();
    thread::spawn(move || {
        loop {
            match beats.recv_timeout(PATIENCE) {
                Ok(()) => {}
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {
                    let _told = writeln!(stderr(), "fuzz {target}: no end after {PATIENCE:?}: {}", at_hand.display());
                    std::process::abort();
                }
            }
        }
    });
    beat
}
