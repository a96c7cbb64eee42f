//! Lists as sets. Source: cel-go, `ext/sets.go`.

use cel::common::types::{CelBool, CelList};
use cel::{DeclarationError, Env};

pub(super) fn register(env: &mut Env) -> Result<(), DeclarationError> {
    cel::add_overload!(env, fn contains: (CelList, CelList) -> CelBool, name = "sets.contains")?;
    cel::add_overload!(env, fn equivalent: (CelList, CelList) -> CelBool, name = "sets.equivalent")?;
    cel::add_overload!(env, fn intersects: (CelList, CelList) -> CelBool, name = "sets.intersects")
}

/// Whether the second list has nothing that the first has not.
fn contains(list: &CelList<'_>, part: &CelList<'_>) -> CelBool {
    has_all(list, part).into()
}

fn equivalent(one: &CelList<'_>, other: &CelList<'_>) -> CelBool {
    (has_all(one, other) && has_all(other, one)).into()
}

fn intersects(one: &CelList<'_>, other: &CelList<'_>) -> CelBool {
    one.inner().iter().any(|member| other.inner().iter().any(|own| own.equals(member.as_ref()))).into()
}

fn has_all(list: &CelList<'_>, part: &CelList<'_>) -> bool {
    part.inner().iter().all(|member| list.inner().iter().any(|own| own.equals(member.as_ref())))
}
