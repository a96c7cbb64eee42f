//! Random bodies and terms.

use super::choice::Choices;

/// What is known while a policy is written.
pub(super) struct Writer<'c, 'b> {
    pub(super) choices: &'c mut Choices<'b>,
    /// Rules that are written already, as references.
    pub(super) rules: Vec<String>,
    /// Functions with one operand.
    pub(super) functions: Vec<String>,
    /// Variables that are bound.
    pub(super) variables: Vec<String>,
    next: usize,
}

const PATHS: &[&str] = &[
    "input.a",
    "input.m",
    "input.items",
    "input.x",
    "input.y",
    "input.m.x",
    "input.m[input.s]",
    "input.items[0].x",
    "input.a.b",
    "input[input.s]",
    "input.m.a.x",
    "data.a",
    "data.m",
    "data.items",
    "data.m[input.s]",
    "data.m.x",
    "data.items[0]",
    "data.x",
    "data.b.a",
    "data.a[data.s]",
    "input[input.s][data.s]",
    "input.m[data.s].x",
    "data[input.s].x",
    "data.m[input.s][data.s]",
    "data.q[input.s]",
    "data.items[_].x",
    "data.items[\"0\"]",
    "data.m[input.n]",
    "data.m[1]",
    "input.n",
    "input",
];

/// What asks for a type, or how many there are.
const TYPES: &[&str] =
    &["is_string", "is_object", "is_array", "is_number", "is_set", "is_null", "is_boolean", "type_name", "count", "object.keys"];

impl<'c, 'b> Writer<'c, 'b> {
    pub(super) fn new(choices: &'c mut Choices<'b>) -> Self {
        Self { choices, rules: Vec::new(), functions: Vec::new(), variables: Vec::new(), next: 0 }
    }

    fn variable(&mut self) -> String {
        self.next += 1;
        format!("v{}", self.next)
    }

    pub(super) fn bind(&mut self) -> String {
        let name = self.variable();
        self.variables.push(name.clone());
        name
    }

    /// Expressions, one a line.
    pub(super) fn body(&mut self, most: usize) -> String {
        let outer = self.variables.len();
        let lines: String = (0..self.choices.below(most + 2)).map(|_| format!("\t{}\n", self.expression())).collect();
        // The compiler wants each variable to be used.
        format!("{lines}\t[{}] != null\n", self.variables[outer..].join(", "))
    }

    pub(super) fn expression(&mut self) -> String {
        match self.choices.below(27) {
            24 => self.merged_line(),
            25 | 26 => self.formed_line(),
            21 => self.asked(),
            22 if self.choices.chance(2) => self.never(),
            22 | 23 => self.fault(),
            16 => format!("{}({})", self.choices.of(TYPES), self.loose(1)),
            17 => format!("not {}({})", self.choices.of(TYPES), self.loose(1)),
            18 => format!("{}, {} in {}", self.key(), self.term(1), self.source()),
            19 => {
                let of = self.source();
                let (path, value) = (self.bind(), self.bind());
                format!("walk({of}, [{path}, {value}]); {value} == {}", self.constant())
            }
            20 => {
                let of = self.source();
                let pattern = self.choices.below(4);
                let name = self.bind();
                match pattern {
                    0 => format!("{{\"x\": {name}, \"y\": 1}} = {of}"),
                    1 => format!("[[{name}, _], {{\"a\": 1}}] = {of}"),
                    2 => format!("some {{\"x\": {name}, \"a\": _}} in {of}"),
                    _ => format!("{of}[{name}] == {}", self.constant()),
                }
            }
            0..=3 => {
                let value = self.loose(2);
                format!("{} := {value}", self.bind())
            }
            4 | 5 => {
                let of = self.source();
                let (key, value) = (self.bind(), self.bind());
                format!("some {key}, {value} in {of}")
            }
            6 => {
                let of = self.source();
                format!("some {} in {of}", self.bind())
            }
            7 => format!("{} {} {}", self.loose(1), self.choices.of(&["==", "!=", "<", ">="]), self.term(1)),
            8 => format!("{} {} {}", self.loose(1), self.choices.of(&["==", "!=", "<"]), self.constant()),
            9 => self.source(),
            10 => format!("not {}", self.source()),
            11 => format!("{} in {}", self.term(1), self.source()),
            12 => self.every(),
            13 => {
                let of = self.source();
                let (key, value) = (self.bind(), self.bind());
                format!("{value} = {of}[{key}]")
            }
            14 => {
                let of = self.source();
                let pattern = self.choices.below(2);
                let name = self.bind();
                if pattern == 0 { format!("[{name}, _] = {of}") } else { format!("{{\"x\": {name}}} = {of}") }
            }
            _ => self.with(),
        }
    }

