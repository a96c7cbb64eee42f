//! This crate beside OPA 1.22: sets of policies made at random in the styles people write, asked for each of their rules with inputs made
//! at random. What the compilers say must be equal (code, place, message, details), and so must answers (as text: written forms of
//! numbers count), errors (code, place, message) and what is printed, in order and out of order, with and without indices.
//!
//! OPA is a small program (`tools/tree/answer`), one process for all sets; without Go the test says that it is skipped and passes; with
//! `PLIMSOLL_E2E=required`, as in CI, it fails instead. `DIFFERENTIAL_SETS` and `DIFFERENTIAL_SEED` say how many sets are made, and from
//! what; `DIFFERENTIAL_FIRST` which of them is the first, and `DIFFERENTIAL_ENOUGH` after how many differences it ends.
//!
//! What sets cost is recorded (`costs`); that needs no OPA.

// Clippy allows `unwrap` below `cfg(test)` only.
#[cfg(test)]
mod differential {
    mod chance;
    mod costs;
    mod minimal;
    mod opa;
    mod ours;
    mod policies;
    mod set;
    mod state;
    mod verdict;

    use std::cell::LazyCell;
    use std::ops::Range;
    use std::path::Path;
    use std::time::Instant;

    use opa::Opa;
    use set::Set;
    use verdict::Counts;

    /// Sets, unless said otherwise.
    const SETS: u64 = 500;
    /// After so many differences it is enough, unless said otherwise.
    const ENOUGH: u64 = 10;

    #[test]
    fn sets_made_at_random_are_answered_as_opa_answers_them() {
        let Some(program) = opa::build() else { return };
        let (sets, seed) = (number("DIFFERENTIAL_SETS", SETS), number("DIFFERENTIAL_SEED", 1));
        let first = number("DIFFERENTIAL_FIRST", 0);
        let (begun, mut counts) = (Instant::now(), Counts::default());
        let differences = differences(&program, seed, first..first + sets, &mut counts);
        say(&format!("{sets} sets of seed {seed} in {:.0?}: {counts:?}", begun.elapsed()));
        assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n\n"));
        // An error that both end with is a result, too.
        assert!((counts.defined + counts.failed) * 10 >= counts.answers * 7, "too little is defined: {counts:?}");
        assert!(counts.kept * 10 >= counts.blocks * 8, "too much is refused by both: {counts:?}");
    }

    fn number(name: &str, default: u64) -> u64 {
        std::env::var(name).map_or(default, |text| text.parse().unwrap())
    }

    fn differences(program: &Path, seed: u64, numbers: Range<u64>, counts: &mut Counts) -> Vec<String> {
        let answers = Opa::start(program).answers(numbers.clone().map(move |number| Set::new(seed, number).question()));
        let mut smaller = Opa::start(program);
        let mut mended = LazyCell::new(|| Opa::start(&opa::build_mended()));
        let (mut differences, enough) = (Vec::new(), usize::try_from(number("DIFFERENTIAL_ENOUGH", ENOUGH)).unwrap());
        for (number, answer) in numbers.zip(answers) {
            let set = Set::new(seed, number);
            let Err(difference) = verdict::judge(&set, &answer, counts) else { continue };
            if verdict::judge(&set, &mended.ask(&set.question()), &mut Counts::default()).is_ok() {
                say(&format!("set {number}: OPA loses keys of an object: {}", difference.what));
                counts.lost_keys += 1;
                continue;
            }
            say(&format!("set {number} differs: {}", difference.what));
            differences.push(format!("set {number} of seed {seed}:\n{}", minimal::of(&mut smaller, set, difference)));
            if differences.len() >= enough {
                break;
            }
        }
        differences
    }

    #[allow(clippy::print_stdout, reason = "the figures are the point of the test, and a long run says at once what it found")]
    fn say(text: &str) {
        println!("differential: {text}");
    }
}
