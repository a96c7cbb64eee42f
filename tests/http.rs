//! The HTTP contract, from outside: every test starts the real binary on free ports and speaks to it as a client would.

#[cfg(test)]
mod http {
    mod authority;
    mod support;

    mod access;
    mod cases;
    mod clients;
    mod connections;
    mod data;
    mod decisions;
    mod explain;
    mod fairness;
    mod freshness;
    #[cfg(feature = "dev")]
    mod hook;
    mod last_good;
    mod leader;
    mod lifecycle;
    mod limits;
    mod logs;
    mod memory;
    mod metrics;
    mod options;
    mod pages;
    mod placements;
    mod policies;
    mod review;
    mod secrets;
    mod sources;
    mod tls;
    mod why;
}
