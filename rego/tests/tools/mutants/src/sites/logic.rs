//! What operators and methods are exchanged for.

use syn::{BinOp, Expr, ExprLit, Lit};

/// Operators that an operator is exchanged for.
pub fn operators(operator: &BinOp) -> &'static [&'static str] {
    match operator {
        BinOp::Eq(_) => &["!="],
        BinOp::Ne(_) => &["=="],
        BinOp::Lt(_) => &["<=", ">="],
        BinOp::Le(_) => &["<", ">"],
        BinOp::Gt(_) => &[">=", "<="],
        BinOp::Ge(_) => &[">", "<"],
        BinOp::And(_) => &["||"],
        BinOp::Or(_) => &["&&"],
        BinOp::Add(_) => &["-"],
        BinOp::Sub(_) => &["+"],
        BinOp::AddAssign(_) => &["-="],
        BinOp::SubAssign(_) => &["+="],
        BinOp::BitAnd(_) => &["|"],
        BinOp::BitOr(_) => &["&"],
        BinOp::BitOrAssign(_) => &["&="],
        BinOp::BitAndAssign(_) => &["|="],
        _ => &[],
    }
}

/// The method that a method is exchanged for.
pub fn method(name: &str) -> Option<&'static str> {
    const PAIRS: [(&str, &str); 11] = [
        ("any", "all"),
        ("is_some", "is_none"),
        ("is_ok", "is_err"),
        ("is_some_and", "is_none_or"),
        ("min", "max"),
        ("min_by_key", "max_by_key"),
        ("first", "last"),
        ("starts_with", "ends_with"),
        ("saturating_add", "saturating_sub"),
        ("wrapping_add", "wrapping_sub"),
        ("checked_add", "checked_sub"),
    ];
    PAIRS.iter().find_map(|(one, other)| match name {
        name if name == *one => Some(*other),
        name if name == *other => Some(*one),
        _ => None,
    })
}

/// Methods whose answer is negated.
pub fn is_question(name: &str) -> bool {
    method(name).is_none() && (name.starts_with("is_") || name.starts_with("has_") || name.starts_with("contains"))
}

/// Whether a condition binds something, at its top.
pub fn binds(condition: &Expr) -> bool {
    match condition {
        Expr::Let(_) => true,
        Expr::Binary(binary) if matches!(binary.op, BinOp::And(_)) => binds(&binary.left) || binds(&binary.right),
        _ => false,
    }
}

/// The parts of a condition that bind nothing: all of it, or what stands between its bindings.
pub fn conditions(condition: &Expr) -> Vec<&Expr> {
    match condition {
        Expr::Let(_) => Vec::new(),
        Expr::Binary(binary) if binds(condition) => {
            let mut found = conditions(&binary.left);
            found.extend(conditions(&binary.right));
            found
        }
        other => vec![other],
    }
}

/// What a condition is exchanged for, besides what its operator is.
pub fn constants(condition: &Expr, text: &str) -> Vec<String> {
    let negated = match condition {
        Expr::Binary(_) | Expr::Unary(_) | Expr::MethodCall(_) => None,
        _ => Some(format!("!({text})")),
    };
    ["true".to_owned(), "false".to_owned()].into_iter().chain(negated).collect()
}

/// One more, and one less.
pub fn neighbours(literal: &ExprLit) -> Vec<String> {
    let Lit::Int(number) = &literal.lit else { return Vec::new() };
    let Ok(value) = number.to_string().parse::<u32>() else { return Vec::new() };
    value.checked_add(1).into_iter().chain(value.checked_sub(1)).map(|other| other.to_string()).collect()
}
