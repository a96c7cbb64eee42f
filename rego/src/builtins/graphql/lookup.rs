//! Nodes by their names: the first of a name counts, as in gqlparser.

use super::ast::{Argument, Directive, EnumValue, Member, Variable};
use crate::limits::{Account, Halt};

/// Names that are compared in a step.
const PER_STEP: usize = 16;

/// What has a name.
pub(super) trait Named {
    fn name(&self) -> &str;
}

macro_rules! named {
    ($($node:ident),*) => {
        $(impl Named for $node<'_> {
            fn name(&self) -> &str {
                self.name
            }
        })*
    };
}

named!(Argument, Directive, EnumValue, Member, Variable);

impl<T: Named> Named for &T {
    fn name(&self) -> &str {
        (**self).name()
    }
}

/// The first node of a name.
pub(super) fn find<'n, T: Named>(account: &mut Account, nodes: &'n [T], name: &str) -> Result<Option<&'n T>, Halt> {
    let place = nodes.iter().position(|node| node.name() == name);
    pay(account, place.unwrap_or(nodes.len()))?;
    Ok(place.and_then(|place| nodes.get(place)))
}

/// Whether a name is among others.
pub(super) fn contains(account: &mut Account, names: &[&str], name: &str) -> Result<bool, Halt> {
    let place = names.iter().position(|other| *other == name);
    pay(account, place.unwrap_or(names.len()))?;
    Ok(place.is_some())
}

fn pay(account: &mut Account, compared: usize) -> Result<(), Halt> {
    account.step(u64::try_from(compared / PER_STEP).unwrap_or(u64::MAX).saturating_add(1))
}

/// Two places of the same name: of all pairs the one whose first place comes first.
pub(super) fn twice<'n>(names: impl Iterator<Item = &'n str>) -> Option<(usize, usize)> {
    let mut places = std::collections::HashMap::new();
    let mut found: Option<(usize, usize)> = None;
    for (second, name) in names.enumerate() {
        let first = *places.entry(name).or_insert(second);
        if first != second && found.is_none_or(|(before, _)| first < before) {
            found = Some((first, second));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pair_whose_first_place_comes_first_is_found() {
        let pair = |names: &[&'static str]| twice(names.iter().copied());
        assert_eq!(pair(&["a", "b", "c"]), None);
        assert_eq!(pair(&["a", "b", "b", "a", "a"]), Some((0, 3)));
        assert_eq!(pair(&["a", "b", "c", "c", "b", "b"]), Some((1, 4)));
    }
}
