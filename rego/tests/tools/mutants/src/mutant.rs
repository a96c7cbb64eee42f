//! One change of the source, which a switch turns on.

use crate::sites::Site;

/// A change that was drawn.
#[derive(Clone)]
pub struct Mutant {
    /// From 1: what the switch is asked for.
    pub number: u32,
    /// Where.
    pub site: Site,
    /// What stands there instead.
    pub new: String,
}

impl Mutant {
    /// The room, file, function and change, as people read them.
    pub fn shown(&self) -> String {
        let Site { path, line, function, kind, old, .. } = &self.site;
        format!("{path}:{line} in {function}: {kind}\n  - {}\n  + {}", one_line(old), one_line(&self.new))
    }

    /// `compile`, `eval` or `depend`.
    pub fn room(&self) -> &str {
        self.site.path.split(['/', '.']).nth(2).unwrap_or_default()
    }
}

/// Text without its line breaks.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
