//! OPA's compiler (`v1/ast/compile.go`): stages that rewrite the trees of a set in place, from what was written to what is evaluated.
//!
//! Each stage has OPA's name and stands in OPA's order; generated variables have OPA's names, since names decide orders.

mod annotations;
mod arity;
mod checks;
mod comprehension_index;
mod comprehension_terms;
mod constants;
mod dynamic_terms;
mod equals;
mod expr_terms;
mod findings;
mod graph;
mod imports;
mod local_vars;
pub mod lower;
mod metadata_calls;
mod module_tree;
mod names;
mod options;
mod print_calls;
pub mod query;
mod recursion;
mod refs_in_head;
mod refused_builtins;
mod resolve_refs;
mod rule_conflicts;
mod rule_head_refs;
pub mod rule_index;
mod rule_tree;
mod safety;
mod stages;
mod template_strings;
pub(crate) mod terms;
mod types;
mod undefined_funcs;
mod vars;
mod with_values;
mod written;

use std::sync::Arc;

use foldhash::HashMap;

use crate::error::Errors;
use crate::syntax::source::Sources;
use crate::syntax::span::Span;
use crate::syntax::stack::with_depth;
use crate::syntax::tree::{Kind, Module, Rule, Var};

pub use annotations::{AnnotationSet, Link};
pub use arity::Arity;
pub(crate) use comprehension_index::ComprehensionKeys;
pub use findings::Findings;
pub use graph::Graph;
pub(crate) use graph::Part;
pub use module_tree::{ModuleNode, ModuleTree, PackageId};
pub use names::Names;
pub(crate) use names::equality_at;
pub use options::{DataPath, Interrupt, Options, Refusal};
pub use rule_tree::{Key, NodeId, RuleId, RuleNode, RuleTree};
pub use stages::{STAGES, Stage};
pub(crate) use terms::{generated, is_equality};
pub use types::TypeEnv;
pub use vars::{Closures, Params, VarSet};

/// The state of a compilation; afterwards, what it made.
#[derive(Debug)]
pub struct Compiler {
    /// What is wanted.
    pub options: Options,
    /// The texts.
    pub sources: Arc<Sources>,
    /// The trees, sorted by the names of their texts.
    pub modules: Vec<Module>,
    /// The trees before the first stage, in the same order, if they are kept.
    pub parsed: Vec<Module>,
    /// What is wrong.
    pub findings: Findings,
    /// Makes names of variables.
    pub names: Names,
    /// What a generated variable was called where it was written.
    pub rewritten: HashMap<Var, Var>,
    /// What some generated variables stand for, for messages: calls and collections in front of a reference. What a variable
    /// that `RewriteDynamicTerms` made stands for is the other side of its generated equality.
    pub subjects: HashMap<Var, Kind>,
    /// Imports that nobody uses, found by `ResolveRefs`: indexes of a module and of its import.
    pub unused_imports: Vec<(usize, usize)>,
    /// Modules by package.
    pub module_tree: ModuleTree,
    /// Rules by path.
    pub rule_tree: RuleTree,
    /// METADATA.
    pub annotations: AnnotationSet,
    /// Which rule refers to which.
    pub graph: Graph,
    /// Types of builtins, rules and the input.
    pub types: TypeEnv,
}

/// A compiled set.
#[derive(Debug)]
pub struct Compiled(Compiler);

/// Runs all stages. Fails with all errors of the stages up to the first one after which OPA does not go on.
pub fn compile(sources: Arc<Sources>, modules: Vec<Module>, options: &Options) -> Result<Compiled, Errors> {
    with_depth(depth_of(&modules), || run(sources, modules, options))
}

/// How deep the trees of a set may nest once they are compiled: templates and prints become calls of collections of comprehensions.
pub(crate) fn depth_of(modules: &[Module]) -> u32 {
    modules.iter().map(|module| module.depth).max().unwrap_or(0).saturating_mul(3)
}

fn run(sources: Arc<Sources>, modules: Vec<Module>, options: &Options) -> Result<Compiled, Errors> {
    let mut compiler = Compiler::new(sources, modules, options.clone());
    for stage in STAGES {
        options.go_on(Span::default())?;
        let later = options.later_stages.iter().filter(|(name, _)| *name == stage.name);
        std::iter::once(stage).chain(later.map(|(_, later)| later)).for_each(|stage| (stage.run)(&mut compiler));
        if compiler.findings.stopped() {
            break;
        }
    }
    compiler.findings.take(&compiler.sources)?;
    // It may hold the data, which nobody asks for any more.
    compiler.options.data_path = None;
    Ok(Compiled(compiler))
}

impl Compiler {
    /// A compilation before its first stage.
    pub fn new(sources: Arc<Sources>, mut modules: Vec<Module>, options: Options) -> Self {
        let name = |module: &Module| sources.get(module.source).map(|source| source.name.clone());
        modules.sort_by_cached_key(name);
        Self {
            findings: Findings::default(),
            parsed: if options.keep_modules { modules.clone() } else { Vec::new() },
            modules,
            sources,
            options,
            names: Names::default(),
            rewritten: HashMap::default(),
            subjects: HashMap::default(),
            unused_imports: Vec::new(),
            module_tree: ModuleTree::default(),
            rule_tree: RuleTree::default(),
            annotations: AnnotationSet::default(),
            graph: Graph::default(),
            types: TypeEnv::default(),
        }
    }

    /// A rule of the rule tree.
    pub fn rule(&self, id: RuleId) -> Option<&Rule> {
        self.modules.get(id.module)?.rules.get(id.rule)
    }

    /// How many operands functions take.
    pub fn arity(&self) -> Arity<'_> {
        Arity::new(&self.options, &self.rule_tree)
    }
}

impl Drop for Compiled {
    /// Deep trees are dropped where there is room for them.
    fn drop(&mut self) {
        let (modules, parsed) = (std::mem::take(&mut self.0.modules), std::mem::take(&mut self.0.parsed));
        with_depth(depth_of(&modules), || drop((modules, parsed)));
    }
}

impl std::ops::Deref for Compiled {
    type Target = Compiler;

    fn deref(&self) -> &Compiler {
        &self.0
    }
}
