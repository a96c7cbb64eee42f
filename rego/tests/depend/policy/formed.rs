//! Forms of expressions that go through something, or hold what may be undefined.

use super::Writer;

impl Writer<'_, '_> {
    /// A line that goes through something, or shows it.
    pub(in super::super) fn formed_line(&mut self) -> String {
        let (of, term, other) = (self.source(), self.term(0), self.loose(1));
        let (constant, name) = (self.constant(), self.bind());
        match self.choices.below(14) {
            0 => format!("{name} := $\"a{{{term}}}b{{{other}}}\""),
            1 => format!("{name} := $\"{{{other}}}\""),
            2 => format!("{name} := [$\"{{k}}{{w.x}}\" | some k, w in {of}]"),
            3 => format!("not count([w | some w in {of}; w != {constant}]) == 1; {name} := 1"),
            4 => format!("not data.t.any({{k | some k, w in {of}; w == {other}}})[{constant}]; {name} := input.z"),
            5 => format!("every k, w in {of} {{ not [w, k] == [{constant}, {other}] }}; {name} := input.z"),
            6 => format!("every w in {of} {{ every z in data.t.any(w) {{ z != {constant} }} }}; {name} := 1"),
            7 => format!("walk({of}, [{name}, {constant}])"),
            8 => format!("walk({of}, [[\"x\"], {name}])"),
            9 => format!("walk({of}, [p, w]); count(p) == 1; {name} := [p, w]"),
            10 => format!("{name} := {{p | walk({of}, [p, w]); w == {other}}}"),
            11 => format!("every w in {of} {{ data.t.any(w) != {constant} with input.x as {term} }}; {name} := 1"),
            12 => format!("{name} := [w | some w in {of}; not data.t.any([z | some z in w; z == {other}])[0]]"),
            _ => format!("{name} := [w | some w in {of}; every z in w {{ z != {constant} }}]"),
        }
    }
}
