//! The interpreter: built once per policy set, given data once per snapshot, cloned for each evaluation.

use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use regorus::unstable::{Expr, Module as Tree, Ref};
use regorus::utils::limits::ExecutionTimerConfig;
use regorus::{Engine, Value as Rego};

use super::coverage::Lines;
use super::stack::Stack;
use super::walk::{self, Visitor};
use super::{EvalError, builtins, fault, parse, rewrite};

/// Steps of the interpreter between two looks at the clock.
const STEPS_PER_CLOCK_READ: NonZeroU32 = NonZeroU32::MIN.saturating_add(31);

/// regorus with modules, and maybe data. Cloning shares all of it.
#[derive(Clone)]
pub(super) struct Interpreter {
    engine: Engine,
    /// Builtins whose cost is bounded: those that are called.
    bounded: Arc<BTreeSet<&'static str>>,
    /// The data, without what rules make.
    base: Rego,
    /// Fractions of many digits, of the data and of the modules.
    long: rewrite::Long,
}

impl Interpreter {
    /// What evaluates modules of these texts.
    pub(super) fn new<'t>(texts: impl Iterator<Item = &'t str> + Clone) -> Self {
        let mut engine = Engine::new();
        engine.set_policy_length_config(parse::length_limits());
        builtins::install(&mut engine);
        rewrite::install(&mut engine);
        let mut bounded = BTreeSet::new();
        rewrite::bound(&mut engine, texts, &mut bounded);
        // Builtins are ours to be strict or not; what is left are conflicts, which functions would swallow.
        engine.set_strict_builtin_errors(true);
        // Otherwise `print` writes to our standard error.
        engine.set_gather_prints(true);
        Self { engine, bounded: Arc::new(bounded), base: Rego::Undefined, long: rewrite::Long::default() }
    }

    /// The same, for asking what no module says: its builtins are bounded too.
    pub(super) fn asking(&self, text: &str) -> Self {
        let mut asking = self.clone();
        rewrite::bound(&mut asking.engine, std::iter::once(text), Arc::make_mut(&mut asking.bounded));
        asking
    }

    /// Parses and adds one module.
    pub(super) fn add(&mut self, key: &str, text: &str, v1: bool) -> Result<(), anyhow::Error> {
        self.engine.set_rego_v0(!v1);
        self.engine.add_policy(key.to_owned(), text.to_owned()).map(drop)
    }

    /// The syntax trees, in the order of adding.
    pub(super) fn trees(&self) -> Vec<Ref<Tree>> {
        // The accessor wants a mutable engine; a clone shares the trees.
        self.engine.clone().get_modules().clone()
    }

    /// The same modules with data, analysed, so that clones evaluate at once.
    pub(super) fn with_data(&self, data: Rego) -> Result<Self, anyhow::Error> {
        let mut engine = self.engine.clone();
        engine.clear_data();
        engine.add_data(data.clone())?;
        engine.set_rego_v0(false);
        engine.eval_query("true".to_owned(), false)?;
        let written = engine.get_modules().iter().flat_map(|module| numbers(module)).collect::<Vec<_>>();
        let long = rewrite::Long::of(&Rego::from(vec![data.clone(), Rego::from(written)]));
        Ok(Self { engine, bounded: self.bounded.clone(), long, base: data })
    }

    /// All of `data` after one definition of a rule was evaluated, alone of its name; what was printed; and the lines that
    /// were evaluated, if `cover` asks for them.
    pub(super) fn evaluate_rule(&self, place: RulePlace, input: Option<Rego>, time: Duration, cover: bool) -> Evaluated {
        let mut engine = self.ready(input.clone(), time);
        engine.set_enable_coverage(cover);
        let module = engine.get_modules().get(place.module).cloned();
        let rule = module.as_ref().and_then(|module| module.policy.get(place.rule).cloned());
        let (Some(module), Some(rule)) = (module, rule) else {
            return Evaluated { data: Ok(Rego::Undefined), prints: Vec::new(), covered: Lines::default() };
        };
        let data = self.beside(input.as_ref(), || engine.eval_rule_in_module(&module, &rule, false));
        let covered = if cover { engine.get_coverage_report().map(Lines::covered).unwrap_or_default() } else { Lines::default() };
        Evaluated { data, prints: engine.take_prints().unwrap_or_default(), covered }
    }

    /// The value of a reference, `None` when it is undefined, and what was printed. The work is done on a clone.
    pub(super) fn evaluate(&self, reference: String, input: Option<Rego>, time: Duration) -> (Answer, Vec<String>) {
        let mut engine = self.ready(input.clone(), time);
        let value = self.beside(input.as_ref(), || engine.eval_query(reference, false));
        let value = value.map(|results| {
            let expression = results.result.into_iter().next().and_then(|row| row.expressions.into_iter().next());
            expression.map(|e| e.value).filter(|value| *value != Rego::Undefined)
        });
        (value, engine.take_prints().unwrap_or_default())
    }

    /// Runs an evaluation with what its functions look up.
    fn beside<T>(&self, input: Option<&Rego>, evaluation: impl FnOnce() -> T) -> T {
        let evaluation = || rewrite::wholes::beside(&self.base, evaluation);
        rewrite::held(&self.long, input.unwrap_or(&Rego::Undefined), evaluation)
    }

    /// A clone for one evaluation.
    fn ready(&self, input: Option<Rego>, time: Duration) -> Engine {
        let mut engine = self.engine.clone();
        engine.set_execution_timer_config(ExecutionTimerConfig { limit: time, check_interval: STEPS_PER_CLOCK_READ });
        engine.set_input(input.unwrap_or(Rego::Undefined));
        engine
    }
}

/// The numbers that are written in a module.
fn numbers(module: &Tree) -> Vec<Rego> {
    struct Numbers(Vec<Rego>);
    impl Visitor for Numbers {
        fn expr(&mut self, expr: &Expr) -> bool {
            if let Expr::Number { value, .. } = expr {
                self.0.push(value.clone());
            }
            true
        }
    }
    let mut numbers = Numbers(Vec::new());
    module.policy.iter().for_each(|rule| walk::rule(rule, &mut numbers));
    numbers.0
}

/// A value, if it is defined.
type Answer = Result<Option<Rego>, anyhow::Error>;

/// What came of one definition of a rule.
pub(super) struct Evaluated {
    pub(super) data: Result<Rego, anyhow::Error>,
    pub(super) prints: Vec<String>,
    pub(super) covered: Lines,
}

/// Which rule of which module, in the order of adding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RulePlace {
    pub(super) module: usize,
    pub(super) rule: usize,
}

/// Runs an evaluation with enough stack, and so that a panic inside ends only this one.
pub(super) fn guard<T: Send>(
    document: &str,
    stack: Stack,
    evaluation: impl FnOnce() -> Result<T, EvalError> + Send,
) -> Result<T, EvalError> {
    // What the closure touches is a clone that is dropped with the panic, or immutable.
    let caught = || catch_unwind(AssertUnwindSafe(evaluation));
    match stack.run(caught) {
        Ok(Ok(result)) => result,
        Ok(Err(panic)) => Err(fault::panicked(document, panic.as_ref())),
        Err(error) => Err(fault::no_thread(document, &error)),
    }
}
