//! Variables that are bound nowhere, and the order in which a body binds them.

pub(super) mod output_vars;

use std::collections::HashMap;

use super::Compiler;
use crate::error::Error;
use crate::syntax::tree::{Body, Var};

/// The stage `CheckSafetyRuleHeads`.
pub(super) fn check_safety_rule_heads(_: &mut Compiler) {}

/// The stage `CheckSafetyRuleBodies`.
pub(super) fn check_safety_rule_bodies(_: &mut Compiler) {}

/// The same for a query; `rewritten` holds the query's own variables.
pub(super) fn of_query(_: &Compiler, _rewritten: &HashMap<Var, Var>, body: Body) -> Result<Body, Vec<Error>> {
    Ok(body)
}
