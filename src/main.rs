//! Install what is global, parse, run.

fn main() {}