    fn every(&mut self) -> String {
        let of = self.source();
        let (outer, name) = (self.variables.len(), self.bind());
        let key = if self.choices.chance(2) { format!("{}, ", self.bind()) } else { String::new() };
        let used = key.trim_end_matches(", ");
        let used = if used.is_empty() { String::new() } else { format!("; {used} != {}", self.constant()) };
        let test = format!("{} != {}; {name} != []{used}", self.loose(1), self.constant());
        self.variables.truncate(outer);
        format!("every {key}{name} in {of} {{ {test} }}")
    }

    fn with(&mut self) -> String {
        let value = self.term(1);
        if self.functions.len() > 1 && self.choices.chance(4) {
            return self.with_function();
        }
        let target = self.choices.of(&["input", "input.x", "input.m.x", "data.m", "data.x", "data.q.r0", "data.a.b"]);
        let term = match self.rules.is_empty() {
            true => self.source(),
            false => self.rules[self.choices.below(self.rules.len())].clone(),
        };
        let second = match self.choices.below(4) {
            0 => format!(" with {} as {}", self.choices.of(&["input.y", "input.a", "data.a", "data.q.r1"]), self.term(0)),
            1 => format!(" with {} as {}", self.choices.of(&["count", "type_name", "is_string"]), self.constant()),
            _ => String::new(),
        };
        let name = self.bind();
        format!("{name} := {term} with {target} as {value}{second}")
    }

    fn with_function(&mut self) -> String {
        let [called, instead, other] = [(); 3].map(|()| self.functions[self.choices.below(self.functions.len())].clone());
        let operand = self.term(1);
        let instead = if self.choices.chance(3) { self.path() } else { instead };
        format!("{} := {called}({operand}) with {other} as {instead}", self.bind())
    }

    /// Where collections are more likely.
    pub(super) fn source(&mut self) -> String {
        match self.choices.below(6) {
            0 => "input.items".to_owned(),
            1 => "data.items".to_owned(),
            2 => "input.m".to_owned(),
            3 => "data.m".to_owned(),
            _ => self.loose(1),
        }
    }

    /// A term of which the compiler knows no type.
    pub(super) fn loose(&mut self, depth: usize) -> String {
        let term = self.term(depth);
        if term.starts_with("input") || self.variables.contains(&term) { term } else { format!("data.t.any({term})") }
    }

    /// What is more likely to be a key.
    pub(super) fn key(&mut self) -> String {
        match self.choices.below(4) {
            0 => self.choices.of(&["\"x\"", "\"x\"", "\"y\"", "\"y\"", "\"a\"", "0", "\"0\"", "1", "\"1\"", "1.0"]).to_owned(),
            1 => "input.s".to_owned(),
            2 => "data.s".to_owned(),
            _ => self.variables.last().cloned().unwrap_or_else(|| "\"b\"".to_owned()),
        }
    }

    pub(super) fn constant(&mut self) -> String {
        self.choices
            .of(&[
                "1",
                "\"x\"",
                "\"\"",
                "null",
                "true",
                "false",
                "{}",
                "[]",
                "{\"x\": 1, \"a\": {\"x\": 2}}",
                "[1, \"x\"]",
                "1.0",
            ])
            .to_owned()
    }

    fn path(&mut self) -> String {
        self.choices.of(PATHS).to_owned()
    }

