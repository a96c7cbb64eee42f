//! A module as Regal shows its tree to policies: OPA's tree with short places and without what says nothing
//! (styrainc/roast, `internal/transforms/module/module.go`).

#[path = "roast/terms.rs"]
mod terms;

use plimsoll_rego::syntax::parse::{self, Options};
use plimsoll_rego::syntax::source::Source;
use plimsoll_rego::syntax::span::{SourceId, Span};
use plimsoll_rego::syntax::tree::{Annotations, Comment, Head, Import, Module, Rule, Scope, Version};
use plimsoll_rego::value::Value;

/// A module, or what is wrong with it.
pub(crate) fn parsed(name: &str, text: &str) -> Result<Value, String> {
    let version = if name.ends_with("_v0.rego") { Version::V0 } else { Version::V1 };
    let source = Source::new(name, text);
    let parsed = parse::parse_module(&source, SourceId(0), &Options::of(version)).map_err(|errors| errors.to_string())?;
    Ok(Roast { source: &source }.module(&parsed))
}

/// The text that a tree is of.
struct Roast<'a> {
    source: &'a Source,
}

/// Members that are there.
struct Members(Vec<(Value, Value)>);

impl Members {
    fn and(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.push((name.into(), value.into()));
        self
    }

    fn and_some(self, name: &str, value: Option<Value>) -> Self {
        match value {
            Some(value) => self.and(name, value),
            None => self,
        }
    }

    fn and_flag(self, name: &str, flag: bool) -> Self {
        self.and_some(name, flag.then_some(Value::True))
    }

    fn and_all(self, name: &str, items: Vec<Value>) -> Self {
        self.and_some(name, (!items.is_empty()).then(|| Value::array(items)))
    }

    fn object(self) -> Value {
        Value::object(self.0)
    }
}

impl Roast<'_> {
    /// `row:col:row:col`: where it begins and where it ends; what was not written ends where it begins.
    fn place(&self, span: Span) -> Value {
        let begin = self.source.position(span.start);
        let text = self.source.slice(span);
        let (row, col) = match text.rsplit_once('\n') {
            None => (begin.row as usize, begin.col as usize + text.len()),
            Some((before, last)) => (begin.row as usize + before.matches('\n').count() + 1, last.len() + 1),
        };
        format!("{}:{}:{row}:{col}", begin.row, begin.col).into()
    }

    fn at(&self, span: Span) -> Members {
        Members(if span.end > 0 { vec![("location".into(), self.place(span))] } else { Vec::new() })
    }

    fn module(&self, module: &Module) -> Value {
        let imports = module.imports.iter().map(|import| self.import(import)).collect();
        let rules = module.rules.iter().map(|rule| self.rule(rule, module)).collect();
        Members(Vec::new())
            .and("package", self.package(module))
            .and_all("imports", imports)
            .and_all("rules", rules)
            .and_all("comments", module.comments.iter().map(|comment| self.comment(comment, module)).collect())
            .and("regal", self.regal(module.version))
            .object()
    }

    /// The first comment of a block is, for OPA, as long as the block.
    fn comment(&self, comment: &Comment, module: &Module) -> Value {
        let block = module.annotations.iter().find(|block| block.span.start == comment.span.start);
        self.at(block.map_or(comment.span, |block| block.span)).and("text", base64(&comment.text)).object()
    }

    fn package(&self, module: &Module) -> Value {
        let of_package = |annotations: &&Annotations| !matches!(annotations.scope, Scope::Document | Scope::Rule);
        let annotations = module.annotations.iter().filter(of_package).map(|one| self.annotations(one)).collect();
        let path = module.package.path.iter().enumerate();
        let path = path.map(|(index, term)| if index == 0 { self.bare(term) } else { self.term(term) });
        self.at(keyword(module.package.span, "package"))
            .and("path", Value::array(path))
            .and_all("annotations", annotations)
            .object()
    }

    fn regal(&self, version: Version) -> Value {
        let text = self.source.text.replace("\r\n", "\n");
        let version = match version {
            Version::V0 => "v0",
            Version::V0CompatV1 => "v0v1",
            Version::V1 => "v1",
            Version::V2 => "v2",
        };
        let file = Members(Vec::new())
            .and("name", self.source.name.as_str())
            .and("lines", Value::array(text.split('\n').map(Value::from)))
            .and("abs", format!("/{}", self.source.name))
            .and("rego_version", version);
        let environment = Members(Vec::new()).and("path_separator", "/");
        Members(Vec::new())
            .and("file", file.object())
            .and("environment", environment.object())
            .and("operations", Value::array(["lint".into()]))
            .object()
    }

    fn import(&self, import: &Import) -> Value {
        let alias = import.alias.as_ref().map(|(name, _)| Value::string(name));
        self.at(keyword(import.span, "import")).and("path", self.term(&import.path)).and_some("alias", alias).object()
    }

    /// The block's fields are as the block says them.
    fn annotations(&self, annotations: &Annotations) -> Value {
        let mut members = self.at(annotations.span);
        let fields = annotations.fields.as_object().map(|fields| fields.iter().map(|(key, value)| (key.clone(), value.clone())));
        members.0.extend(fields.into_iter().flatten());
        members.object()
    }

    fn rule(&self, rule: &Rule, module: &Module) -> Value {
        let annotations = rule.annotations.iter().filter_map(|index| module.annotations.get(*index));
        let body = (!rule.default && !rule.generated_body).then(|| self.body(&rule.body));
        self.at(rule.span)
            .and_all("annotations", annotations.map(|one| self.annotations(one)).collect())
            .and_flag("default", rule.default)
            .and("head", self.head(&rule.head))
            .and_some("body", body)
            .and_some("else", rule.otherwise.as_ref().map(|rule| self.rule(rule, module)))
            .object()
    }

    /// A value that begins where its head does was not written.
    fn head(&self, head: &Head) -> Value {
        let start = |span: Span| self.source.position(span.start);
        let value = head.value.as_ref().map(|value| match start(value.span) == start(head.span) {
            true => self.bare(value),
            false => self.term(value),
        });
        self.at(head.span)
            .and("ref", self.terms(&head.reference))
            .and_all("args", head.args.iter().flatten().map(|arg| self.term(arg)).collect())
            .and_flag("assign", head.assign)
            .and_some("key", head.key.as_ref().map(|key| self.term(key)))
            .and_some("value", value)
            .object()
    }
}

fn base64(text: &str) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(text)
}

/// Packages, imports and declarations end, for OPA, where their keyword does.
fn keyword(span: Span, keyword: &str) -> Span {
    Span { end: span.start + keyword.len() as u32, ..span }
}
