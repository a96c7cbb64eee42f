//! Text.

mod affix;
mod cut;
mod format;
mod join;
mod letters;
mod places;
mod replace;
mod search;
mod template;
mod trim;

use super::signature::Type;
use super::table::{Builtin, row};

/// One row each, in the order of their names.
pub(super) const ROWS: &[Builtin] = &[
    row("concat", &[Type::String, Type::Or(&[Type::Array(&Type::String), Type::Set(&Type::String)])], Some(Type::String))
        .by(join::concat),
    row("contains", &[Type::String, Type::String], Some(Type::Boolean)).by(search::contains),
    row("endswith", &[Type::String, Type::String], Some(Type::Boolean)).by(search::ends_with),
    row("format_int", &[Type::Number, Type::Number], Some(Type::String)).by(format::format_int),
    row("indexof", &[Type::String, Type::String], Some(Type::Number)).by(search::index_of),
    row("indexof_n", &[Type::String, Type::String], Some(Type::Array(&Type::Number))).by(search::index_of_n),
    row("lower", &[Type::String], Some(Type::String)).by(letters::lower),
    row("replace", &[Type::String, Type::String, Type::String], Some(Type::String)).by(replace::replace),
    row("split", &[Type::String, Type::String], Some(Type::Array(&Type::String))).by(cut::split),
    row("sprintf", &[Type::String, Type::Array(&Type::Any)], Some(Type::String)).by(format::sprintf),
    row("startswith", &[Type::String, Type::String], Some(Type::Boolean)).by(search::starts_with),
    row(
        "strings.any_prefix_match",
        &[
            Type::Or(&[Type::String, Type::Array(&Type::String), Type::Set(&Type::String)]),
            Type::Or(&[Type::String, Type::Array(&Type::String), Type::Set(&Type::String)]),
        ],
        Some(Type::Boolean),
    )
    .by(affix::any_prefix),
    row(
        "strings.any_suffix_match",
        &[
            Type::Or(&[Type::String, Type::Array(&Type::String), Type::Set(&Type::String)]),
            Type::Or(&[Type::String, Type::Array(&Type::String), Type::Set(&Type::String)]),
        ],
        Some(Type::Boolean),
    )
    .by(affix::any_suffix),
    row("strings.count", &[Type::String, Type::String], Some(Type::Number)).by(search::count),
    row("strings.render_template", &[Type::String, Type::Object(&Type::String, &Type::Any)], Some(Type::String))
        .by(template::render),
    row("strings.replace_n", &[Type::Object(&Type::String, &Type::String), Type::String], Some(Type::String))
        .by(replace::replace_n),
    row("strings.reverse", &[Type::String], Some(Type::String)).by(join::reverse),
    row("strings.split_n", &[Type::String, Type::String, Type::Number], Some(Type::Array(&Type::String))).by(cut::split_n),
    row("substring", &[Type::String, Type::Number, Type::Number], Some(Type::String)).by(cut::substring),
    row("trim", &[Type::String, Type::String], Some(Type::String)).by(trim::both),
    row("trim_left", &[Type::String, Type::String], Some(Type::String)).by(trim::left),
    row("trim_prefix", &[Type::String, Type::String], Some(Type::String)).by(trim::prefix),
    row("trim_right", &[Type::String, Type::String], Some(Type::String)).by(trim::right),
    row("trim_space", &[Type::String], Some(Type::String)).by(trim::space),
    row("trim_suffix", &[Type::String, Type::String], Some(Type::String)).by(trim::suffix),
    row("upper", &[Type::String], Some(Type::String)).by(letters::upper),
];
