//! Every function and operator on values that are doubled, deep, long or large: each evaluation ends within its limits, and what does
//! not fails by its name, because each case runs in a process of its own with an end.
//!
//! `LIMITS_CASES=all` tries every combination, otherwise a sample does, which `LIMITS_SEED` chooses (1).

#[cfg(test)]
mod limits {
    #[path = "../../rego/tests/differential/chance.rs"]
    #[allow(dead_code, reason = "a sample needs a part of it")]
    mod chance;

    mod alone;
    mod cases;
    mod every;
    mod run;
    mod shapes;
}
