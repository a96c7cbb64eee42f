//! `input.user in ["admin", input.owner]`: OPA's rule index enters the constant members and none of the computed ones, and
//! passes over the rule for all other values (`updateMemberRefInValue`, `insertMembers` in opa `v1/ast/index.go`). Nobody means
//! that, and to answer so would surprise as much as to answer otherwise: such statements are refused.

use super::names::{DATA, INPUT, VarSet};
use super::report::Report;
use super::rule::{Rule, Unit};
use super::term::{Body, EQUAL, Expr, ExprKind, Kind, MEMBER, Operator, Term, UNIFY};
use super::tree::Tree;
use super::walk::{self, ALL};

const MESSAGE: &str = "OPA takes no notice of the computed members of this collection beside others: give it a name before \
                       (`members := [...]`), or write rules for both";

/// Reports such statements; of rules whose calls were taken apart.
pub(super) fn check(units: &[Unit], tree: &Tree<'_>, report: &mut Report<'_>) {
    for rule in units.iter().flat_map(|unit| &unit.rules).flat_map(Rule::chain) {
        let mut known = VarSet::new();
        rule.args.iter().for_each(|arg| walk::add_term(arg, ALL, &mut known));
        let mut looked_up = LookedUp { tree, given: known.clone(), known };
        looked_up.follow(&rule.body);
        for expr in &rule.body {
            if let Some((item, collection)) = membership(expr)
                && looked_up.is(item)
                && is_entered_in_part(collection)
            {
                report.error(rule.module, expr.at, "rego_compile_error", MESSAGE.to_owned());
            }
        }
    }
}

/// The operands of `in`, if nothing takes its result and the index looks at the statement.
fn membership(expr: &Expr) -> Option<(&Term, &Term)> {
    let ExprKind::Call(call) = &expr.kind else { return None };
    let is_member = match &call.operator {
        Operator::Infix(name) => *name == MEMBER,
        Operator::Path(path) => is_member_by_name(path),
    };
    match call.operands.as_slice() {
        [item, collection] if is_member && !expr.negated && expr.with.is_empty() => Some((item, collection)),
        _ => None,
    }
}

fn is_member_by_name(path: &[Term]) -> bool {
    let names = path.iter().skip(1).map(|part| match &part.kind {
        Kind::Scalar(name) => name.as_string().ok().map(AsRef::as_ref),
        _ => None,
    });
    names.eq([Some("member_2")])
}

/// Whether some members are constants and others are not, or one is what the index takes for a constant, though it is computed.
fn is_entered_in_part(collection: &Term) -> bool {
    let members: Vec<&Term> = match &collection.kind {
        Kind::Array(items) | Kind::Set(items) => items.iter().collect(),
        Kind::Object(fields) => fields.iter().map(|(_, value)| value).collect(),
        _ => return false,
    };
    let computed = members.iter().filter(|member| matches!(member.kind, Kind::Var(_) | Kind::Ref(_) | Kind::Call(_))).count();
    let taken = |member: &&Term| match &member.kind {
        Kind::Comprehension(_) => true,
        Kind::Set(_) => !member.is_constant(),
        _ => false,
    };
    members.len() > 1 && (computed > 0 && computed < members.len() || members.iter().any(taken))
}

/// What the index looks up: references into the input and base data, arguments, and variables that stand for them.
struct LookedUp<'t> {
    tree: &'t Tree<'t>,
    /// Arguments of the function: what is inside of them is not looked up.
    given: VarSet,
    known: VarSet,
}

impl LookedUp<'_> {
    /// Adds the variables that equations make so, through one another.
    fn follow(&mut self, body: &Body) {
        loop {
            let before = self.known.len();
            for (a, b) in body.iter().filter(|expr| !expr.negated).filter_map(equation) {
                for (var, other) in [(a, b), (b, a)] {
                    if let Some(var) = var.as_var().filter(|_| self.is(other) || other.is_scalar()) {
                        self.known.insert(var);
                    }
                }
            }
            if self.known.len() == before {
                return;
            }
        }
    }

    fn is(&self, term: &Term) -> bool {
        match &term.kind {
            Kind::Var(var) => self.known.contains(var),
            Kind::Ref(path) => self.is_path(path),
            _ => false,
        }
    }

    fn is_path(&self, path: &[Term]) -> bool {
        let Some((root, steps)) = path.split_first() else { return false };
        let constant = |step: &Term| step.is_constant() || step.as_var().is_some_and(|var| self.known.contains(&var));
        let rooted = match root.as_var() {
            Some(INPUT) => true,
            Some(DATA) => self.tree.read_by(path).is_empty(),
            Some(var) => self.known.contains(&var) && !self.given.contains(&var),
            None => false,
        };
        rooted && steps.iter().all(constant)
    }
}

fn equation(expr: &Expr) -> Option<(&Term, &Term)> {
    expr.infix(UNIFY).or_else(|| expr.infix(EQUAL))
}

#[cfg(test)]
mod tests {
    use crate::rego::{Module, Program, RegoVersion};

    #[test]
    fn collections_that_opa_enters_in_part_are_refused() {
        let table = [
            ("r if input.u in [\"admin\", input.a]", true),
            ("r if input.u in {\"admin\", input.a}", true),
            ("r if input.u in {\"x\": \"admin\", \"y\": input.a}", true),
            ("r if { x := input.u; x in [lower(input.a), \"admin\"] }", true),
            ("r if { o := input.o; o.u in [\"admin\", input.a] }", true),
            ("r if { k := \"u\"; input[k] in [\"admin\", input.a] }", true),
            ("r if { some x in [\"a\", input.a]; x == input.u; x in [\"admin\", input.a] }", true),
            ("r if data.base.u in [\"admin\", input.a]", true),
            ("r := 1 if false else := 2 if input.u in [\"admin\", input.a]", true),
            ("r if input.u in [[x | x := 1], 2]", true),
            ("f(u, v) if u in [\"admin\", v]", true),
            ("f(c) if c.u in [\"admin\", input.a]", false),
            ("r if { some c in input.list; c.u in [\"admin\", input.a] }", false),
            ("r if { some i; input.list[i] in [\"admin\", input.a] }", false),
            ("r if u in [\"admin\", input.a]\nu := input.u", false),
            ("r if lower(input.u) in [\"admin\", input.a]", false),
            ("r if not input.u in [\"admin\", input.a]", false),
            ("r if { m := [\"admin\", input.a]; input.u in m }", false),
            ("r if input.u in [input.b, input.a]", false),
            ("r if input.u in [\"admin\", \"x\"]", false),
            ("r if input.u in [[input.b], [\"x\"]]", false),
            ("r := input.u in [\"admin\", input.a]", false),
            ("r if count([1 | input.u in [\"admin\", input.a]]) == 1", false),
            ("r if { input.u in [\"admin\", input.a] with input.z as 1 }", false),
        ];
        for (rule, refused) in table {
            let module = Module { key: "m.rego".into(), text: format!("package m\n\n{rule}\n") };
            let errors = Program::compile(&[module], RegoVersion::V1).err().unwrap_or_default();
            let told = errors.iter().any(|error| error.message.contains("takes no notice of the computed members"));
            assert_eq!((told, errors.is_empty()), (refused, !refused), "{rule}: {errors:?}");
        }
    }
}
