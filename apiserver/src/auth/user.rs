//! A caller, as authentication found it.

/// A caller. Groups hold `system:authenticated` or `system:unauthenticated` already.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// Such as `admin` or `system:serviceaccount:ns:name`.
    pub name: String,
    /// May be empty.
    pub uid: String,
    /// Sorted, each once.
    pub groups: Vec<String>,
}

impl User {
    /// Members of `system:masters` may do everything and are never throttled.
    pub fn is_master(&self) -> bool {
        self.groups.iter().any(|group| group == "system:masters")
    }
}
