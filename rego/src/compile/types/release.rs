//! Types are given back without recursion: they nest as deep as terms do.

use std::sync::Arc;

use super::lattice::{Array, Dynamic, Function, Object, Of, Type, Union};

/// Gives back types, and what only they hold.
fn release(mut rest: Vec<Type>) {
    while let Some(mut one) = rest.pop() {
        match &mut one {
            Type::Array(shared) => Arc::get_mut(shared).into_iter().for_each(|array| array.empty(&mut rest)),
            Type::Object(shared) => Arc::get_mut(shared).into_iter().for_each(|object| object.empty(&mut rest)),
            Type::Set(shared) => Arc::get_mut(shared).into_iter().for_each(|of| rest.extend(of.0.take())),
            Type::Any(shared) => Arc::get_mut(shared).into_iter().for_each(|union| rest.append(&mut union.0)),
            Type::Function(shared) => Arc::get_mut(shared).into_iter().for_each(|function| function.empty(&mut rest)),
            _ => {}
        }
    }
}

/// What holds types.
trait Holder {
    /// Takes them out.
    fn empty(&mut self, into: &mut Vec<Type>);

    fn empty_and_release(&mut self) {
        let mut rest = Vec::new();
        self.empty(&mut rest);
        release(rest);
    }
}

impl Holder for Array {
    fn empty(&mut self, into: &mut Vec<Type>) {
        into.extend(self.fixed.drain(..).chain([self.dynamic.take()]).flatten());
    }
}

impl Holder for Object {
    fn empty(&mut self, into: &mut Vec<Type>) {
        into.extend(self.fixed.drain(..).filter_map(|(_, value)| value));
        if let Some(Dynamic { key, value }) = self.dynamic.take() {
            into.extend(key.into_iter().chain(value));
        }
    }
}

impl Holder for Function {
    fn empty(&mut self, into: &mut Vec<Type>) {
        into.extend(self.operands.drain(..).chain([self.variadic.take(), self.result.take()]).flatten());
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        self.empty_and_release();
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        self.empty_and_release();
    }
}

impl Drop for Of {
    fn drop(&mut self) {
        release(self.0.take().into_iter().collect());
    }
}

impl Drop for Union {
    fn drop(&mut self) {
        release(std::mem::take(&mut self.0));
    }
}

impl Drop for Function {
    fn drop(&mut self) {
        self.empty_and_release();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::lattice::{Dynamic, Type, Union};

    /// Ways to hold a type.
    const HOLDERS: [fn(Type) -> Type; 8] = [
        |inner| Type::array(vec![Some(inner)], None),
        |inner| Type::array(Vec::new(), Some(inner)),
        |inner| Type::object(vec![("k".into(), Some(inner))], None),
        |inner| Type::object(Vec::new(), Some(Dynamic { key: Some(Type::String), value: Some(inner) })),
        |inner| Type::set(Some(inner)),
        |inner| Type::Any(Arc::new(Union(vec![Type::Null, inner]))),
        |inner| Type::function(vec![Some(inner)], None),
        |inner| Type::function(Vec::new(), Some(inner)),
    ];

    fn goes(deep: Type) {
        let thread = std::thread::Builder::new().stack_size(256 * 1024).spawn(move || drop(deep)).unwrap();
        thread.join().unwrap();
    }

    #[test]
    fn deep_types_go_on_a_small_stack() {
        goes(HOLDERS.into_iter().cycle().take(20_000).fold(Type::Null, |inner, hold| hold(inner)));
        for hold in HOLDERS {
            goes((0..20_000).fold(Type::Null, |inner, _| hold(inner)));
        }
    }
}
