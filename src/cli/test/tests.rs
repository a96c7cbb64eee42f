//! Tests of policies, run as a user runs them.

use super::*;

fn args(dir: &std::path::Path) -> Args {
    Args {
        subject: Subject { paths: vec![dir.display().to_string()], ..Subject::default() },
        verbose: false,
        explain: None,
        run: None,
        format: Format::Pretty,
        coverage: false,
        threshold: 0.0,
        #[cfg(feature = "dev")]
        second_opinion: false,
        watch: false,
    }
}

/// Runs the tests in these files. Returns standard output, standard error and the exit code.
fn report(files: &[(&str, &str)], edit: impl FnOnce(&mut Args)) -> (String, String, String) {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    let mut args = args(dir.path());
    edit(&mut args);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = once(&args, &mut out, &mut err).unwrap();
    let plain = |bytes| String::from_utf8(bytes).unwrap().replace(&format!("{}/", dir.path().display()), "");
    (plain(out), plain(err), format!("{code:?}"))
}

fn code(code: u8) -> String {
    format!("{:?}", ExitCode::from(code))
}

const POLICY: (&str, &str) = ("a.rego", "package a\n\nallow if input.x == 1\n");

#[test]
fn all_passing_prints_one_line_and_exits_0() {
    let tests = ("a_test.rego", "package a_test\n\nimport data.a\n\ntest_x if a.allow with input as {\"x\": 1}\n");
    assert_eq!(report(&[POLICY, tests], |_| ()), ("PASS: 1/1\n".into(), String::new(), code(0)));
}

#[test]
fn a_pattern_that_no_test_matches_is_said_and_exits_0_as_with_opa() {
    let tests = ("a_test.rego", "package a_test\n\ntest_x if true\n");
    let (text, err, exit) = report(&[POLICY, tests], |args| args.run = Some(Regex::new("nosuch").unwrap()));
    assert!(text.is_empty() && err.contains("no test matches `nosuch`"), "{text}{err}");
    assert_eq!(exit, code(0));
}

#[test]
fn a_failing_test_is_named_with_its_place_and_exits_2() {
    let tests = (
        "a_test.rego",
        "package a_test\n\ntest_ok if true\n\ntest_bad if { print(\"hi\", 1); data.a.allow }\n\ntodo_test_later if false\n",
    );
    let (text, _, exit) = report(&[POLICY, tests], |_| ());
    assert!(text.starts_with("a_test.rego:5:\ndata.a_test.test_bad: FAIL ("), "{text}");
    assert!(text.contains("\n\n  hi 1\n\n"), "{text}");
    assert!(text.contains("\ndata.a_test.todo_test_later: SKIPPED\n"), "{text}");
    assert!(text.ends_with("PASS: 1/3\nFAIL: 1/3\nSKIPPED: 1/3\n"), "{text}");
    assert_eq!(exit, code(2));
}

#[test]
fn run_selects_by_pattern_and_verbose_says_every_test() {
    let tests = ("a_test.rego", "package a_test\n\ntest_one if true\n\ntest_two if false\n");
    let (text, _, exit) = report(&[POLICY, tests], |args| {
        args.run = Some(Regex::new("^data.a_test.*one$").unwrap());
        args.verbose = true;
    });
    assert!(text.contains("data.a_test.test_one: PASS ("), "{text}");
    assert!(text.ends_with("PASS: 1/1\n"), "{text}");
    assert_eq!(exit, code(0));
}

#[test]
fn policies_that_do_not_compile_are_reported_with_their_place_and_exit_1() {
    let (_, text, exit) = report(&[("bad.rego", "package a\n\nallow if x\n")], |_| ());
    assert!(text.starts_with("1 error occurred: bad.rego:3:"), "{text}");
    assert_eq!(exit, code(1));
}

#[test]
fn json_and_junit_say_every_test() {
    let tests = ("a_test.rego", "package a_test\n\ntest_ok if true\n\ntest_bad if { print(\"<&\"); false }\n");
    let (text, _, _) = report(&[POLICY, tests], |args| args.format = Format::Json);
    let all: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(all.pointer("/0/name"), Some(&"test_ok".into()), "{text}");
    assert_eq!(all.pointer("/0/fail"), None, "{text}");
    assert_eq!(all.pointer("/1/fail"), Some(&true.into()), "{text}");
    assert_eq!(all.pointer("/1/output"), Some(&"PCYK".into()), "{text}");
    assert_eq!(all.pointer("/1/location/row"), Some(&5.into()), "{text}");
    let (text, _, exit) = report(&[POLICY, tests], |args| args.format = Format::Junit);
    assert!(text.contains("<testsuite name=\"data.a_test\" tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\""), "{text}");
    assert!(text.contains("<system-out>&lt;&amp;\n</system-out>"), "{text}");
    assert_eq!(exit, code(2));
}

/// The figures and ranges are those of `opa test --coverage`.
#[test]
fn coverage_is_by_rows_and_columns_and_holds_to_its_threshold() {
    let policy = ("a.rego", "package a\n\nallow if {\n\tinput.x == 1\n\tinput.y == 2\n}\n\ndeny if {\n\tinput.z\n}\n");
    let tests = ("a_test.rego", "package a_test\n\ntest_x if not data.a.allow with input as {\"x\": 2}\n");
    let (text, _, exit) = report(&[policy, tests], |args| args.coverage = true);
    let report_of: serde_json::Value = serde_json::from_str(&text).unwrap();
    let file = &report_of["files"]["a.rego"];
    let excluded = serde_json::json!({"start": {"row": 4, "col": 2}, "end": {"row": 4, "col": 14}, "kinds": ["index_excluded"]});
    assert_eq!((&file["not_covered"][1], &file["not_covered_lines"]), (&excluded, &5.into()), "{text}");
    assert_eq!((&report_of["coverage"], exit), (&serde_json::json!(100.0 / 6.0), code(0)), "{text}");
    let (_, text, exit) = report(&[policy, tests], |args| (args.threshold, args.verbose) = (60.0, true));
    let expected =
        "Code coverage threshold not met: got 16.67 instead of 60.00\nLines not covered:\n\ta.rego:3-5\n\ta.rego:8-9\n";
    assert_eq!((text.as_str(), exit), (expected, code(2)));
}
