//! The order of keys in Go's YAML (`sorter.go`): digits among them count as numbers.

use std::cmp::Ordering;

/// Sorts members by their keys. The order has circles, so that a sort of the library's might give up.
pub(super) fn sort<T>(mut members: Vec<(String, T)>) -> Vec<(String, T)> {
    let half = members.len() / 2;
    if half == 0 {
        return members;
    }
    let mut right = sort(members.split_off(half)).into_iter().peekable();
    let mut left = sort(members).into_iter().peekable();
    let mut sorted = Vec::new();
    while let (Some((a, _)), Some((b, _))) = (left.peek(), right.peek()) {
        let next = if compare(b, a) == Ordering::Less { right.next() } else { left.next() };
        sorted.extend(next);
    }
    sorted.extend(left);
    sorted.extend(right);
    sorted
}

fn compare(a: &str, b: &str) -> Ordering {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let Some(at) = a.iter().zip(&b).position(|(a, b)| a != b) else { return a.len().cmp(&b.len()) };
    let (Some((same, a)), Some((_, b))) = (a.split_at_checked(at), b.split_at_checked(at)) else { return Ordering::Equal };
    let (Some(first_a), Some(first_b)) = (a.first(), b.first()) else { return Ordering::Equal };
    match (first_a.is_alphabetic(), first_b.is_alphabetic()) {
        (true, true) => return first_a.cmp(first_b),
        (false, false) => {}
        (is_letter, _) => {
            let after_digit = same.last().is_some_and(char::is_ascii_digit);
            return if is_letter == after_digit { Ordering::Less } else { Ordering::Greater };
        }
    }
    let zero = *first_a == '0' || *first_b == '0';
    let digits = same.iter().rev().take_while(|c| c.is_ascii_digit());
    let start = i64::from(zero && digits.into_iter().any(|c| *c != '0'));
    let ((a_value, a_digits), (b_value, b_digits)) = (number(a, start), number(b, start));
    a_value.cmp(&b_value).then(a_digits.cmp(&b_digits)).then(first_a.cmp(first_b))
}

/// The number that characters begin with, behind what stands before it; and how many digits it has.
fn number(chars: &[char], start: i64) -> (i64, usize) {
    let digits = chars.iter().map_while(|c| c.to_digit(10)).map(i64::from);
    digits.fold((start, 0), |(value, count), digit| (value.wrapping_mul(10).wrapping_add(digit), count.saturating_add(1)))
}
