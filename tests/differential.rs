//! Our Rego beside real OPA: generated placement and admission policies in the styles people write, asked with generated
//! inputs on generated states. Both must give one answer, or we refuse the policy.
//!
//! OPA is looked for in the directory that `KUBEBUILDER_ASSETS` names, as the end-to-end tests look for their binaries;
//! without it the test says that it is skipped and passes; with `PLIMSOLL_E2E=required`, as in CI, it fails instead.
//! `DIFFERENTIAL_SETS` and `DIFFERENTIAL_SEED` set how many policy sets are made, and from what.

// Clippy allows `unwrap` below `cfg(test)` only.
#[cfg(test)]
mod differential {
    mod chance;
    mod compare;
    mod opa;
    mod policies;
    mod state;

    use std::time::Instant;

    use compare::Outcome;

    /// Inputs for each policy set.
    const INPUTS: usize = 50;
    /// Policy sets, unless said otherwise.
    const SETS: u64 = 200;

    #[test]
    fn generated_policies_are_answered_as_opa_answers_them() {
        let Some(v1) = opa::start(&[]) else { return };
        let v0 = opa::start(&["--v0-compatible"]).unwrap();
        let number = |name: &str, default: u64| std::env::var(name).map_or(default, |text| text.parse().unwrap());
        let (sets, seed) = (number("DIFFERENTIAL_SETS", SETS), number("DIFFERENTIAL_SEED", 1));
        let begun = Instant::now();
        let (mut answers, mut refused, mut differences) = (0, Vec::new(), Vec::new());
        for set in 0..sets {
            let mut chance = chance::Chance::new(seed, set);
            let policies = policies::generate(&mut chance);
            let opa = if policies.v0 { &v0 } else { &v1 };
            let (policies, data) = (compare::valid(opa, policies), state::data(&mut chance));
            let inputs: Vec<_> = (0..INPUTS).map(|_| state::input(&mut chance)).collect();
            match compare::set(opa, &policies, &data, &inputs) {
                Outcome::Equal(count) => answers += count,
                Outcome::Refused(reason) => refused.push(format!("set {set}: {reason}")),
                Outcome::Different { .. } => {
                    differences.push(format!("set {set}:\n{}", compare::minimal(opa, policies, &data, &inputs)));
                }
            }
            if differences.len() >= 10 {
                break;
            }
        }
        #[allow(clippy::print_stdout, reason = "the figures are the point of the test")]
        {
            println!(
                "differential: {sets} sets in {:.0?}, {answers} equal answers, {} sets refused\n{}",
                begun.elapsed(),
                refused.len(),
                refused.join("\n")
            );
        }
        assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n\n"));
        let few = usize::try_from(sets / 20 + 1).unwrap();
        assert!(refused.len() <= few, "{} sets refused:\n{}", refused.len(), refused.join("\n"));
    }
}
