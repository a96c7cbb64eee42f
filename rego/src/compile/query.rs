//! Queries against a compiled set (`v1/ast/compile.go`, `queryCompiler`).

mod capture;

pub use capture::captured;

use foldhash::HashMap;

use super::resolve_refs::{Exports, Globals, Resolver};
use super::{
    Compiled, Interrupt, checks, comprehension_terms, dynamic_terms, expr_terms, local_vars, print_calls, refused_builtins,
    safety, template_strings, types, undefined_funcs, with_values,
};
use crate::error::{Code, Error, Errors};
use crate::syntax::span::Span;
use crate::syntax::tree::{Body, Import, Kind, Package, Var};
use crate::syntax::visit::Node;

/// What a query sees beside `input` and `data`.
#[derive(Clone, Copy, Default)]
pub struct Context<'a> {
    /// A package whose rules are called by their names.
    pub package: Option<&'a Package>,
    /// Imports.
    pub imports: &'a [Import],
    /// Where the query is, for what is wrong with none of its parts.
    pub place: Span,
    /// OPA's strict mode, for the query.
    pub strict: bool,
    /// The values of its expressions are wanted: [`captured`] names the variables that have them.
    pub capture: bool,
    /// Whether to go on, asked between stages.
    pub interrupt: Option<&'a Interrupt>,
}

impl Context<'_> {
    /// Fails when the compilation has to end.
    fn go_on(&self) -> Result<(), Errors> {
        let message = self.interrupt.and_then(|interrupt| interrupt());
        message.map_or(Ok(()), |message| Err(Error::new(Code::Compile, self.place, message).into()))
    }
}

/// A compiled query.
#[derive(Debug)]
pub struct Query {
    /// What is evaluated.
    pub body: Body,
    /// What a generated variable was called where it was written.
    pub rewritten: HashMap<Var, Var>,
    /// What some generated variables stand for, for messages.
    pub subjects: HashMap<Var, Kind>,
}

/// Compiles a query. Fails with the errors of the first stage that has some.
pub fn compile(set: &Compiled, context: Context<'_>, body: Body) -> Result<Query, Errors> {
    if body.is_empty() {
        return Err(Error::new(Code::Compile, context.place, "empty query cannot be compiled").into());
    }
    let mut query = Query { body, rewritten: HashMap::default(), subjects: HashMap::default() };
    if context.strict {
        Errors::check(checks::overrides_in_query(&query.body))?;
    }
    query.resolve(set, context);
    if context.capture {
        capture::rewrite(set.arity(), &mut query.body);
    }
    context.go_on()?;
    query.rewrite(set, context)?;
    context.go_on()?;
    query.check(set)?;
    context.go_on()?;
    if context.strict {
        Errors::check(refused_builtins::deprecated(set, Node::Body(&query.body)))?;
    }
    Ok(query)
}

impl Query {
    /// The stage `ResolveRefs`.
    fn resolve(&mut self, set: &Compiled, context: Context<'_>) {
        let path = context.package.map(|package| package.path.as_slice()).unwrap_or_default();
        let exports = if path.is_empty() { Exports::default() } else { Exports::of_rewritten(&set.modules, path) };
        let globals = Globals::new(path, exports.names(path), context.imports);
        Resolver::new(globals).query(&mut self.body);
    }

    /// The stages from `RewriteLocalVars` to `RewriteWithValues`.
    fn rewrite(&mut self, set: &Compiled, context: Context<'_>) -> Result<(), Errors> {
        Errors::check(local_vars::rewrite_query(context.strict, &mut self.rewritten, &mut self.body))?;
        Errors::check(template_strings::rewrite_query(set, &mut self.body))?;
        Errors::check(checks::void_calls(&set.options, Node::Body(&self.body)))?;
        Errors::check(print_calls::rewrite_query(set, &self.rewritten, &mut self.body))?;
        context.go_on()?;
        expr_terms::rewrite_query(&mut self.subjects, &mut self.body);
        comprehension_terms::rewrite_query(&mut self.body);
        with_values::rewrite_query(set, &mut self.body)?;
        Ok(())
    }

    /// The stages from `CheckUndefinedFuncs`.
    fn check(&mut self, set: &Compiled) -> Result<(), Errors> {
        Errors::check(undefined_funcs::of_query(set, &self.rewritten, &self.body))?;
        let reordered = safety::of_query(set, &self.rewritten, std::mem::take(&mut self.body));
        match reordered {
            Ok(body) => self.body = body,
            Err(errors) => return Errors::check(errors),
        }
        dynamic_terms::rewrite_query(&mut self.body);
        Errors::check(types::of_query(set, &self.rewritten, &self.subjects, &self.body))?;
        Errors::check(refused_builtins::refused(set, Node::Body(&self.body)))?;
        Ok(())
    }
}
