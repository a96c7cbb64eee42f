//! Lists beyond cel-go's own extension. Source: `apiserver` `pkg/cel/library/lists.go`, and of `first`, `last` and `unwrap`
//! cel-go's `cel/library.go`.

use std::cmp::Ordering;

use cel::common::types::{CelBool, CelInt, CelList, CelOptional, CelString, DYN_TYPE, Kind, LIST_TYPE};
use cel::common::value::{CowVal, Val};
use cel::{DeclarationError, Env, ExecutionError};

use super::failed;

type Given<'b, 'v> = Vec<CowVal<'b, 'v>>;
type Answer<'b, 'v> = Result<CowVal<'b, 'v>, ExecutionError>;

pub(super) fn register(env: &mut Env) -> Result<(), DeclarationError> {
    cel::add_member_overload!(env, fn is_sorted: (CelList) -> Result<CelBool>)?;
    cel::add_member_overload!(env, fn first: (CelList) -> CelOptional)?;
    cel::add_member_overload!(env, fn last: (CelList) -> CelOptional)?;
    cel::add_member_overload!(env, fn unwrap: (CelList) -> CelList, name = "unwrapOpt")?;
    cel::add_overload!(env, fn unwrap: (CelList) -> CelList, name = "optional.unwrap")?;
    env.add_member_overload("sum", "list_sum", LIST_TYPE, vec![], sum)?;
    env.add_member_overload("min", "list_min", LIST_TYPE, vec![], min)?;
    env.add_member_overload("max", "list_max", LIST_TYPE, vec![], max)?;
    env.add_member_overload("indexOf", "list_a_index_of_int", LIST_TYPE, vec![DYN_TYPE], index_of)?;
    env.add_member_overload("lastIndexOf", "list_a_last_index_of_int", LIST_TYPE, vec![DYN_TYPE], last_index_of)
}

/// A list of texts.
pub(super) fn texts(members: impl Iterator<Item = String>) -> CelList<'static> {
    members.map(|text| Box::new(CelString::from(text)) as Box<dyn Val>).collect::<Vec<_>>().into()
}

fn is_sorted(list: &CelList<'_>) -> Result<CelBool, ExecutionError> {
    for pair in list.inner().windows(2) {
        if let [one, next] = pair
            && compare(one.as_ref(), next.as_ref())? == Ordering::Greater
        {
            return Ok(false.into());
        }
    }
    Ok(true.into())
}

fn first<'v>(list: &CelList<'v>) -> CelOptional<'v> {
    list.inner().first().cloned().into()
}

fn last<'v>(list: &CelList<'v>) -> CelOptional<'v> {
    list.inner().last().cloned().into()
}

/// What is there of a list of optionals.
fn unwrap<'v>(list: &CelList<'v>) -> CelList<'v> {
    let optionals = list.inner().iter().filter_map(|member| member.downcast_ref::<CelOptional<'v>>());
    optionals.filter_map(|optional| optional.option().map(Val::clone_as_boxed)).collect::<Vec<_>>().into()
}

/// Nothing adds up to 0, of whatever type numbers are.
fn sum<'b, 'v>(given: Given<'b, 'v>) -> Answer<'b, 'v> {
    let [list] = arguments("sum", &given)?;
    let mut members = members(list)?.iter();
    let Some(first) = members.next() else { return Ok(CowVal::owned(CelInt::from(0))) };
    if ![Kind::Int, Kind::UInt, Kind::Double, Kind::Duration].contains(&first.get_type().kind()) {
        return Err(no_overload("sum"));
    }
    let start: Box<dyn Val + 'v> = first.clone();
    let total = members.try_fold(start, |total, member| {
        let adder = total.as_adder().ok_or_else(|| no_overload("sum"))?;
        adder.add(member.as_ref()).map(CowVal::into_owned)
    })?;
    Ok(CowVal::Owned(total))
}

fn min<'b, 'v>(given: Given<'b, 'v>) -> Answer<'b, 'v> {
    extreme("min", &given, Ordering::Greater)
}

fn max<'b, 'v>(given: Given<'b, 'v>) -> Answer<'b, 'v> {
    extreme("max", &given, Ordering::Less)
}

/// The first member of which no later one is better.
fn extreme<'b, 'v>(function: &str, given: &Given<'b, 'v>, worse: Ordering) -> Answer<'b, 'v> {
    let [list] = arguments(function, given)?;
    let mut members = members(list)?.iter();
    let first = members.next().ok_or_else(|| failed(function, format!("{function} called on empty list")))?;
    let best = members.try_fold(first, |best, member| {
        compare(best.as_ref(), member.as_ref()).map(|order| if order == worse { member } else { best })
    })?;
    Ok(CowVal::Owned(best.clone()))
}

fn index_of<'b, 'v>(given: Given<'b, 'v>) -> Answer<'b, 'v> {
    let [list, member] = arguments("indexOf", &given)?;
    Ok(index(members(list)?.iter().position(|own| own.equals(member))))
}

fn last_index_of<'b, 'v>(given: Given<'b, 'v>) -> Answer<'b, 'v> {
    let [list, member] = arguments("lastIndexOf", &given)?;
    Ok(index(members(list)?.iter().rposition(|own| own.equals(member))))
}

fn index<'b, 'v>(found: Option<usize>) -> CowVal<'b, 'v> {
    CowVal::owned(CelInt::from(found.and_then(|at| i64::try_from(at).ok()).unwrap_or(-1)))
}

fn compare(one: &dyn Val, other: &dyn Val) -> Result<Ordering, ExecutionError> {
    one.as_comparer().ok_or_else(|| no_overload("compare"))?.compare(other).map_err(|_| no_overload("compare"))
}

/// The members of a list.
pub(super) fn members<'b, 'v>(list: &'b (dyn Val + 'v)) -> Result<&'b [Box<dyn Val + 'v>], ExecutionError> {
    list.downcast_ref::<CelList<'v>>().map(CelList::inner).ok_or_else(|| no_overload("list"))
}

/// The arguments of a call, the target first.
fn arguments<'a, 'b, 'v, const N: usize>(
    function: &str,
    given: &'a Given<'b, 'v>,
) -> Result<[&'a (dyn Val + 'v); N], ExecutionError> {
    let values: Vec<&(dyn Val + 'v)> = given.iter().map(AsRef::as_ref).collect();
    values.try_into().map_err(|_| no_overload(function))
}

fn no_overload(function: &str) -> ExecutionError {
    ExecutionError::no_such_overload(function, Vec::new())
}
