//! Statements to a module (`v1/ast/parser_ext.go`, `parseModule`).

use super::Options;
use super::check::check_v1;
use super::from_body::{missing_keyword, rule_of_body};
use super::rule::{Draft, Words};
use super::state::{MAX_DEPTH, Parser};
use super::statement::Statement;
use crate::error::{Code, Error, Errors};
use crate::syntax::annotate;
use crate::syntax::source::Source;
use crate::syntax::span::Span;
use crate::syntax::tree::{Import, Module, Package, Term, Version};

struct Parts {
    imports: Vec<Import>,
    drafts: Vec<Draft>,
    errors: Vec<Error>,
    version: Version,
}

/// A module of all statements.
pub(super) fn of_statements(
    parser: Parser<'_>,
    source: &Source,
    statements: Vec<Statement>,
    options: &Options,
) -> Result<Module, Errors> {
    let (blocks, errors) = if options.skip_annotations { Default::default() } else { annotate::blocks(source, &parser.comments) };
    Errors::check(errors)?;
    let nowhere = Span { source: parser.source, start: 0, end: 0 };
    let mut statements = statements.into_iter().peekable();
    let mut parts = Parts { imports: Vec::new(), drafts: Vec::new(), errors: Vec::new(), version: options.version };
    let package = match statements.next() {
        None => {
            // Annotations are statements, too.
            let first = blocks.first().map(|block| Error::new(Code::Parse, block.span, "package expected"));
            return Err(first.unwrap_or_else(|| Error::new(Code::Parse, nowhere, "empty module")).into());
        }
        Some(Statement::Package(package)) => package,
        Some(other) => {
            parts.errors.push(Error::new(Code::Parse, place(&other), "package expected"));
            Package { span: nowhere, path: Vec::new() }
        }
    };
    while let Some(statement) = statements.next() {
        parts.add(statement, statements.peek(), &parser);
    }
    parts.errors.extend(check_v1(parts.version, &parts.drafts));
    Errors::check(parts.errors)?;
    let depth = parts.drafts.iter().map(|draft| draft.height).max().unwrap_or(0).min(MAX_DEPTH);
    let module = Module {
        source: parser.source,
        version: parts.version,
        package,
        imports: parts.imports,
        rules: parts.drafts.into_iter().map(|draft| draft.rule).collect(),
        comments: parser.comments,
        annotations: Vec::new(),
        depth,
    };
    annotate::attached(module, source, blocks).map_err(|errors| Errors::of(errors).unwrap_or_else(|| nothing(nowhere)))
}

fn nothing(place: Span) -> Errors {
    Error::new(Code::Parse, place, "no error").into()
}

impl Parts {
    fn add(&mut self, statement: Statement, next: Option<&Statement>, parser: &Parser<'_>) {
        match statement {
            Statement::Package(package) => self.errors.push(Error::new(Code::Parse, package.span, "unexpected package")),
            Statement::Import(import) => {
                self.version = raised(self.version, import.path.as_ref_parts().unwrap_or_default());
                self.imports.push(import);
            }
            Statement::Rule(draft) => self.drafts.push(draft),
            Statement::Body(body) => match rule_of_body(&body.node) {
                Ok(rule) => {
                    let rule = crate::syntax::tree::Rule { generated_body: true, ..rule };
                    let height = body.height.saturating_add(1);
                    self.drafts.push(Draft { rule, words: vec![Words::default()], height });
                }
                Err(error) => {
                    let mut message = error.to_string();
                    if self.version == Version::V0
                        && let Some(hint) = missing_keyword(&body.node, next, parser)
                    {
                        message.push_str(hint);
                    }
                    let place = body.node.first().map(|expr| expr.span).unwrap_or_default();
                    self.errors.push(Error::new(Code::Parse, place, message));
                }
            },
        }
    }
}

/// What `import rego.v1` and `import rego.v2` make of a version (`v1/ast/rego_version.go`, `RaisedTo`).
fn raised(version: Version, path: &[Term]) -> Version {
    let [root, last] = path else { return version };
    let rego = root.as_var().is_some_and(|name| name == "rego");
    match (rego, last.as_str().map(|name| name.as_str()), version) {
        (true, Some("v1"), Version::V0) => Version::V0CompatV1,
        (true, Some("v2"), _) => Version::V2,
        _ => version,
    }
}

fn place(statement: &Statement) -> Span {
    match statement {
        Statement::Package(package) => package.span,
        Statement::Import(import) => import.span,
        Statement::Rule(draft) => draft.rule.span,
        Statement::Body(body) => body.node.first().map(|expr| expr.span).unwrap_or_default(),
    }
}
