//! From the events of a text to a value: the first of several documents, all keys texts, anchors merged below `<<`.

use std::collections::{BTreeMap, HashMap};

use granit_parser::{Event, Marker, Options, Parser, ScalarStyle, ScanError, StructureStyle, YamlVersion};

use super::node::Node;
use crate::builtins::BuiltinError;
use crate::limits::Account;
use crate::value::Value;

/// Collections inside one another that Go reads.
const DEEPEST: usize = 10_000;

/// Reads the first document of a text; the others have to be YAML too.
pub(super) fn load(account: &mut Account, text: &str) -> Result<Value, BuiltinError> {
    let mut loader = Loader { account, open: Vec::new(), flows: 0, anchors: HashMap::new(), first: None };
    // Neither may begin a document, for Go.
    if text.starts_with('\t') || text.trim_start().starts_with("...") {
        return Err(BuiltinError::failed("yaml: found character that cannot start any token"));
    }
    let lines: Vec<&str> = if text.contains('\t') { text.split('\n').collect() } else { Vec::new() };
    let mut options = Options::default();
    (options.flow_nesting_limit, options.block_nesting_limit) = (DEEPEST, DEEPEST);
    let mut parser = Parser::new_from_str_with_options(text, options);
    let end = if text.ends_with('\n') { None } else { Some(text.chars().count()) };
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(wrong)?;
        if loader.flows == 0 && begins_a_node(&event) && is_behind_tab(&lines, &span.start) {
            return Err(BuiltinError::failed("yaml: found character that cannot start any token"));
        }
        loader.event(if end.is_some_and(|end| span.end.index() >= end) { unbroken(event) } else { event })?;
    }
    loader.first.map_or(Ok(Value::Null), Node::value)
}

/// What is wrong, in the words of Go's library where they are known.
fn wrong(error: ScanError) -> BuiltinError {
    let line = error.marker().line();
    let what = match error.info() {
        info if info.contains("unclosed bracket '['") => "did not find expected ',' or ']'".to_owned(),
        info if info.contains("unclosed bracket '{'") => "did not find expected ',' or '}'".to_owned(),
        info if info.contains("unclosed quote") => return BuiltinError::failed("yaml: found unexpected end of stream"),
        info if info.contains("unexpected character") => {
            return BuiltinError::failed("yaml: found character that cannot start any token");
        }
        info => info,
    };
    BuiltinError::failed(format!("yaml: line {line}: {what}"))
}

fn begins_a_node(event: &Event<'_>) -> bool {
    matches!(event, Event::Scalar(..) | Event::SequenceStart(..) | Event::MappingStart(..) | Event::Alias(_))
}

/// Whether a tab stands among the blanks and indicators that a line begins with, before this.
fn is_behind_tab(lines: &[&str], start: &Marker) -> bool {
    let Some(line) = start.line().checked_sub(1).and_then(|line| lines.get(line)) else { return false };
    let before = line.chars().take(start.col());
    before.clone().all(|c| c.is_whitespace() || "-?:".contains(c)) && before.into_iter().any(|c| c == '\t')
}

/// A block at the end of a text that does not end its last line: Go does not end it either.
fn unbroken(event: Event<'_>) -> Event<'_> {
    match event {
        Event::Scalar(text, style @ (ScalarStyle::Literal | ScalarStyle::Folded), anchor, tag) => {
            let text = text.strip_suffix('\n').unwrap_or(&text).to_owned();
            Event::Scalar(text.into(), style, anchor, tag)
        }
        other => other,
    }
}

/// A collection that is open.
enum Open {
    Sequence(Vec<Value>, usize),
    Mapping(Mapping, usize),
}

/// A mapping so far.
#[derive(Default)]
struct Mapping {
    members: BTreeMap<String, Value>,
    /// What stands behind `<<`.
    merged: Vec<Value>,
    key: Option<Node>,
}

struct Loader<'a> {
    account: &'a mut Account,
    open: Vec<Open>,
    /// How many collections in brackets are open around what comes next; those in them count.
    flows: usize,
    anchors: HashMap<usize, Node>,
    first: Option<Node>,
}