    /// A term of so many levels.
    pub(super) fn term(&mut self, depth: usize) -> String {
        match self.choices.below(if depth == 0 { 6 } else { 18 }) {
            0 | 1 => self.path(),
            2 | 3 => self.variables.last().cloned().unwrap_or_else(|| "input.m".to_owned()),
            4 => match self.rules.len() {
                0 => self.constant(),
                len => self.rules[self.choices.below(len)].clone(),
            },
            5 if self.variables.len() > 1 => self.variables[self.choices.below(self.variables.len())].clone(),
            5 => self.constant(),
            6 | 7 if !self.functions.is_empty() => {
                let function = self.functions[self.choices.below(self.functions.len())].clone();
                format!("{function}({})", self.term(depth - 1))
            }
            8 => format!("[{}, {}]", self.term(depth - 1), self.term(depth - 1)),
            9 => format!("{{\"x\": {}, {}: {}}}", self.term(depth - 1), self.key(), self.term(depth - 1)),
            10 => self.comprehension(),
            11 | 12 => self.step(),
            13 => format!("{{{}, {}}}", self.term(depth - 1), self.constant()),
            _ => self.call(depth - 1),
        }
    }

    fn step(&mut self) -> String {
        let name = self.variables.last().cloned().unwrap_or_else(|| "input".to_owned());
        format!("{name}[{}]", self.choices.of(&["\"x\"", "\"a\"", "0", "input.s", "\"y\""]))
    }

    fn comprehension(&mut self) -> String {
        let of = self.source();
        let outer = self.variables.len();
        let (key, value) = (self.bind(), self.bind());
        let (kind, term, test) = (self.choices.below(4), self.term(0), self.choices.chance(2));
        let test = if test { format!("; {} != {}", self.loose(0), self.constant()) } else { String::new() };
        self.variables.truncate(outer);
        let body = format!("some {key}, {value} in {of}{test}; [{key}, {value}] != null");
        match kind {
            0 => format!("[{term} | {body}]"),
            1 => format!("{{{term} | {body}}}"),
            2 => format!("{{{key}: {term} | {body}}}"),
            _ => format!("{{{term}: {value} | {body}}}"),
        }
    }

    fn call(&mut self, depth: usize) -> String {
        let a = self.loose(depth);
        match self.choices.below(32) {
            14 => format!("object.get({a}, [{}, \"x\"], {})", self.key(), self.term(0)),
            15 => format!("json.remove({a}, [\"x\", \"a/x\"])"),
            16 => format!("object.remove({a}, [{}])", self.key()),
            17 => format!("object.filter({a}, {{{}: 1}})", self.key()),
            18 => format!("array.slice({a}, 0, 1)"),
            19 => format!("array.reverse({a})"),
            20 => format!("object.union({{\"x\": {}}}, {a})", self.term(0)),
            21 => format!("{}({a})", self.choices.of(TYPES)),
            22 => format!("{a} == {}", self.constant()),
            23 => format!("{a} < {}", self.term(depth)),
            24 => format!("{} in {a}", self.constant()),
            25 => format!("{}, {} in {a}", self.key(), self.constant()),
            26 => format!("object.subset({a}, {{\"x\": {}}})", self.term(0)),
            27 => self.choices.of(&["time.now_ns()", "rand.intn(\"x\", 1)", "opa.runtime()"]).to_owned(),
            28 => format!("to_number({a})"),
            29 => format!("sprintf(\"%v\", [{a}])"),
            30 => format!("{{x | some x in {a}}} | {{1}}"),
            31 => format!("{a}[{}]", self.key()),
            0 => format!("object.get({a}, \"x\", {})", self.term(0)),
            1 => format!("object.get({a}, [\"a\", \"x\"], {})", self.constant()),
            2 => format!("object.get({a}, {}, {})", self.key(), self.constant()),
            3 => format!("object.union({a}, {})", self.loose(depth)),
            4 => format!("array.concat({a}, {})", self.loose(depth)),
            5 => format!("object.keys({a})"),
            6 => format!("count({a})"),
            7 => format!("json.filter({a}, [\"x\", \"a/x\", \"items/0/x\"])"),
            8 => format!("object.filter({a}, [\"x\", \"m\"])"),
            9 => format!("object.remove({a}, [\"x\"])"),
            10 => format!("type_name({a})"),
            11 => format!("is_object({a})"),
            12 => format!("object.union_n([{a}, {}])", self.loose(depth)),
            _ => format!("json.marshal({a})"),
        }
    }
}
