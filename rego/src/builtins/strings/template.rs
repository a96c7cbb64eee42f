//! `strings.render_template` (`v1/topdown/template.go`): Go's `text/template`, as far as values of JSON can show it.

mod compare;
mod exec;
mod functions;
mod lex;
mod parse;
mod print;
mod tree;
mod value;

use crate::builtins::encoding::json;
use crate::builtins::error::{Answer, BuiltinError};
use crate::builtins::output::Output;
use crate::builtins::{Context, operand};
use crate::value::Value;
use exec::Execution;
use value::Data;

/// Charged for each byte of a template.
const PARSING: usize = 16;

pub(super) fn render(context: &mut Context, operands: &[&Value]) -> Answer {
    let text = operand::string(operands, 0)?;
    operand::object(operands, 1)?;
    let data = variables(context, operand::at(operands, 1)?)?;
    context.account.charge(text.len().saturating_mul(PARSING))?;
    let templates = parse::parse(text)?;
    let mut execution = Execution::new(&templates, Output::new(&mut context.account), Data::of(data));
    execution.run()?;
    let out = execution.finish();
    Ok(Some(out.replace("<no value>", "<undefined>").into()))
}

/// The variables as OPA hands them over: printed as Rego, and read as JSON, which not everything of Rego is.
fn variables(context: &mut Context, value: &Value) -> Result<Value, BuiltinError> {
    let mut out = Output::new(&mut context.account);
    out.display(value)?;
    let printed = out.finish();
    json::read(context, &printed)
}
