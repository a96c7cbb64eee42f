//! Modules of functions that several modules of a package define: the definitions move there, from where the modules as they
//! run have blanks then. Rows lead back.

use std::collections::BTreeMap;

use regorus::unstable::{Module as Tree, Ref, Rule};

use super::super::parse::{ParsedModule, Version};
use super::super::rewrite::OWN;
use super::super::syntax;
use super::shared::{Functions, Group};
use super::{Reader, Source};

/// Functions of one package.
#[derive(Debug)]
pub(super) struct Gathered {
    pub(super) key: String,
    pub(super) group: Group,
    pub(super) text: String,
    /// In the order of the text.
    moved: Vec<Moved>,
    rows: u32,
}

/// A definition that was moved.
#[derive(Debug)]
struct Moved {
    /// Its first row here.
    first: u32,
    /// Its module, and its row there.
    module: usize,
    row: u32,
}

/// A rule in the text of its module.
struct Place {
    module: usize,
    start: usize,
    end: usize,
    row: u32,
}

/// Moves what has to move out of the modules.
pub(super) fn gather(parsed: &[ParsedModule], sources: &mut [Source]) -> Result<Vec<Gathered>, anyhow::Error> {
    let functions = Functions::of(parsed);
    let shared = functions.shared();
    let mut gathered: BTreeMap<Group, Gathered> = BTreeMap::new();
    for (number, (module, source)) in parsed.iter().zip(sources.iter_mut()).enumerate() {
        let group = Group::of(module);
        let moves =
            |rule: &Rule| !is_default(rule) && syntax::function(&group.package, rule).is_some_and(|name| shared.contains(&name));
        if module.ast.policy.iter().any(|rule| moves(rule)) {
            let tree = Reader { module, read: None }.tree(&source.sizes.text)?;
            let here = gathered.entry(group.clone()).or_insert_with(|| Gathered::new(&group));
            for (rule, place) in tree.policy.iter().zip(places(number, &tree, source.sizes.text.len())) {
                if moves(rule) {
                    here.take(&mut source.sizes.text, place);
                }
            }
        }
    }
    for (name, arguments, group) in functions.only_default() {
        gathered.entry(group.clone()).or_insert_with(|| Gathered::new(&group)).stub(name, arguments);
    }
    let mut gathered: Vec<_> = gathered.into_values().collect();
    for (number, gathered) in gathered.iter_mut().enumerate() {
        gathered.key = key(parsed, number);
    }
    Ok(gathered)
}

fn is_default(rule: &Rule) -> bool {
    matches!(rule, Rule::Default { .. })
}

/// A key that no module has.
fn key(parsed: &[ParsedModule], number: usize) -> String {
    let mut key = format!("functions of several modules {number}");
    while parsed.iter().any(|module| module.key.starts_with(&key)) {
        key.push('_');
    }
    key
}

/// Where rules are: each goes on to the next one.
fn places(module: usize, tree: &Tree, length: usize) -> Vec<Place> {
    let start = |rule: &Rule| usize::try_from(rule.span().start).unwrap_or(usize::MAX);
    let ends = tree.policy.iter().skip(1).map(|rule| start(rule)).chain([length]);
    let place = |(rule, end): (&Ref<Rule>, usize)| Place { module, start: start(rule), end, row: rule.span().line };
    tree.policy.iter().zip(ends).map(place).collect()
}

impl Gathered {
    fn new(group: &Group) -> Self {
        let mut new = Self { key: String::new(), group: group.clone(), text: String::new(), moved: Vec::new(), rows: 0 };
        new.push(&format!("package {}", syntax::write(&group.package)));
        group.keywords.iter().for_each(|import| new.push(&format!("import {import}")));
        new
    }

    /// Adds whole lines.
    fn push(&mut self, text: &str) {
        self.text.extend([text, "\n"]);
        let rows = u32::try_from(text.matches('\n').count()).unwrap_or(u32::MAX);
        self.rows = self.rows.saturating_add(rows).saturating_add(1);
    }

    /// Takes a rule out of the text of its module; columns stay.
    fn take(&mut self, text: &mut String, Place { module, start, end, row }: Place) {
        let Some(rule) = text.get(start..end) else { return };
        let line = text.get(..start).and_then(|before| before.rsplit('\n').next()).unwrap_or_default();
        let (moved, blank) = (format!("{}{}", blank(line), rule.trim_end()), blank(rule));
        self.moved.push(Moved { first: self.rows.saturating_add(1), module, row });
        self.push(&moved);
        text.replace_range(start..end, &blank);
    }

    /// Adds a definition that is never true: to the interpreter, what has only a default cannot be replaced.
    fn stub(&mut self, name: &[String], arguments: usize) {
        let names: Vec<_> = (0..arguments).map(|number| format!("{OWN}{number}")).collect();
        let name = syntax::write(name.get(self.group.package.len()..).unwrap_or_default());
        let condition = if self.group.version == Version::V1 { "if " } else { "" };
        self.push(&format!("{name}({}) = 0 {condition}{{ false }}", names.join(", ")));
    }

    /// The module that has a row, and its row there.
    pub(super) fn original(&self, row: u32) -> Option<(usize, u32)> {
        let behind = self.moved.partition_point(|moved| moved.first <= row);
        let moved = self.moved.get(behind.checked_sub(1)?)?;
        Some((moved.module, moved.row.saturating_add(row.saturating_sub(moved.first))))
    }
}

/// As wide, and of as many lines, for whoever counts columns.
fn blank(text: &str) -> String {
    let mut blank = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => blank.push(c),
            other => blank.extend(std::iter::repeat_n(' ', other.len_utf8())),
        }
    }
    blank
}
