//! The messages of the built-in kinds.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

const TEXT: &str = include_str!("../../../schemas/protobuf.json");

static TABLE: LazyLock<Result<Table, serde_json::Error>> = LazyLock::new(|| serde_json::from_str::<Wire>(TEXT).map(Table::from));

/// Every message that a body may hold.
#[derive(Debug)]
pub(super) struct Table {
    kinds: HashMap<String, String>,
    messages: HashMap<String, Message>,
}

/// The fields of one message.
#[derive(Debug)]
pub(super) struct Message(Vec<Field>);

/// One field.
#[derive(Debug)]
pub(super) struct Field {
    number: u32,
    /// In JSON.
    pub(super) name: String,
    pub(super) form: Form,
    /// One letter for a scalar, otherwise the name of a message.
    pub(super) kind: String,
}

/// How often a field is there, and where its JSON goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    One,
    Many,
    Map,
    Inline,
}

#[derive(Deserialize)]
struct Wire {
    kinds: HashMap<String, String>,
    messages: HashMap<String, Vec<(u32, String, String)>>,
}

/// The embedded table.
pub(super) fn get() -> Result<&'static Table, &'static serde_json::Error> {
    TABLE.as_ref()
}

impl Table {
    /// By `apiVersion kind`.
    pub(super) fn kind(&self, name: &str) -> Option<&Message> {
        self.message(self.kinds.get(name)?)
    }

    pub(super) fn message(&self, name: &str) -> Option<&Message> {
        self.messages.get(name)
    }
}

#[cfg(test)]
impl Table {
    /// Whether every message that is referred to is there.
    pub(super) fn is_complete(&self) -> bool {
        let fields = self.messages.values().flat_map(|message| &message.0);
        let mut referred = fields.map(|field| &field.kind).filter(|kind| kind.len() > 1);
        self.kinds.values().all(|name| self.messages.contains_key(name)) && referred.all(|kind| self.messages.contains_key(kind))
    }
}

impl Message {
    pub(super) fn field(&self, number: u32) -> Option<&Field> {
        self.0.iter().find(|field| field.number == number)
    }
}

impl From<Wire> for Table {
    fn from(wire: Wire) -> Self {
        let messages = wire.messages.into_iter().map(|(name, fields)| (name, Message(fields.into_iter().map(field).collect())));
        Self { kinds: wire.kinds, messages: messages.collect() }
    }
}

fn field((number, name, kind): (u32, String, String)) -> Field {
    let forms = [('*', Form::Many), ('%', Form::Map), ('~', Form::Inline)];
    let marked = forms.into_iter().find_map(|(mark, form)| Some((form, kind.strip_prefix(mark)?.to_owned())));
    let (form, kind) = marked.unwrap_or((Form::One, kind));
    Field { number, name, form, kind }
}
