//! Which events of a trace are wanted (opa `v1/topdown/lineage/lineage.go`).

/// OPA's modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Explain {
    /// What policies say with `trace`, and what led there.
    Notes,
    /// Expressions without a solution, and what led there.
    Fails,
    /// Both: what `opa test -v` shows of a test that fails.
    NotesAndFails,
    /// All but what is unified.
    Full,
    /// Everything.
    Debug,
}

impl Explain {
    /// A mode by its name.
    pub fn of(name: &str) -> Option<Self> {
        match name {
            "notes" => Some(Self::Notes),
            "fails" => Some(Self::Fails),
            "full" => Some(Self::Full),
            "debug" => Some(Self::Debug),
            _ => None,
        }
    }
}
