//! Keys in the middle of a head that are computed, `p[lower(x)].y`, `p[lower(x)] contains y`: the interpreter takes them for names, and
//! refuses them.

use regorus::unstable::{Expr, RuleHead};

/// Whether a key before the last step of a head is neither a constant, nor a variable, nor a reference. The last step of a set's is its element.
pub(super) fn is_path(head: &RuleHead) -> bool {
    let (RuleHead::Compr { refr, .. } | RuleHead::Func { refr, .. } | RuleHead::Set { refr, .. }) = head;
    let mut rest = match (head, refr.as_ref()) {
        (RuleHead::Set { .. }, all) => all,
        (_, Expr::RefDot { refr, .. } | Expr::RefBrack { refr, .. }) => refr.as_ref(),
        _ => return false,
    };
    while let Expr::RefDot { refr, .. } | Expr::RefBrack { refr, .. } = rest {
        if let Expr::RefBrack { index, .. } = rest
            && is_computed(index)
        {
            return true;
        }
        rest = refr;
    }
    false
}

fn is_computed(key: &Expr) -> bool {
    !matches!(
        key,
        Expr::Var { .. }
            | Expr::RefDot { .. }
            | Expr::RefBrack { .. }
            | Expr::String { .. }
            | Expr::RawString { .. }
            | Expr::Number { .. }
            | Expr::Bool { .. }
            | Expr::Null { .. }
    )
}
