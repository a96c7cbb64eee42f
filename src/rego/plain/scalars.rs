//! Constants in heads that are no strings: `ports[80].allowed := true if …`. For OPA they are names like others: the objects above the last
//! one are there whatever holds, `{"80": {}}`, unless a head with a variable fills them (opa `v1/ast/compile.go`, `TreeNode`). The interpreter
//! makes them only with what is in them, or before it knows.
//!
//! So a rule that is never true, but makes them, is added: `ports[80][k] := 1 if { k := [][_] }`; and beside variables, what comes first behind
//! the constants is written as what has to be evaluated: `ports[[80][0]].allowed`.

use std::collections::BTreeSet;

use regorus::Value;
use regorus::unstable::{Expr, Module as Tree, Rule, RuleHead};

use super::super::parse::ParsedModule;
use super::super::splice::Splices;
use super::super::syntax;

/// Names and other constants, below `data`.
type Path = Vec<Value>;

/// What the heads of a set have of variables.
#[derive(Debug, Default)]
pub(super) struct Scalars {
    /// The objects that heads with variables fill.
    filled: BTreeSet<Path>,
}

/// The head of a rule that is no function.
struct Head<'t> {
    /// The constants it begins with, behind those of the package.
    constants: Path,
    /// Where they stand, and what follows; without the name of the rule.
    keys: Vec<&'t Expr>,
    package: usize,
    /// All names, constants and variables.
    length: usize,
    set: bool,
}

impl Scalars {
    pub(super) fn of(modules: &[ParsedModule]) -> Self {
        let heads = modules.iter().flat_map(|module| heads(&module.ast));
        Self { filled: heads.filter(|head| head.constants.len() < head.length).map(|head| head.constants).collect() }
    }

    /// How many of the constants of a head have objects of their own, or sets.
    fn levels(&self, head: &Head<'_>) -> usize {
        let most = head.constants.len().min(head.length.saturating_sub(usize::from(!head.set)));
        self.above(head).map_or(most, |filled| most.min(filled))
    }

    /// The length of the outermost object in which a head has a constant though others have variables there.
    fn above(&self, head: &Head<'_>) -> Option<usize> {
        (1..head.constants.len()).find(|length| head.constants.get(..*length).is_some_and(|above| self.filled.contains(above)))
    }

    /// Rules to add behind a module, with the variable `name`.
    pub(super) fn missing(&self, tree: &Tree, name: &str) -> BTreeSet<String> {
        let condition = if tree.rego_v1 { "if " } else { "" };
        let rule = |head: Head<'_>| {
            let levels = self.levels(&head);
            let constants = head.constants.get(head.package..levels).filter(|constants| constants.iter().any(is_other))?;
            let place = write(constants);
            Some(match levels == head.length {
                true => format!("\n{place} contains {name} if {{ {name} := [][_] }}\n"),
                false => format!("\n{place}[{name}] := 1 {condition}{{ {name} := [][_] }}\n"),
            })
        };
        heads(tree).filter_map(rule).collect()
    }

    /// Writes constants beside variables as what has to be evaluated.
    pub(super) fn heads(&self, text: &str, tree: &Tree, splices: &mut Splices) {
        for head in heads(tree) {
            let Some(at) = self.above(&head) else { continue };
            let named = head.constants.get(..=at).is_none_or(|constants| !constants.iter().any(is_other));
            let last = at.saturating_add(1) == head.length && !head.set;
            // Strings beside variables that are below strings alone are written by [`mod@super::specifics`].
            let key = at.checked_sub(head.package).and_then(|at| at.checked_sub(1)).and_then(|at| head.keys.get(at));
            if let Some(key) = key.filter(|_| !named && !last) {
                evaluated(text, key, splices);
            }
        }
    }
}

/// Writes the last key of a reference so.
fn evaluated(text: &str, key: &Expr, splices: &mut Splices) {
    match key {
        Expr::RefBrack { index, .. } => {
            let range = syntax::range(index, text);
            splices.insert(range.start, range.start, "[".into());
            splices.insert(range.end, range.end, "][0]".into());
        }
        Expr::RefDot { refr, field, .. } => {
            let (start, end) = (syntax::closed(syntax::end(refr, text), text), syntax::closed(field.0.end, text));
            splices.insert(start, end, format!("[[{}][0]]", serde_json::Value::from(field.0.text())));
        }
        _ => {}
    }
}

fn heads(tree: &Tree) -> impl Iterator<Item = Head<'_>> {
    let package: Path = syntax::package(tree).into_iter().map(Value::from).collect();
    tree.policy.iter().filter_map(move |rule| head(&package, rule))
}

fn head<'t>(package: &[Value], rule: &'t Rule) -> Option<Head<'t>> {
    let Rule::Spec { head: RuleHead::Compr { refr, .. } | RuleHead::Set { refr, .. }, .. } = rule else { return None };
    let set = matches!(rule, Rule::Spec { head: RuleHead::Set { .. }, .. });
    let (mut keys, mut rest): (Vec<&Expr>, &Expr) = (Vec::new(), refr);
    while let Expr::RefDot { refr, .. } | Expr::RefBrack { refr, .. } = rest {
        keys.push(rest);
        rest = refr;
    }
    keys.reverse();
    if matches!(rule, Rule::Spec { head: RuleHead::Set { key: None, .. }, .. }) {
        // The last name is the element.
        keys.pop();
    }
    let Expr::Var { span, .. } = rest else { return None };
    let constants = keys.iter().map_while(|key| constant(key));
    let constants = package.iter().cloned().chain([Value::from(span.text())]).chain(constants).collect();
    let length = package.len().saturating_add(1).saturating_add(keys.len());
    Some(Head { constants, keys, package: package.len(), length, set })
}

/// The last key of a reference, if it is constant.
fn constant(key: &Expr) -> Option<Value> {
    match key {
        Expr::RefDot { field, .. } => Some(Value::from(field.0.text())),
        Expr::RefBrack { index, .. } => match index.as_ref() {
            Expr::Number { value, .. } | Expr::Bool { value, .. } => Some(value.clone()),
            Expr::Null { .. } => Some(Value::Null),
            index => syntax::constant_name(index).map(Value::from),
        },
        _ => None,
    }
}

/// Whether a constant is no string.
fn is_other(constant: &Value) -> bool {
    !matches!(constant, Value::String(_))
}

fn write(constants: &[Value]) -> String {
    let mut text = String::new();
    for constant in constants {
        match constant {
            Value::String(name) if text.is_empty() => text.push_str(name),
            other => text.push_str(&format!("[{other}]")),
        }
    }
    text
}
