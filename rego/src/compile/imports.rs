//! Imports that nobody uses, or that hide each other; afterwards they are gone.

use foldhash::HashMap;

use super::Compiler;
use crate::error::{Code, Error};
use crate::syntax::print;
use crate::syntax::tree::{Import, Kind, Var, Version};

/// The stage `CheckUnusedImports`: in strict mode, what `ResolveRefs` found.
pub(super) fn check_unused_imports(compiler: &mut Compiler) {
    for (module, import) in std::mem::take(&mut compiler.unused_imports) {
        let Some(import) = compiler.modules.get(module).and_then(|module| module.imports.get(import)) else { continue };
        compiler.findings.go_on(Error::new(Code::Compile, import.span, format!("{} unused", print::import(import))));
    }
}

/// The stage `CheckDuplicateImports` (`v1/ast/rego_v1.go`).
pub(super) fn check_duplicate_imports(compiler: &mut Compiler) {
    for module in &compiler.modules {
        if !compiler.options.strict && module.version == Version::V0 {
            continue;
        }
        let mut seen: HashMap<Var, &Import> = HashMap::default();
        for import in &module.imports {
            let Some(name) = name_of(import) else { continue };
            if let Some(first) = seen.get(&name) {
                let message = format!("import must not shadow {}", print::import(first));
                compiler.findings.go_on(Error::new(Code::Compile, import.span, message));
            } else {
                seen.insert(name, import);
            }
        }
    }
}

/// The stage `RemoveImports`.
pub(super) fn remove_imports(compiler: &mut Compiler) {
    compiler.modules.iter_mut().for_each(|module| module.imports.clear());
}

/// The name that an import gives.
pub(super) fn name_of(import: &Import) -> Option<Var> {
    if let Some((alias, _)) = &import.alias {
        return Some(alias.clone());
    }
    match &import.path.kind {
        Kind::Var(name) => Some(name.clone()),
        Kind::Ref(parts) => match &parts.last()?.kind {
            Kind::Var(name) | Kind::String(name) => Some(name.clone()),
            _ => None,
        },
        _ => None,
    }
}
