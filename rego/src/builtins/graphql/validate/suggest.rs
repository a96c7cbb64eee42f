//! Names that may have been meant (`validator/core/helpers.go`).

use std::time::Duration;

use crate::limits::{Account, Halt};

/// The most that are said.
const MOST: usize = 5;

/// ` prefix "a" or "b"?`, of names that are like one; empty where there are none.
pub(super) fn quoted<'n>(
    account: &mut Account,
    prefix: &str,
    name: &str,
    names: impl Iterator<Item = &'n str>,
) -> Result<String, Halt> {
    let similar = similar(account, name, names)?;
    Ok(if similar.is_empty() { String::new() } else { format!("{prefix} {}?", alternatives(&similar)) })
}

/// Those that are like a name, the most like first.
pub(super) fn similar<'n>(account: &mut Account, name: &str, names: impl Iterator<Item = &'n str>) -> Result<Vec<&'n str>, Halt> {
    let most = name.len().saturating_mul(2) / 5 + 1;
    let mut similar = Vec::new();
    for other in names {
        // No change makes up for more than four bytes.
        account.step(1)?;
        if name.len().abs_diff(other.len()) > most.saturating_mul(4) {
            continue;
        }
        let distance = distance(account, name, other)?;
        if distance <= most {
            account.charge(size_of::<(usize, &str)>().saturating_mul(2))?;
            similar.push((distance, other));
        }
    }
    similar.sort_by_key(|(distance, _)| *distance);
    Ok(similar.into_iter().map(|(_, other)| other).collect())
}

/// How many changes make one of the other; another case is a single one.
fn distance(account: &mut Account, a: &str, b: &str) -> Result<usize, Halt> {
    if a == b {
        return Ok(0);
    }
    account.charge(a.len().saturating_add(b.len()))?;
    let (a, b) = (a.to_lowercase(), b.to_lowercase());
    if a == b {
        return Ok(1);
    }
    let work = u64::try_from(a.len().saturating_mul(b.len())).unwrap_or(u64::MAX);
    account.has_time_for(Duration::from_nanos(work))?;
    account.step(work / 64)?;
    Ok(strsim::levenshtein(&a, &b))
}

/// `"a"`, `"a" or "b"`, `"a", "b", or "c"`.
pub(super) fn alternatives(names: &[&str]) -> String {
    let quoted: Vec<_> = names.iter().take(MOST).map(|name| format!("\"{name}\"")).collect();
    match quoted.as_slice() {
        [first, second] => format!("{first} or {second}"),
        [before @ .., last] if !before.is_empty() => format!("{}, or {last}", before.join(", ")),
        other => other.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    #[test]
    fn few_changes_make_names_alike() {
        let mut account = Account::new(Limits::default());
        let names = ["RED", "red", "BLUE", "REDDISH", "RD"];
        assert_eq!(similar(&mut account, "RED", names.into_iter()), Ok(vec!["RED", "red", "RD"]));
        let quoted = quoted(&mut account, " Did you mean", "RED", names.into_iter());
        assert_eq!(quoted, Ok(" Did you mean \"RED\", \"red\", or \"RD\"?".to_owned()));
    }

    #[test]
    fn no_more_than_five_are_said() {
        assert_eq!(alternatives(&["a"]), "\"a\"");
        assert_eq!(alternatives(&["a", "b"]), "\"a\" or \"b\"");
        assert_eq!(alternatives(&["a", "b", "c", "d", "e", "f"]), r#""a", "b", "c", "d", or "e""#);
    }
}
