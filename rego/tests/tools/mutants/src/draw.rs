//! Draws mutants by a seed: each site as likely as any other, then one of its changes.

use crate::mutant::Mutant;
use crate::sites::Site;

/// What is still to be drawn from.
pub struct Draw<'s> {
    sites: &'s [Site],
    /// Places in `sites`, in a random order, the next one last.
    left: Vec<usize>,
    state: u64,
    numbers: u32,
}

impl<'s> Draw<'s> {
    /// The draw of a seed.
    pub fn new(sites: &'s [Site], seed: u64) -> Self {
        let mut draw = Self { sites, left: (0..sites.len()).collect(), state: seed, numbers: 0 };
        for end in (1..draw.left.len()).rev() {
            let other = draw.below(end + 1);
            draw.left.swap(end, other);
        }
        draw
    }

    /// Adds mutants until there are `count`, or no sites are left. No two are in one expression: one switch would hide the other.
    pub fn fill(&mut self, mutants: &mut Vec<Mutant>, count: usize) {
        while mutants.len() < count {
            let Some(site) = self.left.pop().and_then(|at| self.sites.get(at)) else { return };
            let overlaps = |other: &Mutant| other.site.overlaps(site);
            let new = self.below(site.changes.len());
            if let Some(new) = site.changes.get(new)
                && !mutants.iter().any(overlaps)
            {
                self.numbers += 1;
                mutants.push(Mutant { number: self.numbers, site: site.clone(), new: new.clone() });
            }
        }
    }

    /// A number below a limit (splitmix64, Steele and others 2014).
    fn below(&mut self, limit: usize) -> usize {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % u64::try_from(limit).unwrap_or(1).max(1)).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::Draw;
    use crate::sites::{Form, Site};

    fn site(start: usize, end: usize) -> Site {
        let (path, function, old) = ("f.rs".to_owned(), "f".to_owned(), "a".to_owned());
        let changes = vec!["b".to_owned(), "c".to_owned()];
        Site { path, line: 1, function, kind: "operator", range: start..end, form: Form::Expression, old, changes }
    }

    /// Which of the sites were drawn.
    fn drawn(sites: &[Site], seed: u64, count: usize) -> Vec<usize> {
        let mut mutants = Vec::new();
        Draw::new(sites, seed).fill(&mut mutants, count);
        mutants.iter().map(|mutant| mutant.site.range.start).collect()
    }

    #[test]
    fn a_seed_draws_the_same_again_and_others_draw_others() {
        let sites: Vec<Site> = (0..100).map(|at| site(10 * at, 10 * at + 5)).collect();
        assert_eq!(drawn(&sites, 1, 20), drawn(&sites, 1, 20));
        assert_ne!(drawn(&sites, 1, 20), drawn(&sites, 2, 20));
        assert_eq!(drawn(&sites, 1, 1000).len(), 100);
    }

    #[test]
    fn one_expression_has_one_mutant() {
        let around = [site(0, 10), site(2, 4), site(4, 6)];
        for seed in 0..20 {
            let drawn = drawn(&around, seed, 3);
            assert!(drawn == [0] || drawn.len() == 2 && !drawn.contains(&0), "{drawn:?}");
        }
    }
}
