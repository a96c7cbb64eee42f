//! GraphQL (`v1/topdown/graphql.go`, on gqlparser v2.5.58).
//!
//! Lexer, parser and rules are our own. What a policy sees is gqlparser's tree, field by field, with the comments that it hangs on
//! some nodes and loses on others; trees may come back as objects, and are checked then; and an answer is what gqlparser's rules
//! find, in their order, with their words. The parsers that Rust has (apollo-parser, graphql-parser) have other trees, other errors
//! and no such comments, and apollo-compiler's validation is another one: each of them would have to be translated into this tree,
//! which is more than reading it, and checked by the rules below all the same.

mod ast;
mod decode;
mod document;
mod error;
mod lexer;
mod lookup;
mod parser;
mod schema;
mod validate;

use std::borrow::Cow;

use super::error::Answer;
use super::signature::Type;
use super::table::{Builtin, row};
use super::{BuiltinError, Context, bytes, operand};
use crate::value::Value;
use ast::{QueryDocument, SchemaDocument, Trees};
use error::{Stop, converted, located};
use schema::Schema;

const OBJECT: Type = Type::Object(&Type::Any, &Type::Any);
const DOCUMENT: Type = Type::Or(&[Type::String, OBJECT]);

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("graphql.is_valid", &[DOCUMENT, DOCUMENT], Some(Type::Boolean)).by(is_valid),
    row("graphql.parse", &[DOCUMENT, DOCUMENT], Some(Type::Tuple(&[OBJECT, OBJECT]))).by(parse),
    row("graphql.parse_and_verify", &[DOCUMENT, DOCUMENT], Some(Type::Tuple(&[Type::Boolean, OBJECT, OBJECT])))
        .by(parse_and_verify),
    row("graphql.parse_query", &[Type::String], Some(OBJECT)).by(parse_query),
    row("graphql.parse_schema", &[Type::String], Some(OBJECT)).by(parse_schema),
    row("graphql.schema_is_valid", &[DOCUMENT], Some(Type::Boolean)).by(schema_is_valid),
];

/// A document as it is given: a text without bytes that are no UTF-8, or an object as JSON has it.
enum Source<'o> {
    Text(Cow<'o, str>),
    Object(Value),
}

impl<'o> Source<'o> {
    fn new(context: &mut Context, operands: &[&'o Value], index: usize) -> Result<Self, BuiltinError> {
        match operand::at(operands, index)? {
            Value::String(text) => Ok(Self::Text(readable(context, text)?)),
            object @ Value::Object(_) => Ok(Self::Object(decode::plain(context, object)?)),
            other => Err(wrong(index, other)),
        }
    }

    fn query<'a>(&'a self, context: &mut Context, trees: &'a Trees<'a>) -> Result<QueryDocument<'a>, BuiltinError> {
        let account = &mut context.account;
        match self {
            Self::Text(text) => parser::query(trees, account, text).map_err(|stop| stop.worded(located)),
            Self::Object(object) => decode::query(trees, account, object).map_err(decode::Fault::error),
        }
    }

    fn schema<'a>(&'a self, context: &mut Context, trees: &'a Trees<'a>) -> Result<SchemaDocument<'a>, BuiltinError> {
        let account = &mut context.account;
        match self {
            Self::Text(text) => parser::schema(trees, account, text).map_err(|stop| stop.worded(located)),
            Self::Object(object) => decode::schema(trees, account, object).map_err(decode::Fault::error),
        }
    }
}

/// A text in which each byte that is no UTF-8 is U+FFFD, as Go reads it.
fn readable<'o>(context: &mut Context, text: &'o str) -> Result<Cow<'o, str>, BuiltinError> {
    context.account.charge(text.len())?;
    if !text.chars().any(|c| bytes::byte(c).is_some()) {
        return Ok(Cow::Borrowed(text));
    }
    let plain = |c| if bytes::byte(c).is_some() { char::REPLACEMENT_CHARACTER } else { c };
    Ok(Cow::Owned(text.chars().map(plain).collect()))
}

