//! How strictly policies are checked.

/// What more than the language asks for is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strictness {
    /// What OPA refuses.
    #[default]
    Plain,
    /// Unused imports, variables and arguments too, and in Rego v0 what only v1 refuses (`opa check --strict`).
    Strict,
}
