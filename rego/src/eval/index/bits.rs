//! A set of small numbers.

/// Numbers below a limit.
#[derive(Debug)]
pub(super) enum Bits {
    /// Below 64.
    Word(u64),
    /// 64 for each word.
    Words(Vec<u64>),
}

const WORD: usize = 64;

impl Bits {
    /// None of so many.
    pub(super) fn new(limit: usize) -> Self {
        if limit <= WORD { Self::Word(0) } else { Self::Words(vec![0; limit.div_ceil(WORD)]) }
    }

    fn words(&self) -> &[u64] {
        match self {
            Self::Word(word) => std::slice::from_ref(word),
            Self::Words(words) => words,
        }
    }

    fn word(&mut self, number: usize) -> Option<&mut u64> {
        match self {
            Self::Word(word) => (number < WORD).then_some(word),
            Self::Words(words) => words.get_mut(number / WORD),
        }
    }

    /// Adds one.
    pub(super) fn insert(&mut self, number: usize) {
        if let Some(word) = self.word(number) {
            *word |= 1 << (number % WORD);
        }
    }

    /// Takes one out.
    pub(super) fn remove(&mut self, number: usize) {
        if let Some(word) = self.word(number) {
            *word &= !(1 << (number % WORD));
        }
    }

    /// The first one from a number on.
    pub(super) fn from(&self, number: usize) -> Option<usize> {
        let first = number / WORD;
        let mut mask = u64::MAX << (number % WORD);
        for (at, word) in self.words().iter().enumerate().skip(first) {
            let here = word & mask;
            if here != 0 {
                let bit = usize::try_from(here.trailing_zeros()).ok()?;
                return Some(at.saturating_mul(WORD).saturating_add(bit));
            }
            mask = u64::MAX;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::Bits;

    #[test]
    fn what_is_inserted_is_found_in_order() {
        for limit in [3, 64, 65, 300] {
            let mut bits = Bits::new(limit);
            let numbers: Vec<_> = [0, 1, 2, 63, 64, 127, 128, 299].into_iter().filter(|number| *number < limit).collect();
            numbers.iter().rev().for_each(|number| bits.insert(*number));
            bits.remove(1);
            let found: Vec<_> = (0..limit + 70).filter_map(|number| bits.from(number).filter(|found| *found == number)).collect();
            let wanted: Vec<_> = numbers.into_iter().filter(|number| *number != 1).collect();
            assert_eq!(found, wanted, "{limit}");
        }
    }
}
