//! Sites of one file, as they are found.

use std::ops::Range;

use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Attribute, Block, Expr, Signature};

use super::constants::Constants;
use super::logic::{conditions, constants};
use super::{Form, Site};
use crate::tree::File;

/// What was found so far, and where it is looked for.
pub struct Collector<'f> {
    file: &'f File,
    constants: &'f Constants,
    /// Around what is visited, outermost first.
    functions: Vec<String>,
    /// In the order of the file.
    pub sites: Vec<Site>,
}

impl<'f> Collector<'f> {
    /// Nothing yet.
    pub fn new(file: &'f File, constants: &'f Constants) -> Self {
        Self { file, constants, functions: Vec::new(), sites: Vec::new() }
    }

    /// Bytes of the file.
    pub fn text(&self, range: Range<usize>) -> &str {
        self.file.text.get(range).unwrap_or_default()
    }

    /// The text of a part of the file.
    pub fn of(&self, spanned: &impl Spanned) -> &str {
        self.text(spanned.span().byte_range())
    }

    /// Adds a site, if there is something to change.
    pub fn add(&mut self, kind: &'static str, form: Form, range: Range<usize>, (old, changes): (String, Vec<String>)) {
        if changes.is_empty() {
            return;
        }
        let before = self.text(0..range.start);
        let line = before.matches('\n').count().saturating_add(1);
        let function = self.functions.last().cloned().unwrap_or_default();
        self.sites.push(Site { path: self.file.path.clone(), line, function, kind, range, form, old, changes });
    }

    /// An expression that others may stand for.
    pub fn exchange(&mut self, kind: &'static str, old: &impl Spanned, changes: Vec<String>) {
        let range = old.span().byte_range();
        self.add(kind, Form::Expression, range.clone(), (self.text(range).to_owned(), changes));
    }

    /// The same expression with other text in a part of it.
    pub fn with(&self, whole: &impl Spanned, part: &impl Spanned, text: &str) -> String {
        let (whole, part) = (whole.span().byte_range(), part.span().byte_range());
        format!("{}{text}{}", self.text(whole.start..part.start), self.text(part.end..whole.end))
    }

    /// The parts of a condition, made constant or negated.
    pub fn condition(&mut self, condition: &Expr) {
        for part in conditions(condition) {
            let changes = constants(part, self.of(part));
            self.exchange("condition", part, changes);
        }
    }

    /// A function that returns at once, and what is in it. Constants of the compiler and tests have no switch.
    pub fn function(&mut self, (attributes, signature, body): (&[Attribute], &Signature, &Block), visit: impl FnOnce(&mut Self)) {
        if is_test(attributes) || signature.constness.is_some() {
            return;
        }
        self.functions.push(signature.ident.to_string());
        // `Default::default()` would be the function itself.
        if signature.ident != "default" && !body.stmts.is_empty() {
            let old = self.of(body);
            let constant = |text: &String| format!("{{ {text} }}") != old;
            let changes = self.constants.of_return(&signature.output).into_iter().filter(constant).collect();
            let (old, start) = (self.of(signature).to_owned(), body.span().byte_range().start.saturating_add(1));
            self.add("function", Form::Entry, start..start, (old, changes));
        }
        visit(self);
        self.functions.pop();
    }
}

/// Whether an item is there for tests alone.
pub fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let text = attribute.meta.to_token_stream().to_string();
        text == "test" || text == "cfg (test)"
    })
}
