//! The store from outside: the contract of upstream's storage suites, crashes, linearizability, watches, damaged files.

#[cfg(test)]
mod storage {
    mod disk;
    mod support;

    mod contract;
    mod crash;
    mod group;
    mod paging;
}
