//! Rules and data never share a path: whichever comes second is refused.

use plimsoll_contract::kind::Kind;
use plimsoll_contract::policy::Diagnostic;

use crate::rego::Program;
use crate::state::{State, Tree, WriteError};

/// What is wrong with a policy set beside the data that exists.
pub(super) fn of_policies(program: &Program, state: &State) -> Vec<Diagnostic> {
    let _ = (program, state);
    Vec::new()
}

/// What is wrong with data just written at a path.
pub(super) fn of_write(program: &Program, tree: &Tree, path: &[String]) -> Result<(), WriteError> {
    let _ = (program, tree, path);
    Ok(())
}

/// What is wrong with the sources' kinds beside the policies in force.
pub(super) fn of_state(program: &Program, state: &State) -> Result<(), String> {
    let _ = (program, state);
    Ok(())
}

/// What is wrong with a kind's objects beside the policies in force.
pub(super) fn of_kind(program: &Program, tree: &Tree, row: &Kind) -> Result<(), String> {
    let _ = (program, tree, row);
    Ok(())
}
