//! The results of the same tests on regorus, another implementation of Rego.

use std::io::Write;

use super::report::Report;
use crate::rego::second_opinion::{Opinion, SecondOpinion};

/// What regorus makes of a set of policies.
#[derive(Debug)]
pub(super) enum Second {
    /// It loads them, so the tests can be run.
    Taken(Box<SecondOpinion>),
    /// It refuses them: one reason for each module.
    Refused(Vec<String>),
}

impl From<Result<SecondOpinion, Vec<String>>> for Second {
    fn from(opinion: Result<SecondOpinion, Vec<String>>) -> Self {
        opinion.map_or_else(Self::Refused, |opinion| Self::Taken(Box::new(opinion)))
    }
}

impl Second {
    /// Prints each test that ends otherwise on regorus, then how many tests agree. Fails when the output cannot be written.
    pub(super) fn print(&self, report: &Report, out: &mut dyn Write) -> std::io::Result<()> {
        writeln!(out, "{}\nSECOND OPINION (regorus)", "-".repeat(80))?;
        match self {
            Self::Refused(reasons) => reasons.iter().try_for_each(|reason| writeln!(out, "refused: {reason}")),
            Self::Taken(opinion) => compare(opinion, report, out),
        }
    }
}

fn compare(opinion: &SecondOpinion, report: &Report, out: &mut dyn Write) -> std::io::Result<()> {
    let (mut agree, mut differ, mut unasked) = (0_usize, 0_usize, 0_usize);
    for finished in &report.finished {
        let (test, word) = (&finished.test, finished.word());
        let place = &test.location;
        match opinion.of(test, &finished.run) {
            Opinion::Agrees => agree += 1,
            Opinion::Differs(how) => {
                differ += 1;
                writeln!(out, "{}:{}:\n{test}: {word}, regorus: {how}", place.file, place.row)?;
            }
            Opinion::Unasked(why) => {
                unasked += 1;
                writeln!(out, "{}:{}:\n{test}: {word}, regorus is not asked: {why}", place.file, place.row)?;
            }
        }
    }
    let counts = [("AGREE", agree), ("DIFFER", differ), ("NOT ASKED", unasked)];
    let all = report.finished.len();
    counts.iter().filter(|(_, count)| *count > 0).try_for_each(|(word, count)| writeln!(out, "{word}: {count}/{all}"))
}
