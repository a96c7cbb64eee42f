//! What a compilation is asked for.

use std::fmt;
use std::sync::Arc;

use arcstr::ArcStr;

use super::Stage;
use crate::builtins::{self, Builtin};
use crate::error::{Code, Error, Errors};
use crate::syntax::span::Span;

/// Says why a builtin is refused, by its name; `None` for what is not refused.
pub type Refusal = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Says whether there is data at a path.
pub type DataPath = Arc<dyn Fn(&[ArcStr]) -> bool + Send + Sync>;

/// Says why a compilation has to end; asked between modules and between stages, perhaps by several threads
/// at once.
pub type Interrupt = Arc<dyn Fn() -> Option<String> + Send + Sync>;

/// What a compilation is asked for.
#[derive(Clone, Default)]
pub struct Options {
    /// OPA's strict mode, for modules of every version.
    pub strict: bool,
    /// Calls of `print` are kept (as `internal.print`); without it they are erased.
    pub prints: bool,
    /// Values in rules whose names begin with `test_` are bound to variables, so that a trace shows them.
    pub test_tracing: bool,
    /// The trees as they were parsed are kept, too.
    pub keep_modules: bool,
    /// Where data is: no rule may be there.
    pub data_path: Option<DataPath>,
    /// Builtins that are refused.
    pub refused: Option<Refusal>,
    /// Whether to go on.
    pub interrupt: Option<Interrupt>,
    /// So many threads beside the caller's may help to parse large sets; they end before the compilation does.
    pub helpers: usize,
    /// Called first by each of them, such as for what is to be told of it when it ends.
    pub on_thread_start: Option<fn()>,
    /// Builtins beside those of the table, made by [`builtins::row`]; those of the table go first. Nothing refuses their names.
    pub extra_builtins: &'static [Builtin],
    /// Stages of somebody else, each behind the stage of a name (`WithStageAfterID`).
    pub later_stages: &'static [(&'static str, Stage)],
}

impl Options {
    /// A builtin by its name.
    pub fn builtin(&self, name: &str) -> Option<&'static Builtin> {
        builtins::find(name).or_else(|| self.extra_builtins.iter().find(|builtin| builtin.name == name))
    }

    /// Fails, at a place, when the compilation has to end.
    pub fn go_on(&self, at: Span) -> Result<(), Errors> {
        let message = self.interrupt.as_ref().and_then(|interrupt| interrupt());
        message.map_or(Ok(()), |message| Err(Error::new(Code::Compile, at, message).into()))
    }

    /// Why a builtin is refused.
    pub fn refusal(&self, name: &str) -> Option<String> {
        self.refused.as_ref().and_then(|refused| refused(name))
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("strict", &self.strict)
            .field("prints", &self.prints)
            .field("test_tracing", &self.test_tracing)
            .field("keep_modules", &self.keep_modules)
            .finish_non_exhaustive()
    }
}
