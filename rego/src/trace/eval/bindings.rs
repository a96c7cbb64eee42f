//! Terms while they are evaluated, and what variables are bound to (opa `v1/topdown/bindings.go`).

use super::Traced;
use crate::syntax::span::Span;
use crate::syntax::tree::{Kind, Term, Var};
use crate::trace::event::{Local, Locals};
use crate::value::Value;

/// A term of a policy, or a value.
#[derive(Clone, Debug)]
pub(super) enum Item<'a> {
    Tree(&'a Term),
    Value(Value),
}

/// A term, and the frame that its variables are bound in.
#[derive(Clone, Debug)]
pub(super) struct Bound<'a> {
    pub(super) item: Item<'a>,
    pub(super) frame: usize,
    /// What a term is that a variable was bound to when all in it was bound: terms name each other, and few of them can be more than
    /// anybody could write out.
    value: Option<Value>,
}

/// What the variables of one rule are bound to: each as it stood where it was bound.
pub(super) type Frame<'a> = Vec<(&'a Term, Bound<'a>)>;

/// What decides how two terms are unified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Var,
    Ref,
    Comprehension,
    Null,
    Bool,
    Number,
    String,
    Array,
    Object,
    Set,
}

impl<'a> Bound<'a> {
    pub(super) fn tree(term: &'a Term, frame: usize) -> Self {
        Self { item: Item::Tree(term), frame, value: None }
    }

    pub(super) fn value(value: Value) -> Self {
        Self { item: Item::Value(value), frame: 0, value: None }
    }

    pub(super) fn as_var(&self) -> Option<&'a Var> {
        if let Item::Tree(term) = self.item { term.as_var() } else { None }
    }

    pub(super) fn class(&self) -> Class {
        match &self.item {
            Item::Tree(term) => match &term.kind {
                Kind::Var(_) => Class::Var,
                Kind::Ref(_) | Kind::Call(_) | Kind::Template(_) => Class::Ref,
                Kind::ArrayCompr(_) | Kind::SetCompr(_) | Kind::ObjectCompr(_) => Class::Comprehension,
                Kind::Null => Class::Null,
                Kind::Bool(_) => Class::Bool,
                Kind::Number(_) => Class::Number,
                Kind::String(_) => Class::String,
                Kind::Array(_) => Class::Array,
                Kind::Object(_) => Class::Object,
                Kind::Set(_) => Class::Set,
            },
            Item::Value(value) => match value {
                Value::Null => Class::Null,
                Value::False | Value::True => Class::Bool,
                Value::Int(_) | Value::Number(_) => Class::Number,
                Value::String(_) => Class::String,
                Value::Array(_) => Class::Array,
                Value::Object(_) => Class::Object,
                Value::Set(_) => Class::Set,
            },
        }
    }

    /// How deep it nests, if it has a value.
    pub(super) fn depth(&self) -> u32 {
        self.known().map_or(0, Value::depth)
    }

    /// How large it is; what has no value is small.
    pub(super) fn nodes(&self) -> u32 {
        self.known().map_or(1, Value::nodes)
    }

    fn known(&self) -> Option<&Value> {
        if let Item::Value(value) = &self.item { Some(value) } else { self.value.as_ref() }
    }

    /// The items of an array, the members of a set.
    pub(super) fn items(&self) -> Vec<Self> {
        match &self.item {
            Item::Tree(Term { kind: Kind::Array(items) | Kind::Set(items), .. }) => {
                items.iter().map(|item| Self::tree(item, self.frame)).collect()
            }
            Item::Value(Value::Array(array)) => array.items().iter().cloned().map(Self::value).collect(),
            Item::Value(Value::Set(set)) => set.members().iter().cloned().map(Self::value).collect(),
            _ => Vec::new(),
        }
    }
}

