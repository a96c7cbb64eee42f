//! What a file of cases holds.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Deserialize;
use serde_json::Value as Json;
use std::io::Write;

use super::wire::Request;

/// One file: a server of each kind, and what is asked of both.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    /// What the file is about.
    #[allow(dead_code, reason = "for people")]
    pub(super) about: String,
    /// Policies that both load at start, by file name.
    #[serde(default)]
    pub(super) policies: BTreeMap<String, String>,
    /// Options of `plimsoll serve`.
    #[serde(default)]
    pub(super) plimsoll: Vec<String>,
    /// Options of `opa run --server`.
    #[serde(default)]
    pub(super) opa: Vec<String>,
    /// Both are started with this file of OPA's configuration; `{dir}` in it is where they run.
    #[serde(default)]
    pub(super) config: Option<String>,
    /// Other files beside the policies, by path.
    #[serde(default)]
    pub(super) files: BTreeMap<String, String>,
    /// Headers of the requests that clean up after each case.
    #[serde(default)]
    pub(super) reset: BTreeMap<String, String>,
    /// Why the file is not asked of OPA.
    #[serde(default)]
    pub(super) alone: Option<String>,
    pub(super) cases: Vec<Case>,
}

/// Steps that build on one another; each case begins with empty data and only the policies of the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    pub(super) name: String,
    /// Data and policies are left as they are, where clients may not clean up.
    #[serde(default)]
    pub(super) keep: bool,
    /// All of `data` before the first step.
    #[serde(default)]
    pub(super) data: Option<Json>,
    pub(super) steps: Vec<Step>,
}

/// One request and what must come back.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Step {
    /// `METHOD /path?query`.
    pub(super) ask: String,
    /// Told apart by this; by default `ask`.
    #[serde(default)]
    pub(super) name: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    /// A string is sent as it is, anything else as JSON.
    #[serde(default)]
    body: Option<Json>,
    /// Bytes, for what is no text.
    #[serde(default)]
    hex: Option<String>,
    #[serde(default)]
    repeat: Option<Repeat>,
    /// The body is compressed.
    #[serde(default)]
    gzip: bool,
    pub(super) status: u16,
    /// Why the step is not asked of OPA.
    #[serde(default)]
    pub(super) alone: Option<String>,
    /// The whole body, as JSON.
    #[serde(default)]
    pub(super) json: Option<Json>,
    /// Members that the body must have, as deep as is said here.
    #[serde(default)]
    pub(super) has: Option<Json>,
    /// Pointers that lead nowhere.
    #[serde(default)]
    pub(super) lacks: Vec<String>,
    /// The whole body, as text.
    #[serde(default)]
    pub(super) text: Option<String>,
    /// Parts of the body's text.
    #[serde(default)]
    pub(super) holds: Vec<String>,
    /// Headers of the answer; empty for none.
    #[serde(default)]
    pub(super) sent: BTreeMap<String, String>,
}

/// A large body.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Repeat {
    #[serde(default)]
    before: String,
    unit: String,
    times: usize,
    #[serde(default)]
    after: String,
}

impl Case {
    /// The steps by `file: case: step`; what is asked again has a number.
    pub(super) fn labelled(&self, file: &str) -> Vec<(String, &Step)> {
        let mut seen = BTreeMap::new();
        let label = |step: &Step| {
            let times = seen.entry(step.label().to_owned()).and_modify(|times| *times += 1).or_insert(1);
            let again = if *times == 1 { String::new() } else { format!(" #{times}") };
            format!("{file}: {}: {}{again}", self.name, step.label())
        };
        let labels: Vec<_> = self.steps.iter().map(label).collect();
        labels.into_iter().zip(&self.steps).collect()
    }
}

impl Step {
    pub(super) fn label(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.ask)
    }

    pub(super) fn request(&self) -> Request {
        let (method, path) = self.ask.split_once(' ').unwrap_or_else(|| panic!("`{}` is no `METHOD /path`", self.ask));
        let mut headers: Vec<_> = self.headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        let mut body = self.body();
        if self.gzip {
            headers.push(("content-encoding".into(), "gzip".into()));
            body = compressed(&body);
        }
        Request { method: method.into(), path: path.into(), headers, body }
    }

    fn body(&self) -> Vec<u8> {
        if let Some(hex) = &self.hex {
            return hex.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect();
        }
        if let Some(Repeat { before, unit, times, after }) = &self.repeat {
            return format!("{before}{}{after}", unit.repeat(*times)).into_bytes();
        }
        match &self.body {
            None => Vec::new(),
            Some(Json::String(text)) => text.clone().into_bytes(),
            Some(value) => value.to_string().into_bytes(),
        }
    }
}

fn compressed(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

pub(super) fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/http_cases")
}

pub(super) fn read<T: for<'de> Deserialize<'de>>(name: &str) -> T {
    let path = directory().join(format!("{name}.yaml"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    yaml_serde::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
