//! The compiler of plimsoll-rego.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| plimsoll_fuzz::compiler(input));
