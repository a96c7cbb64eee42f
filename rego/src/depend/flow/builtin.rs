//! Builtins: what they look at of their operands. All of it, if nothing else is said here.

mod filter;
mod object;

use super::Flow;
use crate::builtins::{Builtin, Dependence, Type, find};
use crate::depend::mark::Mark;
use crate::depend::path::Part;
use crate::depend::shape::ShapeId;
use crate::value::Value;

/// Returns whether a builtin takes operands of all types. All others may end with an error where builtin errors are strict.
fn never_fails(builtin: &Builtin) -> bool {
    builtin.comparison.is_some()
        || matches!(builtin.name, "eq" | "internal.member_2" | "internal.member_3" | "type_name")
        || (builtin.name.starts_with("is_") && find(builtin.name).is_some())
}

impl Flow<'_> {
    pub(super) fn builtin(&mut self, builtin: &Builtin, operands: &[ShapeId]) -> ShapeId {
        self.mark = self.mark.or(Mark::of(builtin.dependence));
        self.may_fail |= !never_fails(builtin);
        // Of those that the table does not have, only the operands' number is known.
        if builtin.dependence != Dependence::Pure || find(builtin.name).is_none() {
            return self.opaque(builtin, operands);
        }
        match (builtin.name, operands) {
            ("eq" | "equal", [a, b]) => self.equal(*a, *b),
            ("neq", [a, b]) => self.not_equal(*a, *b),
            ("lt" | "lte" | "gt" | "gte", [a, b]) => {
                self.order(*a, *b);
                ShapeId::SCALAR
            }
            ("internal.member_2", [member, of]) => self.member_of(*member, *of),
            ("internal.member_3", [key, member, of]) => self.member_at(*key, *member, *of),
            ("count", [of]) => {
                self.look(*of, Part::Keys);
                ShapeId::SCALAR
            }
            ("type_name", [of]) => self.type_of(*of),
            (name, [of]) if name.starts_with("is_") => self.type_of(*of),
            ("array.concat", [a, b]) => self.concatenated(&[*a, *b], &[]),
            ("array.reverse", [of]) => self.concatenated(&[*of], &[]),
            ("array.slice", [of, start, end]) => self.concatenated(&[*of], &[*start, *end]),
            _ => self.object_builtin(builtin, operands),
        }
    }

    /// Looks at everything.
    fn opaque(&mut self, builtin: &Builtin, operands: &[ShapeId]) -> ShapeId {
        operands.iter().for_each(|operand| self.whole(*operand));
        match builtin.result {
            Some(Type::String | Type::Number | Type::Boolean | Type::Null) => ShapeId::SCALAR,
            _ => ShapeId::COMPUTED,
        }
    }

    fn equal(&mut self, a: ShapeId, b: ShapeId) -> ShapeId {
        if self.compare(a, b) { ShapeId::SCALAR } else { self.shapes.constant(&Value::False) }
    }

    fn not_equal(&mut self, a: ShapeId, b: ShapeId) -> ShapeId {
        self.compare(a, b);
        match (self.known(a), self.known(b)) {
            (Some(a), Some(b)) => self.shapes.constant(&Value::from(a != b)),
            _ => ShapeId::SCALAR,
        }
    }

    fn type_of(&mut self, of: ShapeId) -> ShapeId {
        self.kind(of);
        ShapeId::SCALAR
    }

    /// `x in xs`: each member is compared.
    fn member_of(&mut self, member: ShapeId, of: ShapeId) -> ShapeId {
        self.look(of, Part::Keys);
        let each = self.below(of, None);
        self.compared(member, each)
    }

    /// `k, x in xs`: one member is.
    fn member_at(&mut self, key: ShapeId, member: ShapeId, of: ShapeId) -> ShapeId {
        self.whole(key);
        self.kind(of);
        let part = self.at(of, key);
        self.compared(member, part)
    }

    fn compared(&mut self, member: ShapeId, part: ShapeId) -> ShapeId {
        self.kind(part);
        if part == ShapeId::NEVER {
            self.whole(member)
        } else {
            let _ = self.compare(member, part);
        }
        ShapeId::SCALAR
    }

    /// An array of what is in some arrays.
    fn concatenated(&mut self, arrays: &[ShapeId], bounds: &[ShapeId]) -> ShapeId {
        bounds.iter().for_each(|bound| self.whole(*bound));
        let mut each = ShapeId::NEVER;
        for array in arrays {
            self.look(*array, Part::Keys);
            let item = self.below(*array, None);
            each = self.shapes.join(each, item);
        }
        self.shapes.collection(ShapeId::SCALAR, each)
    }
}
