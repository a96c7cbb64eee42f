//! Text is read as a module of each version: a tree, or errors in the text.

use plimsoll_rego::syntax::parse::{self, Options};
use plimsoll_rego::syntax::source::{Source, Sources};
use plimsoll_rego::syntax::tree::Version;

/// One input.
pub(crate) fn run(input: &[u8]) {
    let Ok(text) = str::from_utf8(input) else { return };
    let source = Source::new("fuzz.rego", text);
    let id = Sources::default().next();
    for version in [Version::V0, Version::V0CompatV1, Version::V1, Version::V2] {
        let parsed = || parse::parse_module(&source, id, &Options::of(version));
        let (once, twice) = (parsed(), parsed());
        match (once, twice) {
            (Ok(_), Ok(_)) => {}
            (Err(once), Err(twice)) => {
                assert!(once.iter().next().is_some(), "refused without a reason");
                for error in once.iter() {
                    let at = error.span();
                    assert!(at.start <= at.end && at.end as usize <= text.len() + 1, "{error} at {at:?}");
                    assert!(source.position(at.start).row > 0 && !error.message().is_empty());
                }
                assert_eq!(once, twice);
            }
            _ => panic!("one text, two answers"),
        }
    }
}
