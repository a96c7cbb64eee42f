//! Mutations of a corpus: what a client gets wrong, and what somebody with ill intent tries.

use super::chance::Chance;

/// Longer inputs cost time and find no more.
const LONGEST: usize = 4096;
/// Runs of digits become one of these.
const NUMBERS: [&str; 12] = [
    "0",
    "-1",
    "00",
    "1e999",
    "1e-999",
    "9223372036854775808",
    "-9223372036854775809",
    "18446744073709551616",
    "2147483648",
    "0.1",
    "1000000000000",
    "1e30",
];
const BYTES: [u8; 16] = *b"\0\n\r\t \"'\\{}[]%/\x7f\xff";

/// Makes inputs from those of a corpus, with the words of a dictionary.
pub(super) struct Mutator {
    chance: Chance,
    corpus: Vec<Vec<u8>>,
    words: Vec<Vec<u8>>,
}

impl Mutator {
    pub(super) fn new(chance: Chance, corpus: Vec<Vec<u8>>, words: Vec<Vec<u8>>) -> Self {
        Self { chance, corpus, words }
    }

    /// The next input: one of the corpus, rather a short one, with one to four changes.
    pub(super) fn next(&mut self) -> Vec<u8> {
        let (a, b, c) = (self.seed(), self.seed(), self.seed());
        let mut input = [a, b, c].into_iter().min_by_key(Vec::len).unwrap();
        for _ in 0..=self.chance.below(4) {
            self.change(&mut input);
        }
        input.truncate(LONGEST);
        input
    }

    fn seed(&mut self) -> Vec<u8> {
        let at = self.chance.below(self.corpus.len());
        self.corpus[at].clone()
    }

    fn change(&mut self, input: &mut Vec<u8>) {
        match self.chance.below(10) {
            0 => self.flip(input),
            1 => self.put(input, |mutator| vec![BYTES[mutator.chance.below(BYTES.len())]]),
            2 => self.cut(input),
            3 => self.put(input, |mutator| mutator.piece_of_another()),
            4 => self.twice(input),
            5 => self.number(input),
            6 => self.line(input),
            _ => self.put(input, |mutator| mutator.word()),
        }
    }

    fn flip(&mut self, input: &mut [u8]) {
        let at = self.chance.below(input.len().max(1));
        if let Some(byte) = input.get_mut(at) {
            *byte ^= 1 << self.chance.below(8);
        }
    }

    /// Inserts something, or writes it over what is there.
    fn put(&mut self, input: &mut Vec<u8>, what: impl FnOnce(&mut Self) -> Vec<u8>) {
        let new = what(self);
        let from = self.chance.below(input.len() + 1);
        let over = if self.chance.one_in(2) { new.len().min(input.len() - from) } else { 0 };
        input.splice(from..from + over, new);
    }

    fn cut(&mut self, input: &mut Vec<u8>) {
        let range = self.range(input.len());
        input.drain(range);
    }

    fn twice(&mut self, input: &mut Vec<u8>) {
        let piece = input[self.range(input.len())].to_vec();
        let at = self.chance.below(input.len() + 1);
        let times = if self.chance.one_in(20) { 200 } else { 1 };
        input.splice(at..at, piece.repeat(times));
    }

    fn number(&mut self, input: &mut Vec<u8>) {
        let start = self.chance.below(input.len() + 1);
        let Some(from) = input[start..].iter().position(u8::is_ascii_digit).map(|at| at + start) else { return };
        let length = input[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        input.splice(from..from + length, self.chance.pick(&NUMBERS).bytes());
    }

    /// A line moves, or goes.
    fn line(&mut self, input: &mut Vec<u8>) {
        let mut lines: Vec<_> = input.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        if lines.len() > 1 {
            let line = lines.remove(self.chance.below(lines.len()));
            if self.chance.one_in(2) {
                lines.insert(self.chance.below(lines.len() + 1), line);
            }
            *input = lines.concat();
        }
    }

    fn word(&mut self) -> Vec<u8> {
        let at = self.chance.below(self.words.len());
        self.words[at].clone()
    }

    fn piece_of_another(&mut self) -> Vec<u8> {
        let other = self.seed();
        other[self.range(other.len())].to_vec()
    }

    /// Mostly short.
    fn range(&mut self, length: usize) -> std::ops::Range<usize> {
        let from = self.chance.below(length + 1);
        let most = if self.chance.one_in(4) { length - from } else { (length - from).min(16) };
        from..from + self.chance.below(most + 1)
    }
}

/// The words of a dictionary as libFuzzer reads it: one in quotes on each line.
pub(super) fn words(dictionary: &str) -> Vec<Vec<u8>> {
    let quoted = dictionary.lines().filter_map(|line| line.trim().strip_prefix('"')?.strip_suffix('"'));
    quoted.map(unescaped).collect()
}

fn unescaped(quoted: &str) -> Vec<u8> {
    let (mut word, mut rest) = (Vec::new(), quoted.bytes());
    while let Some(byte) = rest.next() {
        match (byte, if byte == b'\\' { rest.next() } else { None }) {
            (b'\\', Some(b'x')) => {
                let digits = [rest.next().unwrap(), rest.next().unwrap()];
                word.push(u8::from_str_radix(str::from_utf8(&digits).unwrap(), 16).unwrap());
            }
            (b'\\', Some(escaped)) => word.push(escaped),
            (byte, _) => word.push(byte),
        }
    }
    word
}
