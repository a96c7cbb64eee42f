//! The report of a test run, in `opa test`'s form.

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use crate::rego::testing::{Run, Test, Verdict};

/// A test that has run.
#[derive(Debug)]
pub struct Finished {
    /// The test.
    pub test: Test,
    /// What came of it.
    pub run: Run,
    /// How long it took.
    pub took: Duration,
}

/// All tests of a run.
#[derive(Debug, Default)]
pub struct Report {
    finished: Vec<Finished>,
}

impl Report {
    /// Takes a test in.
    pub fn add(&mut self, finished: Finished) {
        self.finished.push(finished);
    }

    /// 0 when nothing failed, 2 otherwise.
    pub fn exit_code(&self) -> ExitCode {
        if self.count("FAIL") + self.count("ERROR") == 0 { ExitCode::SUCCESS } else { ExitCode::from(2) }
    }

    /// Prints the tests (all, or those that did not pass) and the sums.
    pub fn print(&self, verbose: bool, out: &mut dyn Write) -> io::Result<()> {
        let shown: Vec<_> = self.finished.iter().filter(|f| verbose || f.word() != "PASS").collect();
        for finished in &shown {
            finished.print(out)?;
        }
        if !shown.is_empty() {
            writeln!(out, "{}", "-".repeat(80))?;
        }
        self.sums(out)
    }

    fn sums(&self, out: &mut dyn Write) -> io::Result<()> {
        let total = self.finished.len();
        if total == 0 {
            return writeln!(out, "no tests found");
        }
        for word in ["PASS", "FAIL", "ERROR", "SKIPPED"] {
            let count = self.count(word);
            if count > 0 {
                writeln!(out, "{word}: {count}/{total}")?;
            }
        }
        Ok(())
    }

    fn count(&self, word: &str) -> usize {
        self.finished.iter().filter(|f| f.word() == word).count()
    }
}

impl Finished {
    fn word(&self) -> &'static str {
        match self.run.verdict {
            Verdict::Pass => "PASS",
            Verdict::Fail => "FAIL",
            Verdict::Error(_) => "ERROR",
            Verdict::Skip => "SKIPPED",
        }
    }

    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}:{}:", self.test.location.file, self.test.location.row)?;
        match &self.run.verdict {
            Verdict::Skip => writeln!(out, "{}: SKIPPED", self.test)?,
            _ => writeln!(out, "{}: {} ({:?})", self.test, self.word(), self.took)?,
        }
        if let Verdict::Error(error) = &self.run.verdict {
            writeln!(out, "  {error}")?;
        }
        self.run.prints.iter().try_for_each(|line| writeln!(out, "  {line}"))
    }
}
