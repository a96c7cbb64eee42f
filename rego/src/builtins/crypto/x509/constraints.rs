//! Names that an authority may or may not certify (RFC 5280, 4.2.1.10), as Go reads them.

use std::borrow::Borrow;

use super::certificate::Certificate;
use super::extensions::Names;
use crate::builtins::uri::Url;
use crate::limits::{Account, Halt};

/// Whether all names of the certificates below are allowed; not when that takes too many comparisons.
pub(super) fn allow(account: &mut Account, authority: &Certificate, below: &[&Certificate], most: usize) -> Result<bool, Halt> {
    let (permitted, excluded) = (&authority.extensions.permitted, &authority.extensions.excluded);
    if permitted.is_empty() && excluded.is_empty() {
        return Ok(true);
    }
    let names: usize = below.iter().map(|certificate| count(&certificate.extensions.names)).sum();
    let comparisons = names.saturating_mul(count(permitted).saturating_add(count(excluded)));
    if comparisons > most {
        return Ok(false);
    }
    account.step(u64::try_from(comparisons).unwrap_or(u64::MAX))?;
    Ok(below.iter().all(|certificate| allowed(&certificate.extensions.names, permitted, excluded)))
}

fn count(names: &Names) -> usize {
    names.dns.len() + names.emails.len() + names.addresses.len() + names.uris.len()
}

fn allowed(names: &Names, permitted: &Names, excluded: &Names) -> bool {
    kind(&names.dns, &permitted.dns, &excluded.dns, below)
        && kind(&names.emails, &permitted.emails, &excluded.emails, mailbox)
        && kind(&names.uris, &permitted.uris, &excluded.uris, uri)
        && kind(&names.addresses, &permitted.addresses, &excluded.addresses, address)
}

/// Whether a name meets a constraint that permits, or one that excludes; nothing when the name cannot be read.
type Meets<T> = fn(name: &T, constraint: &T, excludes: bool) -> Option<bool>;

fn kind<O: Borrow<T>, T: ?Sized>(names: &[O], permitted: &[O], excluded: &[O], meets: Meets<T>) -> bool {
    names.iter().all(|name| {
        let is_excluded = excluded.iter().any(|constraint| meets(name.borrow(), constraint.borrow(), true).unwrap_or(true));
        let is_permitted =
            permitted.is_empty() || permitted.iter().any(|c| meets(name.borrow(), c.borrow(), false).unwrap_or(false));
        is_permitted && !is_excluded
    })
}

/// Whether a domain is that of the constraint or below it; a leading dot asks for below.
fn below(name: &str, constraint: &str, excludes: bool) -> Option<bool> {
    if constraint.is_empty() {
        return Some(true);
    }
    let (constraint, strictly) = constraint.strip_prefix('.').map_or((constraint, false), |rest| (rest, true));
    let (name, constraint) = (name.to_ascii_lowercase(), constraint.to_ascii_lowercase());
    let name = name.strip_suffix('.').unwrap_or(&name);
    if name.is_empty() || name.split('.').any(str::is_empty) {
        return None;
    }
    let deeper = name.strip_suffix(constraint.as_str()).is_some_and(|rest| rest.ends_with('.'));
    // A wildcard stands for a name that is excluded one label below its domain.
    let wildcard = name.strip_prefix("*.").filter(|_| excludes);
    let hit = wildcard.is_some_and(|domain| constraint.split_once('.').is_some_and(|(_, parent)| parent == domain));
    Some(deeper || hit || name == constraint && !strictly)
}

fn mailbox(name: &str, constraint: &str, excludes: bool) -> Option<bool> {
    let (local, host) = name.rsplit_once('@')?;
    match constraint.rsplit_once('@') {
        Some((of, at)) => Some(local == of && host.eq_ignore_ascii_case(at)),
        None => below(host, constraint, excludes),
    }
}

fn uri(name: &str, constraint: &str, excludes: bool) -> Option<bool> {
    let url = Url::parse(name).ok()?;
    let host = url.host.rsplit_once(':').map_or(url.host.as_str(), |(host, _)| host);
    if host.is_empty() || host.starts_with('[') || host.parse::<std::net::Ipv4Addr>().is_ok() {
        return None;
    }
    below(host, constraint, excludes)
}

/// A constraint is an address and a mask.
fn address(name: &[u8], constraint: &[u8], _excludes: bool) -> Option<bool> {
    let (address, mask) = constraint.split_at_checked(constraint.len() / 2)?;
    let same = name.iter().zip(address).zip(mask).all(|((a, b), mask)| a & mask == b & mask);
    Some(name.len() == address.len() && same)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_are_compared_by_labels() {
        for (name, constraint, excludes, expected) in [
            ("www.example.com", "example.com", false, Some(true)),
            ("EXAMPLE.com", "example.COM", false, Some(true)),
            ("example.com", ".example.com", false, Some(false)),
            ("a.example.com", ".example.com", false, Some(true)),
            ("badexample.com", "example.com", false, Some(false)),
            ("*.example.com", "www.example.com", false, Some(false)),
            ("*.example.com", "www.example.com", true, Some(true)),
            ("anything", "", false, Some(true)),
            ("a..b", "b", false, None),
        ] {
            assert_eq!(below(name, constraint, excludes), expected, "{name} {constraint}");
        }
    }

    #[test]
    fn names_are_permitted_and_not_excluded() {
        let names = |dns: &[&str], emails: &[&str], addresses: &[&[u8]]| Names {
            dns: dns.iter().map(ToString::to_string).collect(),
            emails: emails.iter().map(ToString::to_string).collect(),
            addresses: addresses.iter().map(|bytes| bytes.to_vec()).collect(),
            uris: Vec::new(),
        };
        let ten = [10, 0, 0, 0, 255, 0, 0, 0];
        for (subject, permitted, excluded, expected) in [
            (names(&["a.x"], &[], &[]), names(&["x"], &[], &[]), Names::default(), true),
            (names(&["a.x", "y"], &[], &[]), names(&["x"], &[], &[]), Names::default(), false),
            (names(&["a.x"], &[], &[]), names(&["x"], &[], &[]), names(&["a.x"], &[], &[]), false),
            (names(&[], &["j@x"], &[]), names(&[], &["j@x"], &[]), Names::default(), true),
            (names(&[], &["k@x"], &[]), names(&[], &["j@x"], &[]), Names::default(), false),
            (names(&[], &[], &[&[10, 1, 2, 3]]), names(&[], &[], &[&ten]), Names::default(), true),
            (names(&[], &[], &[&[11, 1, 2, 3]]), names(&[], &[], &[&ten]), Names::default(), false),
            (names(&["a.x"], &[], &[]), names(&[], &[], &[&ten]), Names::default(), true),
        ] {
            assert_eq!(allowed(&subject, &permitted, &excluded), expected, "{subject:?}");
        }
    }
}
