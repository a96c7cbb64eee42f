//! Chance that can be repeated: the same seed and set give the same policies, on every machine.

/// xorshift64*.
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn new(seed: u64, set: u64) -> Self {
        let mixed = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ set.wrapping_add(1).wrapping_mul(0xD1B5_4A32_D192_ED03);
        let mut chance = Self(mixed | 1);
        for _ in 0..8 {
            chance.next();
        }
        chance
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number below `limit`.
    pub(super) fn below(&mut self, limit: usize) -> usize {
        usize::try_from((self.next() >> 11) % u64::try_from(limit).unwrap()).unwrap()
    }

    pub(super) fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(super) fn pick<'t, T: ?Sized>(&mut self, from: &[&'t T]) -> &'t T {
        from[self.below(from.len())]
    }
}
