//! Predicts, does it, and holds the one against the other.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;

use plimsoll::cli::kubeconfig::Kubeconfig;
use plimsoll::cli::predict::{Args, Certainty, Operation, Output, Report, predict};
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestRunner};
use serde_json::Value as Json;
use tokio::runtime::Builder;

use super::cases::{Case, NAME, case};
use super::cluster::{Cluster, objects};

/// Of all lines, so many percent must be certain.
const CERTAIN: usize = 80;

/// Lines so far.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    lines: usize,
    certain: usize,
    called: usize,
}

/// How many cases: as somebody says, or so many.
pub(crate) fn cases(otherwise: u32) -> u32 {
    std::env::var("PREDICT_CASES").map_or(otherwise, |text| text.parse().unwrap())
}

/// Tries so many cases: every certain line must hold, and enough lines must be certain.
pub(crate) fn hold(kubeconfig: &Path, cases: u32, dry_run: bool) {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let cluster = runtime.block_on(Cluster::prepare(kubeconfig));
    let (tally, run) = (RefCell::new(Tally::default()), Cell::new(0));
    let rng_seed = RngSeed::Fixed(std::env::var("PREDICT_SEED").map_or(1, |text| text.parse().unwrap()));
    let config = Config { cases, rng_seed, failure_persistence: None, max_shrink_iters: 64, ..Config::default() };
    let mut runner = TestRunner::new(config);
    let held = runner.run(&case(), |case| {
        run.set(run.get() + 1);
        let found = runtime.block_on(tried(&cluster, kubeconfig, run.get(), &case, dry_run))?;
        let mut tally = tally.borrow_mut();
        *tally = Tally {
            lines: tally.lines + found.lines,
            certain: tally.certain + found.certain,
            called: tally.called + found.called,
        };
        Ok(())
    });
    held.unwrap_or_else(|error| panic!("{error}"));
    let tally = tally.into_inner();
    writeln!(std::io::stderr(), "{cases} requests: {tally:?}").unwrap();
    assert!(tally.called * 8 > tally.lines, "too easy: {tally:?}");
    assert!(tally.certain * 100 >= tally.lines * CERTAIN, "{tally:?}");
}

async fn tried(cluster: &Cluster, kubeconfig: &Path, run: usize, case: &Case, dry_run: bool) -> Result<Tally, TestCaseError> {
    let (collection, create) = (objects(case.resource, case.namespace), case.operation == "create");
    let path = format!("{collection}/{NAME}");
    if !create {
        cluster.ask("POST", &collection, &case.old, "").await.unwrap();
    }
    cluster.register(run, &case.configurations).await;
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(case.object.to_string().as_bytes()).unwrap();
    let report = predict(&args(kubeconfig, file.path(), case, dry_run)).await.unwrap();
    let mark = cluster.mark();
    let answer = match case.operation {
        "create" => cluster.ask("POST", &collection, &case.object, case.user).await,
        "update" => cluster.ask("PUT", &path, &replacing(cluster, &path, case).await, case.user).await,
        _ => cluster.ask("DELETE", &path, &Json::Null, case.user).await,
    };
    let called = cluster.called(mark);
    cluster.unregister(run, &case.configurations).await;
    let _ = cluster.ask("DELETE", &path, &Json::Null, "").await;
    compared(&report, &called, answer.err().map(|error| error.to_string()), case)
}

/// Custom resources are not replaced without a resourceVersion.
async fn replacing(cluster: &Cluster, path: &str, case: &Case) -> Json {
    let stored = cluster.ask("GET", path, &Json::Null, "").await.unwrap();
    let mut object = case.object.clone();
    object["metadata"]["resourceVersion"] = stored["metadata"]["resourceVersion"].clone();
    object
}

fn args(kubeconfig: &Path, file: &Path, case: &Case, dry_run: bool) -> Args {
    let operation = match case.operation {
        "create" => Operation::Create,
        "update" => Operation::Update,
        _ => Operation::Delete,
    };
    Args {
        filename: file.into(),
        operation,
        old: None,
        user: Some(case.user.to_owned()),
        groups: vec!["system:masters".to_owned()],
        dry_run,
        namespace: None,
        output: Output::Json,
        server: Kubeconfig { kubeconfig: Some(kubeconfig.into()), context: None },
    }
}

fn compared(report: &Report, called: &BTreeSet<String>, error: Option<String>, case: &Case) -> Result<Tally, TestCaseError> {
    let mut tally = Tally::default();
    for line in report.lines.iter().filter(|line| !line.hook.starts_with("marker")) {
        let was_called = called.contains(&format!("{}/{}", line.configuration, line.hook));
        tally.lines += 1;
        tally.called += usize::from(was_called);
        if line.certainty == Certainty::Certain {
            tally.certain += 1;
            let agrees = line.called == Some(was_called) && (!line.refuses || error.is_some());
            if !agrees {
                let whole = serde_json::to_string_pretty(report).unwrap();
                let why =
                    format!("{line:#?}\nwas called: {was_called}, error: {error:?}\ncalled: {called:?}\n{whole}\n{case:#?}");
                return Err(TestCaseError::fail(why));
            }
        }
    }
    Ok(tally)
}
