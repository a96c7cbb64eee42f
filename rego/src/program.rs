//! A set of modules that is compiled once, bound to data, and asked for documents.

mod bound;
mod carry;
mod changes;
mod contradictions;
mod definitions;
mod diagnostics;
mod in_order;
mod labels;
mod members;
mod parsing;
mod prepared;
mod query;
mod reads;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

pub use bound::{Bound, Evaluated, Request};
use carry::GroupReads;
pub use contradictions::Contradiction;
use definitions::Definitions;
pub use definitions::{Defined, Definition};
pub use members::ChangedMembers;
use members::KnownMembers;
pub use query::{Asked, Expression, Query, QueryRefused, Row};

use crate::compile::{self, Compiled, Options, lower};
use crate::depend::Dependencies;
use crate::error::Errors;
use crate::eval::Spots;
use crate::ir::{GroupId, Policy};
use crate::syntax::source::Sources;
use crate::syntax::stack::with_depth;
use crate::syntax::tree::{Term, Version};
use crate::value::Value;

/// One text of a set.
#[derive(Clone, Debug)]
pub struct Text {
    /// Shown in places.
    pub name: String,
    /// What is written there.
    pub text: String,
    /// Which language it is read as; `None`: as v1, and if that fails as v0.
    pub version: Option<Version>,
}

/// A compiled set: immutable, shareable.
#[derive(Debug)]
pub struct Program {
    compiled: Compiled,
    policy: Policy,
    definitions: Definitions,
    dependencies: OnceLock<Dependencies>,
    group_reads: GroupReads,
    members: OnceLock<KnownMembers>,
    spots: OnceLock<Spots>,
    base_readers: OnceLock<Box<[bool]>>,
    times: Times,
}

/// How long something took to read and to compile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// From text to tree.
    pub parse: Duration,
    /// From tree to what is evaluated.
    pub compile: Duration,
}

/// A set that was refused: all that is wrong, and the texts that the places are of.
#[derive(Debug)]
pub struct Refused {
    /// At least one.
    pub errors: Errors,
    /// For rows and columns.
    pub sources: Arc<Sources>,
}

impl Program {
    /// Parses and compiles a set. Fails with the errors of all texts that are no Rego, else with what the compiler finds.
    pub fn compile(texts: &[Text], options: &Options) -> Result<Self, Refused> {
        let started = Instant::now();
        let mut sources = Sources::default();
        let parsed = parsing::modules(&mut sources, texts, options);
        let sources = Arc::new(sources);
        let refused = |errors| Refused { errors, sources: sources.clone() };
        let modules = parsed.map_err(refused)?;
        let (parse, started) = (started.elapsed(), Instant::now());
        with_depth(compile::depth_of(&modules), || {
            let compiled = compile::compile(sources.clone(), modules, options).map_err(refused)?;
            let mut policy = lower::policy(&compiled.modules, sources.clone(), compiled.arity()).map_err(refused)?;
            labels::give(&mut policy, &compiled);
            let (definitions, dependencies) = (Definitions::of(&compiled), OnceLock::new());
            let times = Times { parse, compile: started.elapsed() };
            let (group_reads, members, spots, base_readers) = Default::default();
            Ok(Self { definitions, compiled, policy, dependencies, group_reads, members, spots, base_readers, times })
        })
    }

    /// Binds data, which must be an object.
    pub fn bind(self: &Arc<Self>, data: Value) -> Bound {
        Bound::new(self.clone(), data)
    }

    /// How long it took to compile.
    pub fn times(&self) -> Times {
        self.times
    }

    /// What the stages of the compiler made.
    pub fn compiled(&self) -> &Compiled {
        &self.compiled
    }

    /// What is evaluated.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// What the set defines at `path`, below `data`.
    pub fn defines(&self, path: &[String]) -> Definition {
        self.definitions.at(path)
    }

    /// Each definition of a rule or function, in the order of the modules.
    pub fn definitions(&self) -> &[Defined] {
        self.definitions.all()
    }

    /// The packages of the modules, below `data`.
    pub fn packages(&self) -> BTreeSet<Vec<String>> {
        let below = |path: &[Term]| definitions::names(path.get(1..).unwrap_or_default());
        self.compiled.modules.iter().map(|module| below(&module.package.path)).collect()
    }

    /// First names of the rules and functions of a package, by its path below `data`: what is said there without more.
    pub fn names_in(&self, package: &[String]) -> BTreeSet<String> {
        let below = |path: &[Term]| definitions::names(path.get(1..).unwrap_or_default());
        let own = self.compiled.modules.iter().filter(|module| below(&module.package.path) == package);
        own.flat_map(|module| &module.rules).filter_map(|rule| below(&rule.head.reference).get(package.len()).cloned()).collect()
    }

    /// Which language each module is written in, by its name.
    pub fn versions(&self) -> BTreeMap<String, Version> {
        let name = |id| self.sources().get(id).map(|source| source.name.to_string());
        self.compiled.modules.iter().filter_map(|module| Some((name(module.source)?, module.version))).collect()
    }

    /// Whether rules that METADATA labels may be evaluated for the document at a path below `data`.
    pub fn is_labelled(&self, path: &[Value]) -> bool {
        let groups = self.policy.groups.iter().zip(&self.policy.labelled).filter(|(_, labelled)| **labelled);
        let mut paths = groups.filter_map(|(group, _)| group.path.get(1..));
        paths.any(|group| group.starts_with(path) || path.starts_with(group))
    }

