//! Types that cannot match (`v1/ast/check.go`).

mod assign;
mod check_body;
mod check_refs;
mod check_rule;
mod checker;
mod compatible;
mod declared;
mod declared_names;
mod details;
mod elide;
mod env;
mod infer;
mod join;
mod key;
mod lattice;
mod print;
mod ref_errors;
mod release;
mod select;
mod tree;
mod with_env;

use std::sync::{Arc, LazyLock};

use foldhash::HashMap;

use super::Compiler;
use super::graph::{index, numbered};
use super::options::Options;
use crate::builtins::{self, Builtin};
use crate::error::{Code, Error};
use crate::syntax::span::Span;
use crate::syntax::tree::{Expr, Kind, Term, Var};
use check_rule::Outcome;
use checker::{Checker, Shared};
use tree::Tree;

/// How many expressions may be checked again, and how many for each expression of the set.
const AGAIN: usize = 50_000;
const AGAIN_EACH: usize = 8;

/// Types of builtins and rules (`v1/ast/env.go`).
#[derive(Debug, Default)]
pub struct TypeEnv {
    builtins: Arc<Tree>,
    rules: Tree,
}

impl TypeEnv {
    /// What is known before any rule: the builtins.
    pub(super) fn of(options: &Options) -> Self {
        static TABLE: LazyLock<Arc<Tree>> = LazyLock::new(|| Arc::new(tree_of(builtins::table::all())));
        let builtins = if options.extra_builtins.is_empty() {
            Arc::clone(&TABLE)
        } else {
            Arc::new(tree_of(options.extra_builtins.iter().chain(builtins::table::all())))
        };
        Self { builtins, rules: Tree::default() }
    }
}

fn tree_of<'a>(all: impl Iterator<Item = &'a Builtin>) -> Tree {
    let mut tree = Tree::default();
    for builtin in all {
        let mut names = builtin.name.split('.');
        let first = names.next().map(|name| Term::var(Span::default(), name));
        let path: Vec<Term> = first.into_iter().chain(names.map(|name| Term::string(Span::default(), name))).collect();
        tree.put(&path, Some(declared::function(builtin)));
    }
    tree
}

/// Whether a builtin may answer a scalar, as far as its declaration says (`builtinMayReturn`).
pub(super) fn builtin_may_return(name: &str, value: &Term) -> bool {
    let Some(result) = builtins::find(name).and_then(|builtin| builtin.result.as_ref()) else { return true };
    let of = match &value.kind {
        Kind::Null => lattice::Type::Null,
        Kind::Bool(_) => lattice::Type::Boolean,
        Kind::Number(_) => lattice::Type::Number,
        Kind::String(_) => lattice::Type::String,
        _ => return true,
    };
    select::contains(Some(&declared::of(result)), &of)
}

/// The stage `CheckTypes`.
pub(super) fn check_types(compiler: &mut Compiler) {
    let mut env = TypeEnv::of(&compiler.options);
    let rules = numbered(&compiler.modules);
    let exprs: usize = rules.iter().map(|(_, rule)| rule.body.len()).sum();
    let mut shared = Shared { again: exprs.saturating_mul(AGAIN_EACH).saturating_add(AGAIN), ..Shared::default() };
    let mut errors = Vec::new();
    for part in compiler.graph.sorted(&rules) {
        let Some((_, rule)) = rules.get(index(part)) else { continue };
        match check_rule::check(compiler, &env, &mut shared, rule) {
            Outcome::Type(path, of) => env.rules.insert(path, of),
            Outcome::Errors(found) => {
                env.rules.put(&rule.head.reference, Some(lattice::any()));
                errors.extend(found);
            }
            Outcome::Unknown => {}
        }
    }
    compiler.types = env;
    compiler.findings.go_on_all(errors);
}

/// The same for a query; `rewritten` and `subjects` are the query's own.
pub(super) fn of_query<'t>(
    compiler: &'t Compiler,
    rewritten: &'t HashMap<Var, Var>,
    subjects: &'t HashMap<Var, Kind>,
    body: &'t [Expr],
) -> Vec<Error> {
    let mut shared = Shared { again: body.len().saturating_mul(AGAIN_EACH).saturating_add(AGAIN), ..Shared::default() };
    let mut checker = Checker::new(compiler, &compiler.types, &mut shared, body);
    checker.query = Some((rewritten, subjects));
    checker.scopes.push();
    checker.check_body(body)
}

/// The error of a call with a wrong number of operands, of a function whose type is known: before the stage `CheckTypes` it is one of
/// a builtin (`arityMismatchError`).
pub(super) fn arity_mismatch(
    compiler: &Compiler,
    env: &TypeEnv,
    call: &Expr,
    operator: &[Term],
    operands: &[Term],
) -> Option<Error> {
    let mut shared = Shared { again: AGAIN, ..Shared::default() };
    let mut checker = Checker::new(compiler, env, &mut shared, &[]);
    checker.scopes.push();
    let Some(lattice::Type::Function(function)) = checker.type_of_ref(operator) else { return None };
    let have = checker.types_of(operands);
    let name = crate::syntax::print::reference(operator);
    let details = details::arguments(&have, &details::Wanted::of(&function, false));
    Some(Error::new(Code::Type, call.span, format!("{name}: arity mismatch")).with_details(details))
}
