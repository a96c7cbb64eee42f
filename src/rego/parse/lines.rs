//! From byte offsets to rows, columns and source lines.

/// The longest line that errors show: what is longer was written for no reader, and each error has a copy.
const SHOWN: usize = 4096;

/// Where the lines of a text begin.
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    pub(crate) fn new(text: &str) -> Self {
        Self { starts: std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect() }
    }

    /// Row and column in characters, both from 1, of a byte offset into the same text.
    pub(crate) fn position(&self, text: &str, offset: usize) -> (u32, u32) {
        let offset = offset.min(text.len());
        let row = self.starts.partition_point(|start| *start <= offset);
        let start = row.checked_sub(1).and_then(|at| self.starts.get(at)).copied().unwrap_or(0);
        let col = text.get(start..offset).map_or(0, |before| before.chars().count());
        (u32::try_from(row).unwrap_or(u32::MAX), u32::try_from(col + 1).unwrap_or(u32::MAX))
    }

    /// The text of a row, without its end of line; empty when there is no such row.
    pub(crate) fn line<'t>(&self, text: &'t str, row: u32) -> &'t str {
        let start = usize::try_from(row).ok().and_then(|row| row.checked_sub(1)).and_then(|at| self.starts.get(at));
        let line = start.and_then(|start| text.get(*start..)).and_then(|rest| rest.split('\n').next()).unwrap_or_default();
        line.strip_suffix('\r').unwrap_or(line)
    }

    /// What an error shows of a row: nothing of a very long one.
    pub(crate) fn shown<'t>(&self, text: &'t str, row: u32) -> &'t str {
        Some(self.line(text, row)).filter(|line| line.len() <= SHOWN).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let text = "ab\n\té!x\r\nz";
        let lines = Lines::new(text);
        for (offset, expected) in [(0, (1, 1)), (3, (2, 1)), (4, (2, 2)), (6, (2, 3)), (7, (2, 4)), (10, (3, 1)), (99, (3, 2))] {
            assert_eq!(lines.position(text, offset), expected, "offset {offset}");
        }
        assert_eq!(lines.line(text, 2), "\té!x");
        assert_eq!(lines.line(text, 9), "");
    }
}
