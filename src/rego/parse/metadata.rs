//! Comment blocks that begin with `# METADATA`: OPA reads them as YAML when it loads a module, and refuses the module if it cannot
//! (opa `v1/ast/parser.go`, `parseAnnotations`; `v1/ast/annotations.go`, `attachAnnotationsNodes`). Nothing here uses what they say.

use regorus::unstable::{Expr, Module as Ast};

use super::layout::Refusal;
use super::tokens::Tokens;
use crate::rego::syntax;

mod fields;

use fields::Fields;

/// What an annotation that must be the only one of its kind is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::rego) enum Scope {
    /// The package, in all modules.
    Package,
    /// The package and all below it.
    Subpackages,
    /// All definitions of a path.
    Document,
}

/// An annotation of which each path can have one.
#[derive(Clone, Debug)]
pub(in crate::rego) struct Annotation {
    /// Offset of its block.
    pub(in crate::rego) at: usize,
    pub(in crate::rego) scope: Scope,
    /// Below `data`.
    pub(in crate::rego) path: Vec<String>,
}

/// The annotations of a module, or the first one that OPA refuses; `marked` if a byte order mark was before the text, which is in the
/// way of a comment there.
pub(super) fn check(text: &str, ast: &Ast, marked: bool) -> Result<Vec<Annotation>, Refusal> {
    if !text.contains("METADATA") {
        return Ok(Vec::new());
    }
    let mut comments = comments(text);
    if let Some(first) = comments.first_mut().filter(|first| marked && first.at == 0) {
        first.alone = false;
    }
    let statements = statements(ast);
    let mut found = Vec::new();
    for (index, first) in comments.iter().enumerate().filter(|(_, comment)| comment.begins_block()) {
        let rest = comments.get(index.saturating_add(1)..).unwrap_or_default();
        let block = rest.get(..length(first, rest)).unwrap_or_default();
        let fields = read(first, block)?;
        let next = statements.partition_point(|statement| statement.row <= first.row);
        found.extend(attach(first, &fields, statements.get(next))?);
    }
    Ok(found)
}

/// A comment, without its `#`.
struct Comment<'t> {
    at: usize,
    row: u32,
    /// At the beginning of its line.
    alone: bool,
    text: &'t str,
}

impl Comment<'_> {
    fn begins_block(&self) -> bool {
        self.alone && self.text.trim().starts_with("METADATA")
    }
}

fn comments(text: &str) -> Vec<Comment<'_>> {
    let (mut found, mut from, mut row) = (Vec::new(), 0, 1_u32);
    let ends = Tokens::new(text).map(|token| (token.start, token.end())).chain([(text.len(), text.len())]);
    for (start, end) in ends {
        let mut at = from;
        for line in text.get(from..start).unwrap_or_default().split_inclusive('\n') {
            if let Some(sign) = line.find('#') {
                let at = at.saturating_add(sign);
                let alone = at == 0 || text.as_bytes().get(at.saturating_sub(1)) == Some(&b'\n');
                let comment = line.get(sign.saturating_add(1)..).unwrap_or_default().trim_end_matches('\n');
                found.push(Comment { at, row, alone, text: comment.strip_suffix('\r').unwrap_or(comment) });
            }
            at = at.saturating_add(line.len());
            row = row.saturating_add(u32::from(line.ends_with('\n')));
        }
        let inside = text.get(start..end).unwrap_or_default().matches('\n').count();
        row = row.saturating_add(u32::try_from(inside).unwrap_or(u32::MAX));
        from = end;
    }
    found
}

