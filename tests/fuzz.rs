//! The fuzz targets on the ordinary test build; `just fuzz` gives them to libFuzzer.

#[cfg(test)]
mod fuzz {
    #[path = "../../rego/tests/differential/chance.rs"]
    mod chance;

    mod alone;
    mod bundle;
    mod findings;
    mod http;
    mod json;
    mod mutate;
    mod policy;
    mod replay;
}
