//! Policies that other people wrote: what OPA accepts of them is accepted, what it refuses is refused in its words, and every one
//! of their tests has OPA's verdict. What OPA said is recorded (`tests/tools/public/record`).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

#[path = "public/builtins.rs"]
mod builtins;
#[path = "public/corpora.rs"]
mod corpora;
#[path = "public/load.rs"]
mod load;
#[path = "public/roast.rs"]
mod roast;
#[path = "public/run.rs"]
mod run;
#[path = "public/verdicts.rs"]
mod verdicts;
#[path = "public/whole.rs"]
mod whole;

use corpora::{Corpus, REGAL, TRIVY};
use plimsoll_rego::program::Refused;

#[test]
fn checks_of_trivy() {
    same_verdicts(&TRIVY);
}

#[test]
fn rules_of_regal() {
    same_verdicts(&REGAL);
}

#[test]
fn what_opa_refuses_is_refused_in_its_words() {
    let Some(folder) = TRIVY.folder() else { return };
    let refused = run::compile(&TRIVY.whole(&folder)).unwrap_err();
    assert_eq!(errors(&refused), [TRIVY.refused.unwrap().1]);
}

/// What a package's document depends on is found as parts of the input; the others are listed, with the expression that reads all of it.
#[test]
fn few_entry_points_read_all_of_the_input() {
    for corpus in [&TRIVY, &REGAL] {
        let Some(folder) = corpus.folder() else { return };
        let found = whole::entries(&corpus.accepted(&folder));
        assert_eq!(found.whole, whole::recorded(corpus.name, &found), "record it with WHOLE_RECORD=1");
        assert!(found.whole.len() * 5 <= found.all, "{} of {} read all of the input", found.whole.len(), found.all);
    }
}

fn same_verdicts(corpus: &Corpus) {
    let Some(folder) = corpus.folder() else { return };
    let set = corpus.accepted(&folder);
    let program = match run::compile(&set) {
        Ok(program) => program,
        Err(refused) => panic!("{}", errors(&refused).join("\n")),
    };
    let theirs = verdicts::of(corpus.name);
    assert!(
        theirs.other.len() * 20 <= theirs.tests,
        "{} of {} tests pass in OPA",
        theirs.tests - theirs.other.len(),
        theirs.tests
    );
    let ours = run::tests(&program, &set.data);
    let differ = theirs.differences(&ours);
    assert!(differ.is_empty(), "{} of {} tests differ from OPA:\n{}", differ.len(), theirs.tests, differ.join("\n"));
}

/// What is wrong with a set, as places and messages.
fn errors(refused: &Refused) -> Vec<String> {
    let shown = |error: &plimsoll_rego::error::Error| {
        let source = refused.sources.get(error.span().source);
        let place = source.map(|source| format!("{}:{}", source.name, source.position(error.span().start).row));
        format!("{}: {error}", place.unwrap_or_default())
    };
    refused.errors.iter().map(shown).collect()
}
