//! Beginnings and ends of texts (opa `internal/prefixtrie`).

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::NodeNumber;
use crate::value::ArcStr;

/// Texts that others may begin with, or end with: all that do are found in time linear in the text.
///
/// They are sorted. Each knows the longest other one that it begins with; all that a text begins with are among the last one before
/// it in the order, and those that this one begins with.
#[derive(Debug, Default)]
pub struct Affixes {
    at_end: bool,
    affixes: Vec<Affix>,
}

#[derive(Debug)]
struct Affix {
    text: ArcStr,
    node: NodeNumber,
    shorter: Option<usize>,
}

impl Affixes {
    /// These beginnings.
    pub fn prefixes(texts: BTreeMap<ArcStr, NodeNumber>) -> Self {
        Self::of(texts.into_iter().collect(), false)
    }

    /// These ends.
    pub fn suffixes(texts: BTreeMap<ArcStr, NodeNumber>) -> Self {
        let mut texts: Vec<_> = texts.into_iter().collect();
        texts.sort_by(|(a, _), (b, _)| compare(a, b, true));
        Self::of(texts, true)
    }

    fn of(texts: Vec<(ArcStr, NodeNumber)>, at_end: bool) -> Self {
        let mut affixes: Vec<Affix> = Vec::with_capacity(texts.len());
        for (text, node) in texts {
            let mut shorter = affixes.len().checked_sub(1);
            while let Some(affix) = shorter.and_then(|at| affixes.get(at)) {
                if begins(&text, &affix.text, at_end) {
                    break;
                }
                shorter = affix.shorter;
            }
            affixes.push(Affix { text, node, shorter });
        }
        Self { at_end, affixes }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.affixes.is_empty()
    }

    /// Calls back with the node of each that a text begins or ends with.
    pub fn find(&self, text: &str, mut found: impl FnMut(NodeNumber)) {
        let behind = self.affixes.partition_point(|affix| compare(&affix.text, text, self.at_end).is_le());
        let Some(last) = behind.checked_sub(1) else { return };
        let common = self.affixes.get(last).map_or(0, |affix| common(&affix.text, text, self.at_end));
        let mut next = Some(last);
        while let Some(affix) = next.and_then(|at| self.affixes.get(at)) {
            if affix.text.len() <= common {
                found(affix.node);
            }
            next = affix.shorter;
        }
    }
}

fn begins(text: &str, affix: &str, at_end: bool) -> bool {
    if at_end { text.ends_with(affix) } else { text.starts_with(affix) }
}

fn compare(a: &str, b: &str, at_end: bool) -> Ordering {
    if at_end { a.bytes().rev().cmp(b.bytes().rev()) } else { a.cmp(b) }
}

/// How many bytes two texts have in common.
fn common(a: &str, b: &str, at_end: bool) -> usize {
    if at_end {
        a.bytes().rev().zip(b.bytes().rev()).take_while(|(a, b)| a == b).count()
    } else {
        a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count()
    }
}

#[cfg(test)]
mod tests {
    use super::Affixes;

    fn found(affixes: &Affixes, text: &str) -> Vec<usize> {
        let mut nodes = Vec::new();
        affixes.find(text, |node| nodes.push(node));
        nodes.sort_unstable();
        nodes
    }

    #[test]
    fn all_beginnings_and_ends_are_found() {
        let texts = ["", "a", "ab", "abc", "abd", "b", "ba", "é", "xé"];
        let numbered = || texts.iter().enumerate().map(|(number, text)| ((*text).into(), number)).collect();
        let (prefixes, suffixes) = (Affixes::prefixes(numbered()), Affixes::suffixes(numbered()));
        for text in ["", "a", "abcd", "abda", "ac", "bab", "cba", "xé", "é", "ê", "zzz", "abc"] {
            let wanted = |holds: &dyn Fn(&str) -> bool| -> Vec<usize> {
                texts.iter().enumerate().filter(|(_, affix)| holds(affix)).map(|(number, _)| number).collect()
            };
            assert_eq!(found(&prefixes, text), wanted(&|affix| text.starts_with(affix)), "{text}");
            assert_eq!(found(&suffixes, text), wanted(&|affix| text.ends_with(affix)), "{text}");
        }
        assert_eq!(found(&Affixes::default(), "a"), Vec::<usize>::new());
    }
}
