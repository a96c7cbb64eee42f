//! Long names of files, with dots for what they have in common (opa `internal/strings/strings.go`, `TruncateFilePaths`).

use foldhash::HashMap;
use std::sync::Arc;

use arcstr::ArcStr;

use super::recorded::Recorded;

/// A place should take no more room than this.
const WIDEST: usize = 64;
const DOTS: &str = "...";

/// What each file is called, if anything is cut.
pub(super) fn names(events: &[Arc<Recorded>]) -> HashMap<ArcStr, String> {
    let mut files: Vec<ArcStr> = Vec::new();
    let mut widest = 0;
    for place in events.iter().filter_map(|event| event.place.as_ref()) {
        let name = if place.file.is_empty() { "query" } else { place.file.as_str() };
        widest = widest.max(name.len().saturating_add(1).saturating_add(place.row.to_string().len()));
        if !place.file.is_empty() && !files.contains(&place.file) {
            files.push(place.file.clone());
        }
    }
    if files.is_empty() || widest <= WIDEST { HashMap::default() } else { shortened(&files, widest) }
}

fn shortened(files: &[ArcStr], widest: usize) -> HashMap<ArcStr, String> {
    let middles: Vec<&str> = files.iter().map(|file| middle(file)).collect();
    let mut common = common(&middles);
    // No more is cut than has to be, and that on the left.
    let spare = WIDEST.saturating_sub(widest.saturating_sub(common.len()).saturating_add(DOTS.len()));
    common = if spare > common.len() { "" } else { common.get(..common.len().saturating_sub(spare)).unwrap_or_default() };
    if common.len() <= DOTS.len() {
        return HashMap::default();
    }
    files.iter().map(|file| (file.clone(), file.replacen(common, DOTS, 1))).collect()
}

/// The folder of a file without the first part of its path (`getPathFromFirstSeparator`).
fn middle(file: &str) -> &str {
    let folder = file.rsplit_once('/').map_or(".", |(folder, _)| folder);
    let folder = folder.strip_prefix('/').unwrap_or(folder);
    match folder.find('/') {
        Some(at) if at > 0 => folder.get(at.saturating_add(1)..).unwrap_or_default(),
        _ => folder,
    }
}

/// The longest text that is in all of these; of several, the first in the order of their bytes.
fn common<'t>(texts: &[&'t str]) -> &'t str {
    let Some((first, others)) = texts.split_first() else { return "" };
    if others.is_empty() {
        return first;
    }
    let mut best = "";
    for start in 0..first.len() {
        // What is in all of them goes on being so when it is cut.
        let longest = (start..=first.len())
            .filter_map(|end| first.get(start..end))
            .take_while(|text| others.iter().all(|other| other.contains(text)));
        if let Some(text) = longest.last()
            && (text.len() > best.len() || (text.len() == best.len() && text < best))
        {
            best = text;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::{common, middle};

    #[test]
    fn what_paths_have_in_common_is_found() {
        assert_eq!(common(&["abcdef", "xxbcdexx", "bcdbcde"]), "bcde");
        assert_eq!(common(&["ab-cd", "cd-ab"]), "ab");
        assert_eq!(common(&["a", "b"]), "");
        for (file, wanted) in [("/a/b/c/d.rego", "b/c"), ("a/b.rego", "a"), ("b.rego", "."), ("/a/b.rego", "a")] {
            assert_eq!(middle(file), wanted, "{file}");
        }
    }
}