    /// What its rules depend on, found when somebody asks for the first time.
    pub fn dependencies(&self) -> &Dependencies {
        self.dependencies.get_or_init(|| Dependencies::of(&self.policy))
    }

    /// Which groups may read base documents, by their numbers.
    fn base_readers(&self) -> &[bool] {
        let mark = |number| self.dependencies().mark(GroupId(number)).data;
        self.base_readers.get_or_init(|| (0..).zip(&self.policy.groups).map(|(number, _)| mark(number)).collect())
    }

    /// Where parts of documents can be kept.
    fn spots(&self) -> &Spots {
        self.spots.get_or_init(|| Spots::of(&self.policy, self.dependencies().marks()))
    }

    /// The texts.
    pub fn sources(&self) -> &Arc<Sources> {
        &self.policy.sources
    }
}

impl Drop for Program {
    /// Deep rules are dropped where there is room for them.
    fn drop(&mut self) {
        let policy = std::mem::take(&mut self.policy);
        with_depth(compile::depth_of(&self.compiled.modules), || drop(policy));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    #[test]
    fn what_depends_on_thousands_of_rules_in_a_row_is_evaluated_on_a_small_stack() {
        let rules: String = (0..4_000).map(|at| format!("p{} := p{at}\n\nf{}(x) := f{at}(x)\n\n", at + 1, at + 1)).collect();
        let text = format!("package a\n\np0 := input\n\nf0(x) := x\n\n{rules}both := [p4000, f4000(2)]\n");
        let text = Text { name: "chain.rego".to_owned(), text, version: None };
        let program = Arc::new(Program::compile(&[text], &Options::default()).unwrap());
        let input = Value::from(1_usize);
        let request = Request { input: Some(&input), ..Request::default() };
        let answer = program.bind(Value::object([])).document(&["a".into(), "both".into()], &request).unwrap();
        assert_eq!(answer.unwrap().to_string(), "[1, 2]");
    }

    /// As OPA prints it: rules of one path come by how deep their packages lie, then in the order of the modules.
    #[test]
    fn rules_of_one_path_in_several_packages_come_from_the_outermost_one_first() {
        let text = |(name, text): (&str, &str)| Text { name: name.to_owned(), text: text.to_owned(), version: None };
        let sets = [
            [
                "package p.a\n\nb contains 1 if print(1)",
                "package p\n\na.b contains 2 if print(2)",
                "package p.a\n\nb contains 3 if print(3)",
            ],
            ["package p.a\n\nb := 1 if print(1)", "package p\n\na.b := 1 if print(2)", "package p.a\n\nb := 1 if print(3)"],
        ];
        let printed = sets.map(|texts| {
            let texts: Vec<_> = ["0.rego", "1.rego", "2.rego"].into_iter().zip(texts).map(text).collect();
            let options = Options { prints: true, ..Options::default() };
            let program = Arc::new(Program::compile(&texts, &options).unwrap());
            let heard = Arc::new(parking_lot::Mutex::new(String::new()));
            let hear = heard.clone();
            let print: crate::eval::PrintHook =
                Arc::new(parking_lot::Mutex::new(move |_, line: String| hear.lock().push_str(&line)));
            let request = Request { print: Some(print), ..Request::default() };
            program.bind(Value::object([])).document(&["p".into(), "a".into(), "b".into()], &request).unwrap();
            heard.lock().clone()
        });
        assert_eq!(printed, ["213", "2"]);
    }

    /// The trees that a program was compiled from are dropped behind it: also where a thread has little room.
    #[test]
    fn what_nests_deepest_is_dropped_on_a_very_small_stack() {
        let run = || {
            let text = format!("package a\n\nx := {}input{}\n", "[".repeat(9_900), "]".repeat(9_900));
            let text = Text { name: "deep.rego".to_owned(), text, version: None };
            drop(Program::compile(&[text], &Options::default()).unwrap());
        };
        std::thread::Builder::new().stack_size(256 << 10).spawn(run).unwrap().join().unwrap();
    }

    /// Functions that compare only are evaluated again: what they are called with matters for nothing that is kept.
    #[test]
    fn numbers_in_odd_writing_that_cheap_functions_are_called_with_are_not_met() {
        let text = "package a\n\nf(x) if x == \"a\"\n\nn := count([x | some x in input; f(x)])\n";
        let text = Text { name: "cheap.rego".to_owned(), text: text.to_owned(), version: None };
        let program = Arc::new(Program::compile(&[text], &Options::default()).unwrap());
        let input = json::read(b"[1.0]", 2).unwrap();
        let request = Request { input: Some(&input), ..Request::default() };
        let found = program.bind(Value::object([])).evaluate(&["a".into(), "n".into()], &request).unwrap();
        assert_eq!((found.document.unwrap().to_string().as_str(), found.met_unusual), ("0", false));
    }

    /// Tests run on threads of 2 MiB.
    #[test]
    fn what_nests_deep_is_compiled_asked_and_dropped_on_a_small_stack() {
        for inner in ["1", "v", "{x | x := v}"] {
            let text = format!("package a\n\nx := {}{inner}{} if v := input", "[".repeat(5_000), "]".repeat(5_000));
            let text = Text { name: "deep.rego".to_owned(), text, version: None };
            let program = Arc::new(Program::compile(&[text], &Options::default()).unwrap());
            let input = Value::from("here");
            let request = Request { input: Some(&input), ..Request::default() };
            let answer = program.bind(Value::object([])).document(&["a".into(), "x".into()], &request).unwrap();
            assert_eq!(answer.unwrap().depth(), if inner.starts_with('{') { 5_001 } else { 5_000 });
        }
    }
}
