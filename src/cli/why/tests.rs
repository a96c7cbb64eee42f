//! The shipped policies on the shipped fleet, explained for people.

use std::process::ExitCode;

use super::*;

#[derive(clap::Parser)]
struct Line {
    #[command(flatten)]
    args: Args,
}

/// Runs the command line in the repository.
fn said(line: &str) -> anyhow::Result<(ExitCode, String)> {
    let root = env!("CARGO_MANIFEST_DIR");
    let words = line.split_whitespace().map(|word| match std::path::Path::new(root).join(word).exists() {
        true => format!("{root}/{word}"),
        false => word.to_owned(),
    });
    let line = <Line as clap::Parser>::try_parse_from(std::iter::once("why".to_owned()).chain(words))?;
    let mut out = Vec::new();
    let code = run(&line.args, &mut out)?;
    Ok((code, String::from_utf8(out)?.replace(&format!("{root}/policies/"), "")))
}

const SHIPPED: &str = "--policies policies --state examples/fleet";

#[test]
fn people_are_told_what_keeps_a_cluster_out() {
    let line = format!("{SHIPPED} -f examples/workloads/payments.yaml -c us-oregon,eu-dublin");
    let (code, text) = said(&line).unwrap();
    assert_eq!(code, ExitCode::SUCCESS);
    let expected = "\
ReplicaSet default/payments: placed
  revision 5
  asked ■□  in 1 of the 2 asked
  ■ in  eu-dublin  by lib/rules.rego:17:1 data.plimsoll.rules.chosen
  □ out us-oregon  not PCI certified; region \"us-west1\" is outside eu
    lib/rules.rego:17:1 data.plimsoll.rules.chosen
      lib/rules.rego:19:2 fails: not is_rejected(name)  (name is \"us-oregon\")
        lib/rules.rego:22:1 data.plimsoll.rules.is_rejected
          placement/compliance.rego:11:1 data.plimsoll.rules.reject
            placement/compliance.rego:7:1 data.plimsoll.rules.requires_pci
              placement/compliance.rego:7:17 holds: annotation(\"requires-pci\") == \"true\"  (annotation(\"requires-pci\") is \"true\")
            placement/compliance.rego:14:2 holds: object.get(cluster.annotations, \"pci-certified\", \"\") != \"true\"  (object.get(cluster.annotations, \"pci-certified\", \"\") is \"false\")
          placement/jurisdiction.rego:52:1 data.plimsoll.rules.reject
            placement/jurisdiction.rego:60:1 data.plimsoll.rules.is_inside
              placement/jurisdiction.rego:60:32 fails: regions[lower(cluster.provider)][cluster.region]
            placement/jurisdiction.rego:62:1 data.plimsoll.rules.is_inside
              placement/jurisdiction.rego:63:2 fails: cluster.provider == \"\"  (cluster.provider is \"gcp\")
              placement/jurisdiction.rego:65:2 fails: regions[provider][cluster.region]
          lib/rules.rego:24:2 holds: entry.cluster == name  (name is \"us-oregon\")
";
    assert_eq!(text, expected);
}

#[test]
fn a_denial_leads_to_the_rule_that_denies() {
    let (code, text) = said(&format!("{SHIPPED} -f examples/workloads/refused.yaml -c ap-tokyo")).unwrap();
    assert_eq!(code, ExitCode::from(2));
    let lines: Vec<_> = text.lines().collect();
    assert!(lines[2].contains("errors: none of the requested clusters is allowed: ap-tokyo (not PCI certified)"), "{text}");
    assert!(text.contains("placement/requested.rego:55:2 holds: count(chosen) == 0"), "{text}");
}

#[test]
fn without_an_opinion_no_cluster_is_out() {
    let (code, text) = said(&format!("{SHIPPED} -f examples/workloads/web.yaml")).unwrap();
    assert_eq!(code, ExitCode::SUCCESS);
    assert!(text.starts_with("Deployment default/web: no opinion: policy says nothing of it\n"), "{text}");
    assert!(!text.contains("fleet ") && !text.contains("out "), "{text}");
    let (_, text) = said(&format!("{SHIPPED} -f examples/workloads/payments.yaml")).unwrap();
    assert!(text.contains("in 3 of 8\n"), "{text}");
    let (_, text) = said("--policies policies -f examples/workloads/payments.yaml").unwrap();
    assert!(text.contains("  note: there is no cluster in the state: give the fleet's manifests with --state\n"), "{text}");
}

#[test]
fn machines_are_told_all() {
    let (_, text) = said(&format!("{SHIPPED} -f examples/workloads/payments.yaml -o json")).unwrap();
    let all: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(all["objects"][0]["clusters"].as_array().map(Vec::len), Some(8));
    assert!(all["objects"][0]["clusters"][0]["alternatives"][0]["conditions"].is_array());
}

#[test]
fn wrong_use_is_said() {
    // What is there already is the same.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let table = [
        ("", "which object"),
        ("replicaset", "no name behind the kind"),
        ("--policies policies", "--filename"),
        ("--policies policies replicaset web", "no object is given: name files with -f"),
        ("--server nonsense replicaset web", "`nonsense` is no address"),
        ("--token-file /nonexistent/file replicaset web", "/nonexistent/file"),
        ("--server http://127.0.0.1:1 replicaset web", "is an engine there? Name another with --server URL"),
    ];
    for (line, part) in table {
        let error = said(line).map(|(_, text)| text).unwrap_err();
        assert!(format!("{error:#}").contains(part), "{line}: {error:#}");
    }
}
