//! Versions. Source: `apiserver` `pkg/cel/library/semverlib.go`, version 1.

mod version;

use cel::common::types::{CelBool, CelInt, CelString, Type};
use cel::{DeclarationError, Env, ExecutionError};

use self::version::{ParseError, Version};
use super::failed;
use super::opaque::{Held, Opaque, kind};

impl Opaque for Version {
    const KIND: &'static Type = &kind("kubernetes.Semver");
}

pub(super) fn register(env: &mut Env) -> Result<(), DeclarationError> {
    cel::add_overload!(env, fn semver: (CelString) -> Result<Held<Version>>)?;
    cel::add_overload!(env, fn semver_normalized: (CelString, CelBool) -> Result<Held<Version>>, name = "semver")?;
    cel::add_overload!(env, fn is_semver: (CelString) -> CelBool)?;
    cel::add_overload!(env, fn is_semver_normalized: (CelString, CelBool) -> CelBool, name = "isSemver")?;
    cel::add_member_overload!(env, fn is_greater_than: (Held<Version>, Held<Version>) -> CelBool)?;
    cel::add_member_overload!(env, fn is_less_than: (Held<Version>, Held<Version>) -> CelBool)?;
    cel::add_member_overload!(env, fn compare_to: (Held<Version>, Held<Version>) -> CelInt)?;
    cel::add_member_overload!(env, fn major: (Held<Version>) -> CelInt)?;
    cel::add_member_overload!(env, fn minor: (Held<Version>) -> CelInt)?;
    cel::add_member_overload!(env, fn patch: (Held<Version>) -> CelInt)
}

fn read(text: &str, normalize: bool) -> Result<Version, ParseError> {
    if normalize { Version::parse(&version::normalized(text)?) } else { Version::parse(text) }
}

fn semver(text: &CelString<'_>) -> Result<Held<Version>, ExecutionError> {
    read(text.inner(), false).map(Held).map_err(|error| failed("semver", error))
}

fn semver_normalized(text: &CelString<'_>, normalize: &CelBool) -> Result<Held<Version>, ExecutionError> {
    read(text.inner(), *normalize.inner()).map(Held).map_err(|error| failed("semver", error))
}

fn is_semver(text: &CelString<'_>) -> CelBool {
    read(text.inner(), false).is_ok().into()
}

fn is_semver_normalized(text: &CelString<'_>, normalize: &CelBool) -> CelBool {
    read(text.inner(), *normalize.inner()).is_ok().into()
}

fn is_greater_than(one: &Held<Version>, other: &Held<Version>) -> CelBool {
    one.0.precedence(&other.0).is_gt().into()
}

fn is_less_than(one: &Held<Version>, other: &Held<Version>) -> CelBool {
    one.0.precedence(&other.0).is_lt().into()
}

fn compare_to(one: &Held<Version>, other: &Held<Version>) -> CelInt {
    CelInt::from(one.0.precedence(&other.0) as i64)
}

fn major(version: &Held<Version>) -> CelInt {
    version.0.number(0).into()
}

fn minor(version: &Held<Version>) -> CelInt {
    version.0.number(1).into()
}

fn patch(version: &Held<Version>) -> CelInt {
    version.0.number(2).into()
}
