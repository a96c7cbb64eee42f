//! Documents that are made part by part, of kept parts as far as there are any.

use super::body::Next;
use super::comprehension::insert;
use super::keyed::Keyed;
use super::parts::{Made, Part, Parts, Recording, Solution, at};
use super::reference::Ahead;
use super::spots::{Spot, Spots, address};
use super::val::Val;
use super::{Evaluation, Flow, Stop};
use crate::ir::{Block, Comprehension, Element, Iterate, Op, Step, Term};
use crate::value::Value;

/// What is done with a solution.
type Add<'n, 'a> = &'n mut dyn FnMut(&mut Evaluation<'a>, Solution) -> Result<(), Stop>;

impl<'a> Evaluation<'a> {
    /// With parts of documents that are kept, and places where there may be some.
    pub(crate) fn with_parts(mut self, parts: &'a Parts, spots: &'a Spots) -> Self {
        self.recording = Some(Recording { spots, parts, made: Vec::new() });
        self
    }

    /// Whether a body is one whose parts are kept; none is under `with`.
    pub(super) fn spot(&self, body: &'a Block) -> Option<&'a Spot> {
        let recording = self.recording.as_ref()?;
        if self.scope.is_changed() { None } else { recording.spots.get(body) }
    }

    /// A comprehension that is made of parts; `None` for others.
    pub(super) fn pieced(&mut self, comprehension: &'a Comprehension, base: usize) -> Result<Option<Value>, Stop> {
        let (Comprehension::Array(body, ..) | Comprehension::Set(body, ..) | Comprehension::Object(body, ..)) = comprehension
        else {
            return Ok(None);
        };
        let Some(spot) = self.spot(body) else { return Ok(None) };
        let (mut values, mut members) = (Vec::new(), Keyed::default());
        match comprehension {
            Comprehension::Array(_, value) | Comprehension::Set(_, value) => {
                self.each_part((body, spot), (&[], value), base, &mut |eval, found| {
                    eval.context.account.charge(size_of::<Value>())?;
                    values.push(found.value);
                    Ok(())
                })?;
            }
            Comprehension::Object(_, key, value, span) => {
                self.each_part((body, spot), (std::slice::from_ref(key), value), base, &mut |eval, found| {
                    eval.context.account.charge(2 * size_of::<Value>())?;
                    let Some(key) = found.path.first() else { return Ok(()) };
                    match insert(&mut members, key, found.value, &mut eval.context.account)? {
                        true => Ok(()),
                        false => Err(Stop::conflict("object keys must be unique", *span)),
                    }
                })?;
            }
            Comprehension::Indexed(_) => return Ok(None),
        }
        Ok(Some(match comprehension {
            Comprehension::Array(..) => Value::array(values),
            Comprehension::Set(..) => self.set_of(values)?,
            _ => members.finish(&mut self.context.account, |value, _| Ok(value))?,
        }))
    }

    /// Each solution of a body, by the members that it goes through.
    pub(super) fn each_part(
        &mut self,
        (body, spot): (&'a Block, &'a Spot),
        (path, value): (&'a [Term], &'a Term),
        base: usize,
        add: Add<'_, 'a>,
    ) -> Result<(), Stop> {
        let Some((Step { op: Op::Iterate(first), .. }, rest)) = body.split_first() else { return Ok(()) };
        let Some(collection) = at(self.scope.stored, &spot.path) else { return Ok(()) };
        let (place, mut parts) = (address(body), Vec::new());
        let table = self.recording.as_ref().and_then(|recording| recording.parts.table(place));
        for index in 0..collection.as_collection().unwrap_or(0) {
            self.context.account.step(1)?;
            let member =
                collection.as_object().and_then(|object| object.keys().get(index)?.as_str().zip(object.values().get(index)));
            let member = member.filter(|(_, element)| element.as_collection().is_some());
            if let Some(known) = member.zip(table.as_ref()).and_then(|((key, element), table)| table.get(key, element)) {
                known.iter().try_for_each(|found| add(self, found.clone()))?;
                continue;
            }
            let found = self.part((first, rest), (collection, index), (path, value), base)?;
            found.iter().try_for_each(|found| add(self, found.clone()))?;
            parts.extend(member.map(|(key, element)| (key.clone(), Part::new(element, &found))));
        }
        if let Some(recording) = &mut self.recording {
            recording.made.push(Made { place: (place, spot), collection, parts });
        }
        Ok(())
    }

    /// What one member gives.
    fn part(
        &mut self,
        (first, rest): (&'a Iterate, &'a [Step]),
        member: (&'a Value, usize),
        (path, value): (&'a [Term], &'a Term),
        base: usize,
    ) -> Result<Vec<Solution>, Stop> {
        let mut found = Vec::new();
        let Some(Element::Each(key)) = first.elements.last() else { return Ok(found) };
        let ahead = Ahead { elements: &[], output: first.output.as_ref(), filter: None, step: Value::get, base };
        let next: Next<'_, 'a> = &mut |eval| {
            eval.run(rest, base, &mut |eval| {
                found.extend(eval.solution(path, value, base)?);
                Ok(Flow::Next)
            })
        };
        self.deeper(|eval| eval.member_borrowed(member, key, &ahead, next))?;
        Ok(found)
    }

    /// The keys and the value at a solution, if all are defined. As where nothing is kept, they are charged for by whoever adds them.
    pub(super) fn solution(&mut self, path: &'a [Term], value: &'a Term, base: usize) -> Result<Option<Solution>, Stop> {
        let Some(value) = self.term(value, base)?.map(Val::into_value) else { return Ok(None) };
        Ok(self.terms(path, base)?.map(|path| Solution { path, value }))
    }
}
