//! What `eval` shows beside the answer: the steps of the evaluation, its metrics and profile, and the coverage of the policies.

use clap::ValueEnum;

use super::Format;
use crate::cli::explain::{self, Mode};
use crate::rego::coverage::Lines;
use crate::rego::trace::{Form, Profile, ProfileOrder, QueryReport, Wanted};

/// How many rows of a profile are shown without `--profile-limit`.
const ROWS: i64 = 10;

/// The columns that order the rows of a profile, after those of `--profile-sort`.
const ORDER: [&str; 5] = ["total_time_ns", "num_eval", "num_redo", "file", "line"];

/// Options of `plimsoll eval` that show more than the answer.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Beside {
    /// Show how the answer was found, in the formats `json` and `pretty`.
    #[arg(long, value_enum, value_name = "MODE", default_value = "off")]
    pub explain: Explained,
    /// Show how often each expression was evaluated and how long that took; implies `--metrics`.
    #[arg(long)]
    pub profile: bool,
    /// How many lines of the profile to show, the costliest first; 0 is all. Implies `--profile`; 10 unless it is given.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub profile_limit: Option<i64>,
    /// What to sort the profile by: `total_time_ns`, `num_eval`, `num_redo`, `num_gen_expr`, `file` or `line`; others count for
    /// nothing. May be given several times, and separated by commas. Implies `--profile`.
    #[arg(long, value_name = "COLUMN", value_delimiter = ',')]
    pub profile_sort: Vec<String>,
    /// Show how long loading, compiling and evaluating took.
    #[arg(long)]
    pub metrics: bool,
    /// Show which parts of the policies were evaluated.
    #[arg(long)]
    pub coverage: bool,
}

/// How much of the way to the answer is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Explained {
    /// Nothing.
    #[default]
    Off,
    /// Every step but unification.
    Full,
    /// What policies say with `trace`, and what led there.
    Notes,
    /// Expressions without a solution, and what led there.
    Fails,
    /// Every step.
    Debug,
}

impl Explained {
    fn mode(self) -> Option<Mode> {
        match self {
            Self::Off => None,
            Self::Full => Some(Mode::Full),
            Self::Notes => Some(Mode::Notes),
            Self::Fails => Some(Mode::Fails),
            Self::Debug => Some(Mode::Debug),
        }
    }
}

impl Beside {
    /// Returns whether the durations of the steps are shown.
    pub(super) fn shows_metrics(&self) -> bool {
        self.metrics || self.is_profiled()
    }

    /// Returns what the evaluation has to record.
    pub(super) fn wanted(&self, format: Format) -> Wanted {
        let form = if format == Format::Pretty { Form::Lines } else { Form::CommandLine };
        Wanted {
            steps: self.explain.mode().map(|mode| explain::steps(mode, form)),
            profile: self.is_profiled().then(|| self.profile()),
            coverage: self.coverage,
        }
    }

    /// Returns what is shown where nothing could be evaluated: a coverage of nothing, if one is wanted.
    pub(super) fn nothing(&self) -> QueryReport {
        QueryReport { lines: self.coverage.then(Lines::default), ..QueryReport::default() }
    }

    fn is_profiled(&self) -> bool {
        self.profile || self.profile_limit.is_some() || !self.profile_sort.is_empty()
    }

    fn profile(&self) -> Profile {
        let asked = self.profile_sort.iter().map(String::as_str);
        let rest = ORDER.into_iter().filter(|name| !self.profile_sort.iter().any(|asked| asked == name));
        let most = usize::try_from(self.profile_limit.unwrap_or(ROWS)).unwrap_or(0);
        Profile { order: asked.chain(rest).filter_map(ProfileOrder::of).collect(), most }
    }
}
