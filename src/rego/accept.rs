//! How strictly policies are checked.

/// The checks that are made beyond what the language asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strictness {
    /// What OPA refuses.
    #[default]
    Plain,
    /// Unused imports, variables and arguments too, and in Rego v0 what only v1 refuses (`opa check --strict`).
    Strict,
}
