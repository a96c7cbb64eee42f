//! What is found for policies made at random, recorded (`recorded.jsonl`): `sound.rs` says that nothing is missing, this says that
//! nothing more or less is found than before.
//!
//! `DEPEND_RECORD=300` writes the file anew, from so many policies, each of which is sound for some documents and changes of them;
//! `DEPEND_RECORD=again` looks at those that stand there once more.

use std::path::PathBuf;

use plimsoll_rego::depend::Dependencies;
use plimsoll_rego::ir::GroupId;
use plimsoll_rego::program::Program;
use serde::{Deserialize, Serialize};

use super::choice::Choices;
use super::document::document;
use super::policy::policy;
use super::{json, set, sound};

#[derive(Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
struct Case {
    modules: [String; 3],
    /// What `data.p.answer` reads.
    reads: Vec<String>,
    /// What is read whole, and where.
    whole: Vec<String>,
    /// The clock, randomness, the process.
    besides: [bool; 3],
    /// What each group depends on.
    marks: Vec<String>,
    /// Some documents, and what of them is read.
    projections: Vec<[String; 3]>,
}

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/depend/recorded.jsonl")
}

#[test]
fn the_same_is_found_as_before() {
    match std::env::var("DEPEND_RECORD").as_deref() {
        Ok("again") => write(&read().iter().map(Case::again).collect::<Vec<_>>()),
        Ok(count) => record(count.parse().unwrap()),
        Err(_) => {}
    }
    let cases = read();
    assert!(cases.len() >= 200, "{}", cases.len());
    for case in cases {
        let found = case.again();
        let (found, case) = (serde_json::to_string_pretty(&found).unwrap(), serde_json::to_string_pretty(&case).unwrap());
        assert_eq!(found, case);
    }
}

impl Case {
    fn again(&self) -> Self {
        let documents = self.projections.iter().map(|[document, ..]| document.clone()).collect::<Vec<_>>();
        found(self.modules.clone(), &documents).unwrap()
    }
}

fn read() -> Vec<Case> {
    let text = std::fs::read_to_string(file()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn write(cases: &[Case]) {
    let lines: Vec<String> = cases.iter().map(|case| serde_json::to_string(case).unwrap()).collect();
    std::fs::write(file(), lines.join("\n") + "\n").unwrap();
}

/// What is found of modules, if they compile.
fn found(modules: [String; 3], documents: &[String]) -> Option<Case> {
    let program = set::compiled(&modules.each_ref().map(String::as_str)).ok()?;
    let reads = set::reads(&program, "data.p.answer");
    let projections = documents.iter().map(|document| {
        let value = json::of(&serde_json::from_str(document).unwrap());
        [document.clone(), reads.project(&value).to_string(), reads.project_data(&value).to_string()]
    });
    Some(Case {
        reads: set::shown(&reads),
        whole: set::causes(&program, &reads).iter().map(|(root, text)| format!("{root:?}: {text}")).collect(),
        besides: [reads.clock, reads.random, reads.runtime],
        marks: marks(&program),
        projections: projections.collect(),
        modules,
    })
}

fn marks(program: &Program) -> Vec<String> {
    let dependencies = Dependencies::of(program.policy());
    let groups = program.policy().groups.iter().enumerate();
    let mark = |(index, name)| {
        let mark = dependencies.mark(GroupId(u32::try_from(index).unwrap()));
        format!("{name} {mark:?}")
    };
    groups.map(|(index, group)| mark((index, &group.name))).collect()
}

fn record(count: usize) {
    let mut cases = Vec::new();
    let mut chance = Bytes(0x9E37_79B9_7F4A_7C15);
    while cases.len() < count {
        let modules = policy(&mut Choices::new(&chance.some(250)));
        let documents = [300, 300].map(|length| document(&mut Choices::new(&chance.some(length))).to_string());
        let rounds: Vec<_> = (0..8).map(|_| chance.some(300)).collect();
        if modules.iter().map(String::len).sum::<usize>() < 1_500
            && let Some(case) = found(modules, &documents)
        {
            sound::holds(&case.modules, &rounds).unwrap();
            cases.push(case);
        }
    }
    write(&cases);
}

/// Bytes that can be had again (xorshift64*).
struct Bytes(u64);

impl Bytes {
    fn some(&mut self, count: usize) -> Vec<u8> {
        let mut next = || {
            self.0 ^= self.0 >> 12;
            self.0 ^= self.0 << 25;
            self.0 ^= self.0 >> 27;
            u8::try_from(self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 56).unwrap()
        };
        (0..count).map(|_| next()).collect()
    }
}
