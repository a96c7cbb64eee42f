//! Queries, and what stands around them: import statements and the name of a package.

use super::state::{MAX_DEPTH, Parser};
use super::statement::Statement;
use super::{Options, parser};
use crate::error::{Code, Error, Errors};
use crate::syntax::source::Source;
use crate::syntax::span::{SourceId, Span};
use crate::syntax::stack::sized_for;
use crate::syntax::tree::{Body, Import, Package};

/// A query as it is written.
#[derive(Clone, Debug)]
pub struct Query {
    /// Empty when nothing is written.
    pub body: Body,
    /// How deep terms and bodies nest at most.
    pub depth: u32,
}

/// Reads a query (`ParseBody`); an empty text is an empty one. `imports` of `future` and `rego` say which words are keywords
/// (opa `v1/rego/rego.go`, `parseQuery`).
///
/// # Errors
/// All that is wrong with it.
pub fn parse_query(source: &Source, id: SourceId, options: &Options, imports: &[Import]) -> Result<Query, Errors> {
    sized_for(&source.text, || {
        let mut parser = parser(source, id, options);
        parser.skip_rules = true;
        imports.iter().for_each(|import| parser.take_effect(import));
        let mut query = Query { body: Body::new(), depth: 0 };
        for statement in statements(&mut parser)? {
            match statement {
                Statement::Body(body) => {
                    query.depth = query.depth.max(body.height).min(MAX_DEPTH);
                    query.body.extend(body.node);
                }
                other => return Err(unexpected("body", &other)),
            }
        }
        Ok(query)
    })
}

/// Reads import statements (`ParseImports`).
///
/// # Errors
/// All that is wrong with them.
pub fn parse_imports(source: &Source, id: SourceId, options: &Options) -> Result<Vec<Import>, Errors> {
    sized_for(&source.text, || {
        let import = |statement| match statement {
            Statement::Import(import) => Ok(import),
            other => Err(unexpected("import", &other)),
        };
        statements(&mut parser(source, id, options))?.into_iter().map(import).collect()
    })
}

/// Reads one `package` (`ParsePackage`).
///
/// # Errors
/// All that is wrong with it.
pub fn parse_package(source: &Source, id: SourceId, options: &Options) -> Result<Package, Errors> {
    sized_for(&source.text, || {
        let mut statements = statements(&mut parser(source, id, options))?.into_iter();
        match (statements.next(), statements.next()) {
            (Some(Statement::Package(package)), None) => Ok(package),
            (Some(other), None) => Err(unexpected("package", &other)),
            _ => {
                let place = Span { source: id, start: 0, end: 0 };
                Err(Error::new(Code::Parse, place, "expected exactly one statement").into())
            }
        }
    })
}

fn statements(parser: &mut Parser<'_>) -> Result<Vec<Statement>, Errors> {
    let (statements, errors) = parser.parse_statements();
    Errors::check(errors)?;
    Ok(statements)
}

fn unexpected(wanted: &str, statement: &Statement) -> Errors {
    let (span, name) = match statement {
        Statement::Body(body) => (body.node.first().map(|expr| expr.span).unwrap_or_default(), "ast.Body"),
        Statement::Package(package) => (package.span, "*ast.Package"),
        Statement::Import(import) => (import.span, "*ast.Import"),
        Statement::Rule(draft) => (draft.rule.span, "*ast.Rule"),
    };
    Error::new(Code::Parse, span, format!("expected {wanted} but got {name}")).into()
}
