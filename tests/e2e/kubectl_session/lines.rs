//! Which lines only one of two texts has: a longest common subsequence, first come first.

use std::fmt::Write as _;

/// `-` before lines of `left` alone, `+` before lines of `right` alone, in order; empty for equal texts.
pub(super) fn differing(left: &str, right: &str) -> String {
    let (left, right): (Vec<&str>, Vec<&str>) = (left.split('\n').collect(), right.split('\n').collect());
    let common = common_lengths(&left, &right);
    let (mut i, mut j, mut out) = (0, 0, String::new());
    while i < left.len() || j < right.len() {
        if i < left.len() && j < right.len() && left[i] == right[j] {
            (i, j) = (i + 1, j + 1);
        } else if j == right.len() || i < left.len() && common[i + 1][j] >= common[i][j + 1] {
            let _ = writeln!(out, "-{}", left[i]);
            i += 1;
        } else {
            let _ = writeln!(out, "+{}", right[j]);
            j += 1;
        }
    }
    out
}

/// How many lines `left[i..]` and `right[j..]` have in common, at `[i][j]`.
fn common_lengths(left: &[&str], right: &[&str]) -> Vec<Vec<usize>> {
    let mut common = vec![vec![0; right.len() + 1]; left.len() + 1];
    for i in (0..left.len()).rev() {
        for j in (0..right.len()).rev() {
            common[i][j] = match left[i] == right[j] {
                true => common[i + 1][j + 1] + 1,
                false => common[i + 1][j].max(common[i][j + 1]),
            };
        }
    }
    common
}

#[test]
fn only_differing_lines_are_told() {
    let table = [
        ("", "", ""),
        ("a\nb\n", "a\nb\n", ""),
        ("a\nb\nc\n", "a\nc\n", "-b\n"),
        ("a\nc\n", "a\nb\nc\n", "+b\n"),
        ("a\nx\nc\n", "a\ny\nc\n", "-x\n+y\n"),
        ("a\nb\n", "b\na\n", "-a\n+a\n"),
        // A missing end of the last line is a difference.
        ("a\n", "a", "-\n"),
    ];
    for (left, right, expected) in table {
        assert_eq!(differing(left, right), expected, "{left:?} and {right:?}");
    }
}
