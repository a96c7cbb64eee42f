//! Calls of builtins that OPA 1.22 answered with `--strict-builtin-errors`: `recorded/cases/*.yaml`, one file for each topic.

// Clippy allows `unwrap` below `cfg(test)` only.
#[cfg(test)]
mod recorded {
    mod call;
    mod term;

    use std::path::Path;

    use plimsoll_rego::value::Value;
    use serde::Deserialize;
    use serde_json::Value as Json;

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Case {
        call: String,
        /// What OPA said.
        #[serde(default, deserialize_with = "present")]
        want: Option<Json>,
        /// The same, where it has numbers that YAML would round.
        want_json: Option<String>,
        /// What its message says.
        error: Option<String>,
    }

    /// Keeps `want: null` apart from no answer.
    fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Json>, D::Error> {
        Json::deserialize(deserializer).map(Some)
    }

    impl Case {
        fn wanted(&self) -> Result<Option<Value>, String> {
            if let Some(error) = &self.error {
                return Err(error.clone());
            }
            let json = self.want_json.clone().or_else(|| self.want.as_ref().map(Json::to_string));
            Ok(json.map(|json| call::answer(&term::Term::read(&json)).unwrap().unwrap()))
        }
    }

    #[test]
    fn calls_are_answered_as_opa_does() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recorded/cases");
        let only = std::env::var("RECORDED").unwrap_or_default();
        let mut wrong = Vec::new();
        for entry in std::fs::read_dir(folder).unwrap() {
            let file = entry.unwrap().path();
            if !file.to_string_lossy().contains(&only) {
                continue;
            }
            let cases: Vec<Case> = yaml_serde::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
            assert!(!cases.is_empty());
            wrong.extend(cases.iter().filter_map(differs));
        }
        assert!(wrong.is_empty(), "{} calls:\n{}", wrong.len(), wrong.join("\n"));
    }

    fn differs(case: &Case) -> Option<String> {
        let (wanted, found) = (case.wanted(), call::answer(&term::Term::read(&case.call)));
        let alike = match (&found, &wanted) {
            (Ok(found), Ok(wanted)) => found.as_ref().map(plain) == *wanted,
            (Err(found), Err(wanted)) => found.contains(wanted),
            _ => false,
        };
        (!alike).then(|| format!("{}\n  OPA: {}\n  we:  {}", case.call, show(&wanted), show(&found)))
    }

    fn show(answer: &Result<Option<Value>, String>) -> String {
        match answer {
            Ok(Some(value)) => value.to_string(),
            Ok(None) => "undefined".to_owned(),
            Err(error) => error.clone(),
        }
    }

    /// Calls that read or make much: `L` is a long text, `M` are many networks.
    const GREEDY: &[&str] = &[
        "crypto.md5(L)",
        "crypto.sha1(L)",
        "crypto.sha256(L)",
        "crypto.hmac.md5(L, \"\")",
        "crypto.hmac.sha1(\"\", L)",
        "crypto.hmac.sha256(L, \"\")",
        "crypto.hmac.sha512(L, \"\")",
        "crypto.hmac.equal(L, L)",
        "crypto.parse_private_keys(L)",
        "crypto.x509.parse_and_verify_certificates(L)",
        "crypto.x509.parse_and_verify_certificates_with_options(L, {})",
        "crypto.x509.parse_certificate_request(L)",
        "crypto.x509.parse_certificates(L)",
        "crypto.x509.parse_keypair(\"\", L)",
        "crypto.x509.parse_rsa_private_key(L)",
        "io.jwt.decode(L)",
        "io.jwt.decode_verify(\"\", {\"cert\": L})",
        "io.jwt.encode_sign({\"x\": L}, {}, {})",
        r#"io.jwt.encode_sign_raw(`{"alg": "HS256", "typ": "x"}`, L, `{"kty": "oct", "k": "c2VjcmV0"}`)"#,
        "io.jwt.verify_hs256(\"a.b.c\", L)",
        "io.jwt.verify_rs256(\"a.b.c\", L)",
        "net.cidr_contains(L, \"\")",
        "net.cidr_contains_matches(M, M)",
        "net.cidr_expand(\"10.0.0.0/8\")",
        "net.cidr_expand(\"::/0\")",
        "net.cidr_intersects(L, \"\")",
        "net.cidr_is_valid(L)",
        "net.cidr_merge(M)",
        "time.format([0, \"UTC\", L])",
        "time.parse_duration_ns(L)",
        "time.parse_ns(L, L)",
        "time.parse_rfc3339_ns(L)",
        "uuid.rfc4122(L)",
    ];

    /// Each is answered without limits, or would go on for ever.
    #[test]
    fn what_is_read_and_made_is_charged() {
        let long = format!("\"{}\"", "x".repeat(100_000));
        let many = format!("[{}]", vec!["\"10.0.0.0/8\""; 5_000].join(","));
        for text in GREEDY {
            let limits = plimsoll_rego::limits::Limits { memory: 50_000, ..Default::default() };
            let term = term::Term::read(&text.replace('L', &long).replace('M', &many));
            let error = call::within(limits, &term).expect_err(text);
            assert!(error.contains("more than 50000 bytes"), "{text}: {error}");
        }
    }

    /// A value as JSON has it: sets are arrays.
    fn plain(value: &Value) -> Value {
        match value {
            Value::Array(items) => Value::array(items.items().iter().map(plain)),
            Value::Set(members) => Value::array(members.members().iter().map(plain)),
            Value::Object(members) => Value::object(members.iter().map(|(key, value)| (plain(key), plain(value)))),
            other => other.clone(),
        }
    }
}