impl<'a> Traced<'a> {
    /// What a variable stands for at last; other terms stand for themselves.
    pub(super) fn apply(&self, mut bound: Bound<'a>) -> Bound<'a> {
        while let Some(next) = bound.as_var().and_then(|name| find(self.frames.get(bound.frame)?, name)) {
            bound = next.clone();
        }
        bound
    }

    /// Binds a variable while something runs.
    pub(super) fn binding<T>(&mut self, var: &Bound<'a>, to: Bound<'a>, run: impl FnOnce(&mut Self) -> T) -> T {
        let Item::Tree(term) = var.item else { return run(self) };
        let Some(name) = term.as_var() else { return run(self) };
        let value = if matches!(to.item, Item::Tree(_)) { self.plug(&to) } else { None };
        let to = Bound { value, ..to };
        if let Some(frame) = self.frames.get_mut(var.frame) {
            frame.push((term, to));
        }
        let result = run(self);
        if let Some(frame) = self.frames.get_mut(var.frame)
            && let Some(at) = frame.iter().position(|(bound, _)| bound.as_var() == Some(name))
        {
            frame.swap_remove(at);
        }
        result
    }

    /// The value of a term all of whose variables are bound; references and comprehensions have none.
    pub(super) fn plug(&self, bound: &Bound<'a>) -> Option<Value> {
        match (&bound.item, &bound.value) {
            (Item::Value(value), _) | (_, Some(value)) => Some(value.clone()),
            (Item::Tree(term), None) => self.plug_tree(term, bound.frame),
        }
    }

    /// The same of a term of a policy.
    pub(super) fn plug_tree(&self, term: &'a Term, frame: usize) -> Option<Value> {
        let each = |items: &'a [Term]| items.iter().map(|item| self.plug_tree(item, frame)).collect::<Option<Vec<_>>>();
        match &term.kind {
            Kind::Null => Some(Value::Null),
            Kind::Bool(value) => Some(Value::from(*value)),
            Kind::Number(text) => Value::number(text),
            Kind::String(text) => Some(Value::string(text)),
            Kind::Var(name) => self.plug(find(self.frames.get(frame)?, name)?),
            Kind::Array(items) => roomy(|| each(items).map(Value::array)),
            Kind::Set(items) => roomy(|| each(items).map(Value::set)),
            Kind::Object(members) => roomy(|| {
                let members =
                    members.iter().map(|(key, value)| Some((self.plug_tree(key, frame)?, self.plug_tree(value, frame)?)));
                members.collect::<Option<Vec<_>>>().map(Value::object)
            }),
            _ => None,
        }
    }

    /// Returns a value that stands for a term with variables: the same for the same pattern, another one for any other.
    pub(super) fn sketch(&self, term: &'a Term, frame: usize) -> Value {
        if let Some(value) = self.plug_tree(term, frame) {
            return value;
        }
        match &term.kind {
            Kind::Array(items) | Kind::Set(items) => {
                let kind = if matches!(term.kind, Kind::Set(_)) { "set" } else { "array" };
                roomy(|| Value::array(items.iter().map(|item| self.sketch(item, frame)).chain([Value::from(kind)])))
            }
            Kind::Object(members) => roomy(|| {
                let pairs = members.iter().flat_map(|(key, value)| [self.sketch(key, frame), self.sketch(value, frame)]);
                Value::array(pairs.chain([Value::from("object")]))
            }),
            Kind::Var(name) => Value::array([Value::from(name.to_string()), Value::from(frame)]),
            _ => Value::from(format!("{:?}", term.span)),
        }
    }
}

pub(super) fn find<'f, 'a>(frame: &'f Frame<'a>, name: &Var) -> Option<&'f Bound<'a>> {
    frame.iter().find(|(bound, _)| bound.as_var() == Some(name)).map(|(_, to)| to)
}

/// Runs what goes into a term.
fn roomy<T>(run: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(64 << 10, 1 << 20, run)
}

/// The frames, and which of them is meant.
pub(super) struct Shown<'f, 'a> {
    pub(super) frames: &'f [Frame<'a>],
    pub(super) frame: usize,
}

impl Locals for Shown<'_, '_> {
    fn locals(&self) -> Vec<Local> {
        let frame = self.frames.get(self.frame).into_iter().flatten();
        let local = |(term, bound): &(&Term, Bound<'_>)| {
            Some(Local { name: term.as_var()?.clone(), span: term.span, value: self.term(bound) })
        };
        frame.filter_map(local).collect()
    }

    fn depth(&self) -> u32 {
        let frame = self.frames.get(self.frame);
        frame.into_iter().flatten().map(|(_, bound)| bound.depth()).max().unwrap_or(0)
    }

    fn nodes(&self) -> u32 {
        let frame = self.frames.get(self.frame);
        frame.into_iter().flatten().fold(0, |sum: u32, (_, bound)| sum.saturating_add(bound.nodes()))
    }
}

impl Shown<'_, '_> {
    /// A term with everything that is bound in it.
    pub(super) fn term(&self, bound: &Bound<'_>) -> Term {
        match &bound.item {
            Item::Value(value) => written(value),
            Item::Tree(term) => self.plugged(term, bound.frame),
        }
    }

    fn plugged(&self, term: &Term, frame: usize) -> Term {
        let each = |items: &[Term]| items.iter().map(|item| self.plugged(item, frame)).collect();
        let kind = match &term.kind {
            Kind::Var(name) => match self.frames.get(frame).and_then(|frame| find(frame, name)) {
                Some(bound) => return self.term(bound),
                None => term.kind.clone(),
            },
            Kind::Array(items) => roomy(|| Kind::Array(each(items))),
            Kind::Set(items) => roomy(|| Kind::Set(each(items))),
            Kind::Ref(parts) => roomy(|| Kind::Ref(each(parts))),
            Kind::Object(members) => roomy(|| {
                Kind::Object(members.iter().map(|(key, value)| (self.plugged(key, frame), self.plugged(value, frame))).collect())
            }),
            other => other.clone(),
        };
        Term::new(term.span, kind)
    }
}

/// A value as a term.
pub(super) fn written(value: &Value) -> Term {
    let each = |items: &[Value]| items.iter().map(written).collect();
    let kind = match value {
        Value::Null => Kind::Null,
        Value::False => Kind::Bool(false),
        Value::True => Kind::Bool(true),
        Value::Int(_) | Value::Number(_) => Kind::Number(value.to_string().into()),
        Value::String(text) => Kind::String(text.to_arc_str()),
        Value::Array(array) => roomy(|| Kind::Array(each(array.items()))),
        Value::Set(set) => roomy(|| Kind::Set(each(set.members()))),
        Value::Object(object) => {
            roomy(|| Kind::Object(object.iter().map(|(key, value)| (written(key), written(value))).collect()))
        }
    };
    Term::new(Span::default(), kind)
}