impl Loader<'_> {
    fn event(&mut self, event: Event<'_>) -> Result<(), BuiltinError> {
        self.account.charge(size_of::<Node>())?;
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                self.account.charge(text.len())?;
                let node = Node::scalar(&text, style, tag.as_deref())?;
                self.node(node, anchor)
            }
            Event::SequenceStart(style, anchor, _) => self.begin(style, Open::Sequence(Vec::new(), anchor)),
            Event::MappingStart(style, anchor, _) => self.begin(style, Open::Mapping(Mapping::default(), anchor)),
            Event::SequenceEnd | Event::MappingEnd => match self.end() {
                Some(Open::Sequence(items, anchor)) => self.node(Node::of(Value::array(items)), anchor),
                Some(Open::Mapping(mapping, anchor)) => {
                    let value = mapping.finish(self.account)?;
                    self.node(Node::of(value), anchor)
                }
                None => Ok(()),
            },
            Event::Alias(anchor) => {
                let itself = || BuiltinError::failed("yaml: anchor value contains itself");
                let node = self.anchors.get(&anchor).cloned().ok_or_else(itself)?;
                self.node(node, 0)
            }
            Event::DocumentStart(explicit, version) => self.document(explicit, version),
            _ => Ok(()),
        }
    }

    /// A document begins: Go knows YAML 1.1 alone, and all but the first begin with `---`.
    fn document(&mut self, explicit: bool, version: Option<YamlVersion>) -> Result<(), BuiltinError> {
        if version.is_some_and(|version| (version.major, version.minor) != (1, 1)) {
            return Err(BuiltinError::failed("yaml: found incompatible YAML document"));
        }
        if self.first.is_some() && !explicit {
            return Err(BuiltinError::failed("yaml: did not find expected <document start>"));
        }
        Ok(())
    }

    fn end(&mut self) -> Option<Open> {
        self.flows = self.flows.saturating_sub(1);
        self.open.pop()
    }

    fn begin(&mut self, style: StructureStyle, open: Open) -> Result<(), BuiltinError> {
        if self.open.len() >= DEEPEST {
            return Err(BuiltinError::failed(format!("yaml: exceeded max depth of {DEEPEST}")));
        }
        if self.flows > 0 || style == StructureStyle::Flow {
            self.flows = self.flows.saturating_add(1);
        }
        self.open.push(open);
        Ok(())
    }

    /// A node that is complete.
    fn node(&mut self, node: Node, anchor: usize) -> Result<(), BuiltinError> {
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
        match self.open.last_mut() {
            Some(Open::Sequence(items, _)) => items.push(node.value()?),
            Some(Open::Mapping(mapping, _)) => mapping.node(node)?,
            None => self.first = self.first.take().or(Some(node)),
        }
        Ok(())
    }
}

impl Mapping {
    /// A key, or the value of the one before.
    fn node(&mut self, node: Node) -> Result<(), BuiltinError> {
        let Some(key) = self.key.take() else {
            self.key = Some(node);
            return Ok(());
        };
        let value = node.value()?;
        if key.is_merge {
            return self.merge(value);
        }
        // Of equal keys the last counts.
        self.members.insert(key.key(&value)?, value);
        Ok(())
    }

    fn merge(&mut self, value: Value) -> Result<(), BuiltinError> {
        let wrong = || BuiltinError::failed("yaml: map merge requires map or sequence of maps as the value");
        match &value {
            Value::Object(_) => self.merged.push(value),
            Value::Array(array) if array.items().iter().all(|item| item.as_object().is_some()) => {
                self.merged.extend(array.items().iter().cloned());
            }
            _ => return Err(wrong()),
        }
        Ok(())
    }

    /// With what was merged, where it is not there.
    fn finish(mut self, account: &mut Account) -> Result<Value, BuiltinError> {
        for (key, value) in self.merged.iter().filter_map(Value::as_object).flat_map(|object| object.iter()) {
            let Some(key) = key.as_str() else { continue };
            account.charge(key.len().saturating_add(size_of::<Node>()))?;
            account.step(1)?;
            if !self.members.contains_key(key.as_str()) {
                self.members.insert(key.to_string(), value.clone());
            }
        }
        Ok(Value::object(self.members.into_iter().map(|(key, value)| (Value::from(key), value))))
    }
}