/// OPA counts these operands from zero.
fn wrong(index: usize, got: &Value) -> BuiltinError {
    BuiltinError::operand(format!("operand {index} must be one of {{string, object}} but got {}", got.type_name()))
}

/// Documents that are wanted as values.
struct Verified {
    query: Value,
    schema: Value,
}

/// Reads a query and a schema, and checks one against the other; values are made only where they are wanted.
fn verified(context: &mut Context, operands: &[&Value], wanted: bool) -> Result<Option<Verified>, BuiltinError> {
    let (query, schema) = (Source::new(context, operands, 0)?, Source::new(context, operands, 1));
    let trees = Trees::default();
    let query = query.query(context, &trees)?;
    let schema = schema?;
    let document = schema.schema(context, &trees)?;
    let checked = converted_schema(context, &document)?;
    let findings = validate::validate(&mut context.account, &checked, &query)?;
    if !findings.is_empty() {
        let mut all = super::output::Output::new(&mut context.account);
        for finding in findings {
            all.display(&finding)?;
            all.push("\n")?;
        }
        return Err(BuiltinError::failed(located(&all.finish())));
    }
    if !wanted {
        return Ok(None);
    }
    let query = document::query(&mut context.account, &query)?;
    let schema = document::schema(&mut context.account, &document)?;
    Ok(Some(Verified { query, schema }))
}

fn converted_schema<'a>(context: &mut Context, document: &SchemaDocument<'a>) -> Result<Schema<'a>, BuiltinError> {
    Schema::new(&mut context.account, document).map_err(|stop: Stop| stop.worded(converted))
}

/// Both trees, of a query that fits a schema.
fn parse(context: &mut Context, operands: &[&Value]) -> Answer {
    let verified = verified(context, operands, true)?;
    Ok(verified.map(|Verified { query, schema }| Value::array([query, schema])))
}

/// The same, and whether it fits: two empty objects where it does not.
fn parse_and_verify(context: &mut Context, operands: &[&Value]) -> Answer {
    let verified = fallible(verified(context, operands, true))?.flatten();
    let fits = verified.is_some();
    let empty = || Verified { query: Value::object([]), schema: Value::object([]) };
    let Verified { query, schema } = verified.unwrap_or_else(empty);
    Ok(Some(Value::array([fits.into(), query, schema])))
}

/// Whether a query fits a schema.
fn is_valid(context: &mut Context, operands: &[&Value]) -> Answer {
    Ok(Some(fallible(verified(context, operands, false))?.is_some().into()))
}

/// A query's tree.
fn parse_query(context: &mut Context, operands: &[&Value]) -> Answer {
    let source = Source::Text(readable(context, operand::string(operands, 0)?)?);
    let trees = Trees::default();
    let document = source.query(context, &trees)?;
    Ok(Some(document::query(&mut context.account, &document)?))
}

/// A schema's tree, whether it is valid or not.
fn parse_schema(context: &mut Context, operands: &[&Value]) -> Answer {
    let source = Source::Text(readable(context, operand::string(operands, 0)?)?);
    let trees = Trees::default();
    let document = source.schema(context, &trees)?;
    Ok(Some(document::schema(&mut context.account, &document)?))
}

/// Whether a schema is one.
fn schema_is_valid(context: &mut Context, operands: &[&Value]) -> Answer {
    Ok(Some(fallible(checked_schema(context, operands))?.is_some().into()))
}

fn checked_schema(context: &mut Context, operands: &[&Value]) -> Result<(), BuiltinError> {
    let source = Source::new(context, operands, 0)?;
    let trees = Trees::default();
    let document = source.schema(context, &trees)?;
    converted_schema(context, &document).map(|_| ())
}

/// Nothing for what failed; the evaluation's end stays one.
fn fallible<T>(result: Result<T, BuiltinError>) -> Result<Option<T>, BuiltinError> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(halt) if halt.is_halt() => Err(halt),
        Err(_) => Ok(None),
    }
}
