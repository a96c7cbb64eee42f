//! What entry points read: what is found for policies that are written out here and for those of `policies/`, and that nothing else
//! changes an answer.

// Clippy allows `unwrap` below `cfg(test)` only.
#[cfg(test)]
mod depend {
    mod bounds;
    mod carried;
    mod choice;
    mod document;
    mod errors;
    mod expression;
    mod found;
    mod json;
    mod marked;
    mod members;
    mod policy;
    mod recorded;
    mod set;
    mod sound;
    mod told_apart;
}
