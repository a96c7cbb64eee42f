//! What is evaluated.

use std::error::Error;
use std::hint::black_box;
use std::sync::Arc;

use plimsoll_rego::limits::Limits;
use plimsoll_rego::program::{Bound, Program, Request, Text};
use plimsoll_rego::value::{Value, json};

/// Whatever goes wrong ends the benchmark.
pub(crate) type Outcome<T> = Result<T, Box<dyn Error>>;

/// How deep documents may nest.
const DEPTH: u32 = 128;

/// Policies with data and an input.
pub(crate) struct Case {
    /// Shown in the table.
    pub(crate) name: String,
    /// File names and texts.
    pub(crate) texts: Vec<(String, String)>,
    /// Whether what depends on data alone is computed when data is bound.
    pub(crate) prepared: bool,
    /// The document that is asked for: `data.a.b`.
    pub(crate) path: String,
    /// JSON.
    pub(crate) data: String,
    /// JSON.
    pub(crate) input: String,
}

/// A case that is compiled, bound and read.
pub(crate) struct Ready {
    bound: Bound,
    path: Vec<Value>,
    input: Value,
}

impl Case {
    /// Compiles.
    pub(crate) fn ready(&self) -> Outcome<Ready> {
        let (data, input) = self.values()?;
        let path = self.path.split('.').skip(1).map(Value::from).collect();
        let bound = self.program()?.bind(data);
        let bound = if self.prepared { bound.prepared(Limits::default()) } else { bound };
        Ok(Ready { bound, path, input })
    }

    fn program(&self) -> Outcome<Arc<Program>> {
        let texts: Vec<_> =
            self.texts.iter().map(|(name, text)| Text { name: name.clone(), text: text.clone(), version: None }).collect();
        let program = Program::compile(&texts, &Default::default()).map_err(|refused| format!("{:?}", refused.errors))?;
        Ok(Arc::new(program))
    }

    /// Data and input.
    pub(crate) fn values(&self) -> Outcome<(Value, Value)> {
        Ok((json::read(self.data.as_bytes(), DEPTH)?, json::read(self.input.as_bytes(), DEPTH)?))
    }

    /// A document that needs neither data nor input.
    pub(crate) fn constant(&self, path: &[&str]) -> Outcome<Value> {
        let path: Vec<_> = path.iter().copied().map(Value::from).collect();
        let nothing = self.program()?.bind(Value::object([]));
        nothing.document(&path, &Request::default())?.ok_or_else(|| "undefined".into())
    }
}

impl Ready {
    /// The document.
    pub(crate) fn answer(&self) -> Outcome<Value> {
        let request = Request { input: Some(&self.input), ..Request::default() };
        self.bound.document(&self.path, &request)?.ok_or_else(|| "undefined".into())
    }

    /// One evaluation.
    pub(crate) fn evaluate(&self) -> Outcome<()> {
        black_box(self.answer()?);
        Ok(())
    }
}
