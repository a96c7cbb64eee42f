//! What is written where packages are read as wholes.
//!
//! The interpreter, asked for a package, marks it as evaluated after its first module, and what it then looks up in the others
//! or in packages below is undefined. Of `data[x].deny` it evaluates nothing that was not evaluated before. So where such is
//! read, the rules that it may come to are named first, one by one: `[[1 | data.a.x], [1 | data.a.y], data.a][2]`. What is there
//! in OPA though no rule is defined is filled in by `plimsoll__.whole`: see [`mod@crate::rego::rewrite::wholes`].

use serde_json::json;

use super::super::syntax;
use super::packages::Packages;

/// The member of `data` that tells which packages `with` replaces. No module can have the name.
pub(in crate::rego) const REPLACED: &str = "plimsoll__with";

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
        self.nodes.at(below_data)?;
        let mut inside = self.modules.iter().filter(|package| package.starts_with(below_data)).peekable();
        inside.peek()?;
        let is_whole = match below_data {
            [] => behind.iter().any(Option::is_some),
            _ => inside.any(|package| package.len() > below_data.len()) || self.modules_of(below_data) > 1,
        };
        is_whole.then(|| self.filled(below_data, behind, &[]))
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
        let above: Vec<_> = path.iter().map(|name| Some(name.as_str())).collect();
        let read: Vec<_> = above.into_iter().chain(behind.iter().map(Option::as_deref)).collect();
        let rules = self.rules.iter().filter(|((package, name), value)| {
            let names = package.iter().chain([name]);
            **value && read.iter().zip(names).all(|(read, name)| read.is_none_or(|read| read == name))
        });
        let before: Vec<_> = rules.map(|((package, name), _)| format!("[1 | {}]", written(package, Some(name)))).collect();
        let count = before.len();
        let all = before.into_iter().chain([written(path, None)]).collect::<Vec<_>>().join(", ");
        let document = format!("{{0: plimsoll__w | plimsoll__w := [{all}][{count}]}}");
        format!("plimsoll__.whole({document}, {}, {})", replaced(), self.place(path, behind, hidden))
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

fn written(package: &[String], name: Option<&String>) -> String {
    let path: Vec<_> = std::iter::once("data".to_owned()).chain(package.iter().cloned()).chain(name.cloned()).collect();
    syntax::write(&path)
}