/// How many comments belong to a block, without its first.
fn length(first: &Comment<'_>, rest: &[Comment<'_>]) -> usize {
    let follows = |(comment, row): &(&Comment<'_>, u32)| comment.alone && comment.row == *row && !comment.begins_block();
    rest.iter().zip(first.row.saturating_add(1)..).take_while(follows).count()
}

fn read(first: &Comment<'_>, block: &[Comment<'_>]) -> Result<Fields, Refusal> {
    let lines = block.iter().map(|comment| comment.text.strip_prefix(' ').unwrap_or(comment.text));
    let yaml = lines.fold(String::new(), |yaml, line| yaml + line + "\n");
    if yaml.trim().is_empty() {
        return Err((first.at, "expected METADATA block, found whitespace".to_owned()));
    }
    Fields::read(&yaml).map_err(|(line, message)| {
        let comment = line.and_then(|line| block.get(line.saturating_sub(1)).or(block.last())).unwrap_or(first);
        (comment.at, format!("METADATA: {message}"))
    })
}

/// What an annotation can stand before.
struct Statement {
    row: u32,
    kind: Kind,
    path: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Package,
    Import,
    Rule,
}

/// All of a module, by row.
fn statements(ast: &Ast) -> Vec<Statement> {
    let package = syntax::package(ast);
    let mut found = vec![Statement { row: ast.package.span.line, kind: Kind::Package, path: package.clone() }];
    let import = |row| Statement { row, kind: Kind::Import, path: Vec::new() };
    found.extend(ast.imports.iter().map(|found| import(found.span.line)));
    found.extend(ast.policy.iter().map(|rule| {
        let path = package.iter().cloned().chain(ground(syntax::head(rule))).collect();
        Statement { row: rule.span().line, kind: Kind::Rule, path }
    }));
    found.sort_by_key(|statement| statement.row);
    found
}

/// A head up to its first variable.
fn ground(head: &Expr) -> Vec<String> {
    let (mut steps, mut rest) = (Vec::new(), head);
    loop {
        match rest {
            Expr::RefDot { refr, field, .. } => {
                steps.push(Some(field.0.text().to_owned()));
                rest = refr;
            }
            Expr::RefBrack { refr, index, .. } => {
                // What is no text is none of the names.
                let other = || (!matches!(index.as_ref(), Expr::Var { .. })).then(|| format!("[{}]", index.span().text()));
                steps.push(syntax::constant_name(index).or_else(other));
                rest = refr;
            }
            _ => {
                steps.push(Some(rest.span().text().to_owned()));
                break;
            }
        }
    }
    steps.into_iter().rev().map_while(|step| step).collect()
}

/// What an annotation is about, if there can be only one about that.
fn attach(block: &Comment<'_>, fields: &Fields, next: Option<&Statement>) -> Result<Option<Annotation>, Refusal> {
    let kind = next.map(|next| next.kind);
    let scope = match (fields.scope.as_str(), kind) {
        ("", Some(Kind::Rule)) => {
            if fields.entrypoint {
                "document"
            } else {
                "rule"
            }
        }
        ("", Some(Kind::Package)) => "package",
        ("", Some(Kind::Import)) => "import",
        (scope, _) => scope,
    };
    let refuse = |message: String| Err((block.at, message));
    let (needed, about, name) = match scope {
        "rule" => (Kind::Rule, None, "rule"),
        "document" => (Kind::Rule, Some(Scope::Document), "rule"),
        "package" => (Kind::Package, Some(Scope::Package), "package"),
        "subpackages" => (Kind::Package, Some(Scope::Subpackages), "package"),
        _ => {
            return refuse(format!(
                "invalid annotation scope '{scope}'. Use one of 'rule', 'document', 'package', or 'subpackages'"
            ));
        }
    };
    if kind != Some(needed) {
        return refuse(format!("annotation scope '{scope}' must be applied to {name}"));
    }
    if fields.entrypoint && !matches!(scope, "document" | "package") {
        return refuse(format!("annotation entrypoint applied to non-document or package scope '{scope}'"));
    }
    let path = next.map(|next| next.path.clone()).unwrap_or_default();
    Ok(about.map(|scope| Annotation { at: block.at, scope, path }))
}

#[cfg(test)]
mod tests;
