//! The parser, the compiler and the evaluator on the kept corpus of policies, and on mutations of it: the same ones each time.
//! `just fuzz-rego TARGET` gives them to libFuzzer. `FUZZ_MUTATIONS` asks for more, `FUZZ_SEED` for others.

// Clippy allows `unwrap` below `cfg(test)` only.
#[cfg(test)]
mod fuzz {
    #[path = "../differential/chance.rs"]
    mod chance;
    mod compiler;
    mod evaluator;
    #[path = "../../../tests/fuzz/mutate.rs"]
    mod mutate;
    mod parser;

    use std::path::{Path, PathBuf};
    use std::time::Duration;

    use mutate::Mutator;

    /// Each.
    const MUTATIONS: u64 = 100;
    /// For one input, all its ways, without optimisation.
    const LONGEST: Duration = Duration::from_secs(20);

    #[test]
    fn parser() {
        replay(parser::run);
    }

    #[test]
    fn compiler() {
        replay(compiler::run);
    }

    #[test]
    fn evaluator() {
        replay(evaluator::run);
    }

    /// Threads of tests have 2 MiB.
    fn replay(run: fn(&[u8])) {
        let kept = corpus();
        assert!(kept.len() >= 10, "the corpus is gone");
        kept.iter().for_each(|input| timed(run, input));
        let words = mutate::words(&std::fs::read_to_string(folder().join("policy.dict")).unwrap());
        let mut mutator = Mutator::new(chance::Chance::new(number("FUZZ_SEED", 1), 0), kept, words);
        for _ in 0..number("FUZZ_MUTATIONS", MUTATIONS) {
            timed(run, &mutator.next());
        }
    }

    /// Fails if an input takes too much of the processor: on a loaded machine it may take longer all the same.
    fn timed(run: fn(&[u8]), input: &[u8]) {
        let before = processor();
        run(input);
        let took = processor().saturating_sub(before);
        assert!(took < LONGEST, "{took:?} of the processor: {}", String::from_utf8_lossy(input));
    }

    /// Time on the processor of this thread, as the kernel counts it.
    fn processor() -> Duration {
        let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
        text.split(' ').next().and_then(|time| time.parse().ok()).map_or(Duration::ZERO, Duration::from_nanos)
    }

    fn folder() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fuzz")
    }

    /// In the order of names, the same on every machine.
    fn corpus() -> Vec<Vec<u8>> {
        let files = std::fs::read_dir(folder().join("corpus/policy")).unwrap();
        let mut paths: Vec<_> = files.map(|file| file.unwrap().path()).collect();
        paths.sort();
        paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
    }

    fn number(variable: &str, otherwise: u64) -> u64 {
        std::env::var(variable).map_or(otherwise, |text| text.parse().unwrap())
    }
}
