//! PEM blocks as Go's `encoding/pem` finds them: what is no block is passed over.

use super::base64;

/// One block.
#[derive(Debug)]
pub(in crate::builtins) struct Block {
    pub(in crate::builtins) label: String,
    pub(in crate::builtins) bytes: Vec<u8>,
}

const BEGIN: &str = "-----BEGIN ";
const END: &str = "\n-----END ";
const DASHES: &str = "-----";

/// The first block, and what follows it.
pub(in crate::builtins) fn decode(text: &str) -> Option<(Block, &str)> {
    Search { text }.next(0).map(|(block, rest)| (block, text.get(rest..).unwrap_or_default()))
}

/// All blocks.
pub(in crate::builtins) fn blocks(text: &str) -> Vec<Block> {
    let (mut blocks, mut at) = (Vec::new(), 0);
    while let Some((block, rest)) = (Search { text }).next(at) {
        blocks.push(block);
        at = rest;
    }
    blocks
}

/// Places are those in the text, in bytes.
struct Search<'t> {
    text: &'t str,
}

/// Why a place is no block.
enum Miss {
    /// There may be one behind.
    Here,
    /// There is none behind either.
    All,
}

impl Search<'_> {
    fn from(&self, at: usize) -> &str {
        self.text.get(at..).unwrap_or_default()
    }

    /// The first block from a place on, and where the text goes on behind it.
    fn next(&self, mut from: usize) -> Option<(Block, usize)> {
        loop {
            let end = from.checked_add(self.from(from).find(END)?)?;
            match self.ending(from, end) {
                Ok(found) => return Some(found),
                Err(Miss::Here) => from = end.checked_add(END.len())?,
                Err(Miss::All) => return None,
            }
        }
    }

    /// The block that an end line ends: its first line is the last before that.
    fn ending(&self, from: usize, end: usize) -> Result<(Block, usize), Miss> {
        let before = self.text.get(from..end).unwrap_or_default();
        let begin = before.rfind(BEGIN).ok_or(Miss::Here)?;
        if begin > 0 && !before.get(..begin).is_some_and(|before| before.ends_with('\n')) {
            return Err(Miss::Here);
        }
        let at = from.saturating_add(begin).saturating_add(BEGIN.len());
        let (line, length) = first_line(self.from(at));
        let label = line.strip_suffix(DASHES).ok_or(Miss::Here)?;
        let body = self.body(at.saturating_add(length), end)?;
        let trailer = self.from(end.saturating_add(END.len()));
        let rest = trailer.strip_prefix(label).and_then(|rest| rest.strip_prefix(DASHES)).ok_or(Miss::Here)?;
        let (blank, length) = first_line(rest);
        let data = self.text.get(body..end).unwrap_or_default();
        let data: Vec<u8> = data.bytes().filter(|byte| !matches!(byte, b' ' | b'\t')).collect();
        match base64::decode(&data) {
            Ok(bytes) if blank.is_empty() => {
                let behind = self.text.len().saturating_sub(rest.len()).saturating_add(length);
                Ok((Block { label: label.to_owned(), bytes }, behind))
            }
            _ => Err(Miss::Here),
        }
    }

    /// Where the data begins: behind lines that look like headers.
    fn body(&self, from: usize, end: usize) -> Result<usize, Miss> {
        let mut at = from;
        loop {
            let (line, length) = first_line(self.from(at));
            match line.contains(':') {
                // The end line itself is taken for a header: Go gives up.
                true if at > end => return Err(Miss::All),
                true => at = at.saturating_add(length),
                // No line is left between headers and the end line.
                false if at > end && at > from => return Err(Miss::Here),
                false => return Ok(at),
            }
            if at >= self.text.len() {
                return Err(Miss::All);
            }
        }
    }
}

/// A line without the space at its end, and its length with that and the line end.
fn first_line(text: &str) -> (&str, usize) {
    let (line, length) = text.split_once('\n').map_or((text, text.len()), |(line, _)| (line, line.len().saturating_add(1)));
    (line.strip_suffix('\r').unwrap_or(line).trim_end_matches([' ', '\t']), length)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What Go 1.26 makes of the same texts: labels, and what is left behind the first block.
    #[test]
    fn blocks_are_found_as_go_finds_them() {
        for (text, labels, rest) in [
            ("-----BEGIN A-----\nYQ==\n-----END A-----\n", vec!["A"], Some("")),
            ("-----BEGIN A-----\n-----END A-----\nx", vec!["A"], Some("x")),
            ("-----BEGIN A-----\nYQ==\n-----END B-----\n", vec![], None),
            ("-----BEGIN A-----\n-----BEGIN B-----\nYQ==\n-----END B-----", vec!["B"], Some("")),
            ("x-----BEGIN A-----\nYQ==\n-----END A-----\n", vec![], None),
            ("x\n-----BEGIN A-----  \nk: v\n\nY Q\t=\n=\n-----END A-----\t\n\n", vec!["A"], Some("\n")),
            ("-----BEGIN A-----\nk: v\n-----END A-----\n", vec![], None),
            ("-----BEGIN A-----\n!\n-----END A-----\n-----BEGIN B-----\n\n-----END B-----\n", vec!["B"], Some("")),
            ("-----BEGIN A-----\n-----END A-----x\n", vec![], None),
            ("-----BEGIN A-----\nYQ==-----END A-----\n", vec![], None),
            ("-----BEGIN a:-----\n-----END a:-----\n", vec![], None),
            ("-----BEGIN a:-----\n-----END a:-----\n\n-----BEGIN B-----\n\n-----END B-----\n", vec![], None),
        ] {
            let found: Vec<_> = blocks(text).into_iter().map(|block| block.label).collect();
            assert_eq!(found, labels, "{text:?}");
            assert_eq!(decode(text).map(|(_, rest)| rest), rest, "{text:?}");
        }
    }

    #[test]
    fn many_beginnings_without_an_end_cost_little() {
        let text = "-----BEGIN a:-----\n-----END b:-----\n".repeat(20_000) + "\n";
        assert!(blocks(&text).is_empty());
        assert!(blocks(&"-----BEGIN A-----\n".repeat(50_000)).is_empty());
    }
}
