//! What is written where packages are read as wholes.
//!
//! The interpreter, asked for a package, marks it as evaluated after its first module, and what it then looks up in the others
//! or in packages below is undefined. Of `data[x].deny` it evaluates nothing that was not evaluated before. So where such is
//! read, the rules that it may come to are named first, one by one: `[[1 | data.a.x], [1 | data.a.y], data][2].a`. All of `data`, in
//! a rule, is what was evaluated so far: asked for `data.a`, the interpreter would evaluate all rules there, the one that asks among
//! them. What is there in OPA though no rule is defined is filled in by `plimsoll__.whole`: see [`mod@crate::rego::rewrite::wholes`].

use serde_json::json;

use super::super::syntax;
use super::packages::Packages;

/// The member of `data` that tells which packages `with` replaces. No module can have the name.
pub(in crate::rego) const REPLACED: &str = "plimsoll__with";

/// How what is written begins.
pub(in crate::rego) const WHOLE: &str = "plimsoll__.whole(";

/// What `with` replaces at the moment, as an object with that member.
pub(in crate::rego) fn replaced() -> String {
    format!("{{0: plimsoll__w | plimsoll__w := data.{REPLACED}}}")
}

impl Packages {
    /// What to write for the document at a path that begins with `data`, if not the path itself. `behind` are the names behind
    /// it, if there are any, none for what is computed. `by_member` is what no document is made of: `some … in` goes through it.
    pub(in crate::rego) fn whole(&self, path: &[String], behind: &[Option<String>], by_member: bool) -> Option<String> {
        let below_data = path.strip_prefix(&["data".to_owned()])?;
        if behind.is_empty() && !by_member && self.is_replaced_inside(below_data) {
            return Some(self.filled(below_data, behind, &[]));
        }
        let Some(nodes) = self.nodes.at(below_data) else {
            return self.is_beside_heads(below_data).then(|| self.base(below_data));
        };
        // What heads of several names make is there, when no rule is defined.
        let is_object = || behind.is_empty() && !by_member && !self.modules.iter().any(|package| package == below_data);
        let is_whole = match below_data {
            [] => behind.iter().any(Option::is_some),
            _ => self.is_spread(below_data) || is_object() || nodes.has_inner(),
        };
        is_whole.then(|| self.filled(below_data, behind, &[]))
    }

    /// Whether a path leads out of what heads of several names make, to what no rule is: the interpreter would evaluate all of them.
    fn is_beside_heads(&self, path: &[String]) -> bool {
        let leads_out = |at: usize| {
            let (above, behind) = path.split_at(at);
            let nodes = self.nodes.at(above).filter(|_| !self.modules.iter().any(|package| package.starts_with(above)));
            nodes.zip(behind.first()).is_some_and(|(nodes, name)| !nodes.has(name))
        };
        (1..path.len()).any(leads_out)
    }

    /// What to write for base data, inside a rule.
    fn base(&self, path: &[String]) -> String {
        let whole = syntax::write(&rooted(path));
        let inside = whole.strip_prefix("data").unwrap_or_default();
        let document = format!("{{0: plimsoll__w | plimsoll__w := [data][0]{inside}}}");
        format!("{WHOLE}{document}, {}, {})", replaced(), self.place(path, &[], &[]))
    }

    /// Whether a package has several modules, or others below it.
    fn is_spread(&self, path: &[String]) -> bool {
        self.modules.iter().any(|package| package.len() > path.len() && package.starts_with(path)) || self.modules_of(path) > 1
    }

    /// What to ask the interpreter for, to get the document at a path below `data`, if not the path itself.
    pub(in crate::rego) fn asked(&self, path: &[String]) -> Option<String> {
        let is_whole = !path.is_empty() && (self.is_replaced_inside(path) || self.is_spread(path));
        // No rule asks, and without one `data` would be all rules.
        is_whole.then(|| self.laid(path, &[], &[], &syntax::write(&rooted(path))))
    }

    /// Whether a `with` of the set names something inside a document that is no rule's: what it replaces is laid over base data.
    fn is_replaced_inside(&self, path: &[String]) -> bool {
        let inside = |target: &Vec<String>| target.len() > path.len() && target.starts_with(path);
        let is_rule = |at: usize| matches!(path.split_at(at), (package, [name, ..]) if self.rules.contains_key(&(package.to_vec(), name.clone())));
        !path.is_empty() && self.targets.iter().any(inside) && !(0..path.len()).any(is_rule)
    }

    /// How many modules a package has.
    fn modules_of(&self, path: &[String]) -> usize {
        self.modules.iter().filter(|package| *package == path).count()
    }

    /// What to write for `data` with these names behind, inside a rule: without these members.
    pub(in crate::rego) fn all(&self, behind: &[Option<String>], hidden: &[&str]) -> String {
        self.filled(&[], behind, hidden)
    }

    fn filled(&self, path: &[String], behind: &[Option<String>], hidden: &[&str]) -> String {
        self.laid(path, behind, hidden, "data")
    }

    /// The same; `last` is what is read when all rules are named: the document, or `data`.
    fn laid(&self, path: &[String], behind: &[Option<String>], hidden: &[&str], last: &str) -> String {
        let above: Vec<_> = path.iter().map(|name| Some(name.as_str())).collect();
        let read: Vec<_> = above.into_iter().chain(behind.iter().map(Option::as_deref)).collect();
        let rules = self.rules.iter().filter(|((package, name), value)| {
            let names = package.iter().chain([name]);
            **value && read.iter().zip(names).all(|(read, name)| read.is_none_or(|read| read == name))
        });
        let rules = rules.map(|((package, name), _)| [package, std::slice::from_ref(name)].concat());
        // Inside of what heads of several names make, only those that begin so.
        let named = rules.map(|rule| if path.starts_with(&rule) { path.to_vec() } else { rule });
        let before: Vec<_> = named.map(|rule| format!("[1 | {}]", syntax::write(&rooted(&rule)))).collect();
        let count = before.len();
        let all = before.into_iter().chain([last.to_owned()]).collect::<Vec<_>>().join(", ");
        let whole = syntax::write(&rooted(path));
        let inside = whole.strip_prefix(last).unwrap_or_default();
        let document = format!("{{0: plimsoll__w | plimsoll__w := [{all}][{count}]{inside}}}");
        format!("{WHOLE}{document}, {}, {})", replaced(), self.place(path, behind, hidden))
    }

    /// A package, and what is below it, for the functions that are called with it.
    fn place(&self, path: &[String], behind: &[Option<String>], hidden: &[&str]) -> String {
        let nodes = self.nodes.at(path).map(|nodes| nodes.written(behind)).unwrap_or_default();
        json!({ "at": path, "behind": behind, "nodes": nodes, "hidden": hidden }).to_string()
    }

    /// The same, of a path that rules lie below.
    pub(in crate::rego) fn above_rules(&self, path: &[String]) -> Option<String> {
        self.nodes.at(path).map(|_| self.place(path, &[], &[]))
    }
}

fn rooted(path: &[String]) -> Vec<String> {
    std::iter::once("data".to_owned()).chain(path.iter().cloned()).collect()
}
