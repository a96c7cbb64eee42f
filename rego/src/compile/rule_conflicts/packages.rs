//! Packages that have the path of a rule.

use super::super::Compiler;
use super::super::module_tree::ModuleTree;
use super::super::terms::ground_prefix;
use super::{place, relative};
use crate::error::{Code, Error};
use crate::syntax::print;

/// Each package below a rule of another module.
pub(super) fn conflicts(compiler: &Compiler, errors: &mut Vec<Error>) {
    for (index, module) in compiler.modules.iter().enumerate() {
        for rule in &module.rules {
            let path = &rule.head.reference;
            // What a part that is not known leads to shows only when it is evaluated.
            if ground_prefix(path).len() < path.len() {
                continue;
            }
            let Some(id) = compiler.module_tree.find(ModuleTree::ROOT, path.get(1..).unwrap_or_default()) else { continue };
            let inside = compiler.module_tree.node(id).map(|node| node.modules.as_slice()).unwrap_or_default();
            for other in inside.iter().filter_map(|other| compiler.modules.get(*other)) {
                let package = print::package(&other.package);
                let (name, at) = (relative(compiler, index, rule), place(compiler, rule.span));
                let message = format!("{package} conflicts with rule {name} defined at {at}");
                errors.push(Error::new(Code::Type, module.package.span, message));
            }
        }
    }
}
