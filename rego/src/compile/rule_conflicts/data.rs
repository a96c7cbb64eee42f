//! Rules where there is data (`v1/ast/conflicts.go`).

use arcstr::ArcStr;

use super::super::Compiler;
use super::super::rule_tree::{Key, NodeId, RuleTree};
use crate::error::{Code, Error};

/// Each rule whose path is one of the data, as the options say.
pub(super) fn conflicts(compiler: &Compiler, errors: &mut Vec<Error>) {
    if let Some(exists) = &compiler.options.data_path {
        below(compiler, RuleTree::ROOT, &mut Vec::new(), &**exists, errors);
    }
}

type Exists = dyn Fn(&[ArcStr]) -> bool + Send + Sync;

fn below(compiler: &Compiler, id: NodeId, path: &mut Vec<ArcStr>, exists: &Exists, errors: &mut Vec<Error>) {
    let Some(node) = compiler.rule_tree.node(id) else { return };
    for (key, child) in node.children() {
        let Key::String(name) = key else { continue };
        path.push(name.clone());
        let first = compiler.rule_tree.node(child).and_then(|node| node.rules().first()).and_then(|id| compiler.rule(*id));
        match first {
            Some(rule) if exists(path) => {
                let names: Vec<&str> = path.iter().map(ArcStr::as_str).collect();
                let message = format!("conflicting rule for data path {} found", names.join("/"));
                errors.push(Error::new(Code::Compile, rule.span, message));
            }
            _ => below(compiler, child, path, exists, errors),
        }
        path.pop();
    }
}
