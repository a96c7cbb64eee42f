//! `plimsoll manifests`: access rules, admission policies and webhooks generated from the table of kinds, so that they
//! never name more.
//!
//! ```text
//!  sync.yaml (kinds) ─► rbac: read what is replicated, patch what is placed, write the brake's record
//!                    ├► flow: how a busy API server queues the sidecar's requests
//!                    ├► policies: who may hold, what subresources may change, what our own account may write
//!                    └► webhooks: mutating (fails open) and validating (fails closed) on what is placed
//! ```

pub mod flow;
pub mod policies;
pub mod rbac;
pub mod scope;
mod table;
pub mod webhooks;

use std::io::Write;
use std::path::{Path, PathBuf};

use plimsoll_contract::annotations::HOLD;
use plimsoll_contract::controllers::{Controllers, Pattern};
use plimsoll_contract::exempt::POLICY_NAMESPACE;
use plimsoll_sidecar::config::schema::schema;
use plimsoll_sidecar::config::{Config, ConfigError};
use reqwest::Url;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::{self, PemObject};
use serde_json::Value as Json;

use self::policies::Guarded;
use self::webhooks::Review;

/// Name of the sidecar's ServiceAccount, of its rights and of the webhooks; what else is generated begins with it.
pub const NAME: &str = "plimsoll";

/// Options of `plimsoll manifests`.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// The sidecar's configuration, for its table of kinds.
    #[arg(long, value_name = "FILE", env = "PLIMSOLL_CONFIG", required_unless_present = "schema")]
    pub config: Option<PathBuf>,
    /// Print the JSON Schema of the sidecar's configuration, and nothing else.
    #[arg(long)]
    pub schema: bool,
    /// Namespace of the ServiceAccount, the lease and the policy ConfigMaps; never placed itself.
    #[arg(long, value_name = "NAME", default_value = POLICY_NAMESPACE)]
    pub namespace: String,
    /// Where the API server reaches the review listener.
    #[arg(long, value_name = "URL", default_value = "https://plimsoll.kube-federation-scheduling-policy.svc")]
    #[arg(value_parser = review_url)]
    pub review_url: String,
    /// PEM certificates that the API server trusts the review listener by; without it, the API server's own roots.
    #[arg(long, value_name = "FILE")]
    pub review_ca_file: Option<PathBuf>,
    /// User names of controllers, beside the API server's own, as for `serve`: they may copy `plimsoll.io/hold`.
    #[arg(long, value_name = "USER,…", value_delimiter = ',')]
    pub controllers: Vec<Pattern>,
    /// Annotation keys that policies may write, beside those of the targets, as for `serve`.
    #[arg(long, value_name = "KEY,…", value_delimiter = ',')]
    pub annotation_keys: Vec<String>,
    /// Annotation keys that other mutating webhooks set on the objects that the sidecar writes.
    #[arg(long, value_name = "KEY,…", value_delimiter = ',')]
    pub other_keys: Vec<String>,
    /// The sidecar is an initializer as well (`sync --initializer`): it gets the verb `initialize` on what is placed.
    #[arg(long)]
    pub initializer: bool,
    /// Leave the ValidatingAdmissionPolicies out, for Kubernetes below 1.30.
    #[arg(long)]
    pub without_admission_policies: bool,
    /// Leave the FlowSchemas out, for Kubernetes below 1.29 and API servers without priority and fairness.
    #[arg(long)]
    pub without_flow_schemas: bool,
}

/// Why no manifest could be made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file could not be read.
    #[error("could not read `{path}`")]
    Read {
        /// As given.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// An API server would refuse a webhook that trusts it.
    #[error("`{path}` holds no certificates alone that can be read: give PEM certificates, without keys")]
    NoCertificate {
        /// As given.
        path: PathBuf,
        /// Why it cannot be read; `None` where there is no certificate, or something beside them.
        source: Option<pem::Error>,
    },
    /// The configuration is one that the sidecar would refuse.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A webhook without rules would look installed and see nothing.
    #[error("`{0}` places no kind: give at least one row `place: true`")]
    NothingPlaced(PathBuf),
    /// Nothing could be written on an object of the kind.
    #[error(transparent)]
    Table(#[from] table::Error),
    /// There is nothing to make manifests from.
    #[error("no configuration is named: say --config FILE")]
    NoConfig,
    /// Another webhook may not be given what is an operator's.
    #[error("--other-keys: the sidecar never writes `{HOLD}`, nor may another webhook on its behalf")]
    OtherHold,
    /// The manifests could not be rendered.
    #[error("could not render the manifests")]
    Render(#[from] yaml_serde::Error),
    /// The output could not be written.
    #[error("could not write the manifests")]
    Write(#[from] std::io::Error),
}

/// Why an address is none of a review listener.
#[derive(Debug, thiserror::Error)]
enum ReviewUrlError {
    #[error("{0}; an address is wanted, such as `https://host:8443`")]
    Unreadable(#[source] <Url as std::str::FromStr>::Err),
    #[error("API servers call webhooks by `https://` alone")]
    Scheme,
    #[error("write it as `https://host:port`, without blanks, `\\` and `%`")]
    Form,
    #[error("an API server takes no user information in it")]
    User,
    #[error("the paths of the two webhooks are put behind it: leave `?` and `#` out")]
    Behind,
}

/// Prints the manifests as YAML documents. Fails when the configuration cannot be used or places no kind, or the output cannot be
/// written.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<(), Error> {
    if args.schema {
        return Ok(writeln!(out, "{:#}", schema())?);
    }
    let file = args.config.as_deref().ok_or(Error::NoConfig)?;
    let config = Config::read(file)?;
    if !config.kinds.iter().any(|kind| kind.place) {
        return Err(Error::NothingPlaced(file.into()));
    }
    table::check(file, &config.kinds)?;
    if args.other_keys.iter().any(|key| key == HOLD) {
        return Err(Error::OtherHold);
    }
    let documents = documents(args, &config)?;
    writeln!(out, "# Generated by `plimsoll manifests` from the table of kinds; do not edit.")?;
    for document in documents {
        write!(out, "---\n{}", yaml_serde::to_string(&document)?)?;
    }
    Ok(())
}

/// Returns the address of a review listener as it is given. Fails for one that no API server takes for a webhook (kubernetes
/// `apiserver/pkg/util/webhook/validation.go`, `ValidateWebhookURL`).
fn review_url(text: &str) -> Result<String, ReviewUrlError> {
    let url = Url::parse(text).map_err(ReviewUrlError::Unreadable)?;
    // `Url` reads as browsers do: it takes `https:host` and blanks around it, which an API server refuses.
    let is_plain = text.strip_prefix("https://").is_some_and(|rest| {
        let is_wrong = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '\\' | '%');
        !rest.starts_with('/') && !rest.contains(is_wrong)
    });
    let wrong = [
        (url.scheme() != "https", ReviewUrlError::Scheme),
        (url.scheme() == "https" && !is_plain, ReviewUrlError::Form),
        (!url.username().is_empty() || url.password().is_some(), ReviewUrlError::User),
        (url.query().is_some() || url.fragment().is_some(), ReviewUrlError::Behind),
    ];
    match wrong.into_iter().find(|(is_wrong, _)| *is_wrong) {
        Some((_, why)) => Err(why),
        None => Ok(text.to_owned()),
    }
}

/// Returns all manifests in the order in which they are to be applied. Webhooks come last: from then on, admission depends on the engine.
fn documents(args: &Args, config: &Config) -> Result<Vec<Json>, Error> {
    let ca = args.review_ca_file.as_deref().map(certificates).transpose()?;
    let review = Review { url: &args.review_url, ca: ca.as_deref() };
    let mut documents = rbac::documents(&args.namespace, &config.kinds, &config.brake.name, args.initializer);
    documents.push(rbac::record(&args.namespace, &config.brake.name));
    if !args.without_flow_schemas {
        documents.extend(flow::documents(&args.namespace));
    }
    if !args.without_admission_policies {
        // Without the policy nobody asks for the verb.
        documents.push(rbac::hold_role(&config.kinds));
        documents.extend(policies::documents(&guarded(args, config)));
    }
    let namespaces = scope::namespace_selector(&args.namespace, &config.exempt_namespaces);
    documents.extend(webhooks::documents(&namespaces, review, &config.kinds));
    Ok(documents)
}

fn guarded<'a>(args: &'a Args, config: &'a Config) -> Guarded<'a> {
    Guarded {
        namespace: &args.namespace,
        exempt_namespaces: &config.exempt_namespaces,
        kinds: &config.kinds,
        controllers: Controllers::with(args.controllers.iter().cloned()),
        annotation_keys: args.annotation_keys.iter().cloned().collect(),
        other_keys: args.other_keys.iter().cloned().collect(),
    }
}

/// Returns the text of a file of PEM certificates. Fails when it cannot be read, has no certificate, or has anything else in PEM, such as a
/// private key: whoever may read webhooks would read that, too.
fn certificates(path: &Path) -> Result<String, Error> {
    let text = std::fs::read_to_string(path).map_err(|source| Error::Read { path: path.into(), source })?;
    let failed = |source| Error::NoCertificate { path: path.into(), source };
    let found =
        CertificateDer::pem_slice_iter(text.as_bytes()).collect::<Result<Vec<_>, _>>().map_err(|error| failed(Some(error)))?;
    let others = text.lines().filter(|line| line.starts_with("-----BEGIN ")).count() != found.len();
    if found.is_empty() || others { Err(failed(None)) } else { Ok(text) }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct CommandLine {
        #[command(flatten)]
        args: Args,
    }

    const HEAD: &str = "source: s\nengine: {url: 'http://127.0.0.1:1'}\n";
    const PLACED: &str = "- {gvr: apps/v1/replicasets, kind: ReplicaSet, place: true}\n";

    fn render(kinds: &str, options: &[&str]) -> Result<String, Error> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("sync.yaml");
        std::fs::write(&path, format!("{HEAD}kinds:\n{kinds}")).unwrap();
        let config = format!("--config={}", path.display());
        let line = ["manifests", &config, "--namespace=policy", "--review-url=https://review.example"];
        let args = CommandLine::try_parse_from(line.iter().chain(options)).unwrap().args;
        let mut out = Vec::new();
        run(&args, &mut out).map(|()| String::from_utf8(out).unwrap())
    }

    /// Returns kind and name of each document.
    fn rendered(options: &[&str]) -> Vec<(String, String)> {
        let text = render(PLACED, options).unwrap();
        let documents = text.split("---\n").skip(1).map(|document| {
            let document: Json = yaml_serde::from_str(document).unwrap();
            let [kind, name] = [&document["kind"], &document["metadata"]["name"]].map(|text| text.as_str().unwrap().to_owned());
            (kind, name)
        });
        documents.collect()
    }

    #[test]
    fn a_webhook_that_no_api_server_takes_is_refused_before_anything_is_printed() {
        for (url, why) in [
            ("http://r.example:8443", "https"),
            ("r.example:8443", "https"),
            ("https://", "host"),
            ("https://u@r.example", "user information"),
            ("https:r.example", "write it as"),
            ("https:////r.example", "write it as"),
            (" https://r.example ", "write it as"),
            ("https://r.example/%zz", "write it as"),
            ("https://r.example/?x", "paths"),
            ("", "address"),
        ] {
            let refused = CommandLine::try_parse_from(["manifests", "--config=x", "--review-url", url]).unwrap_err().to_string();
            assert!(refused.contains(why), "{url}: {refused}");
        }
        let directory = tempfile::tempdir().unwrap();
        let pem = |text: &str| {
            let path = directory.path().join("ca.crt");
            std::fs::write(&path, text).unwrap();
            render(PLACED, &[&format!("--review-ca-file={}", path.display())])
        };
        let part = |label: &str| format!("-----BEGIN {label}-----\nAAAA\n-----END {label}-----\n");
        assert!(pem(&part("CERTIFICATE")).is_ok());
        let both = part("CERTIFICATE") + &part("PRIVATE KEY");
        for text in ["", "not PEM", &part("PRIVATE KEY"), &both] {
            let refused = pem(text).unwrap_err().to_string();
            assert!(refused.contains("holds no certificates alone"), "{text}: {refused}");
        }
    }

    #[test]
    fn every_document_is_yaml_with_a_kind_and_a_name_of_ours() {
        let documents = rendered(&[]);
        let kinds: Vec<&str> = documents.iter().map(|(kind, _)| kind.as_str()).collect();
        let [policy, binding] = ["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"];
        assert_eq!(kinds[..5], ["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding", "ConfigMap"]);
        assert_eq!(kinds[5..8], ["FlowSchema", "FlowSchema", "ClusterRole"]);
        assert_eq!(kinds[8..14], [policy, binding, policy, binding, policy, binding]);
        assert_eq!(kinds[14..], ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"]);
        assert!(documents.iter().all(|(_, name)| name.starts_with(NAME)), "{documents:?}");
    }

    #[test]
    fn what_older_api_servers_do_not_have_is_left_out_and_with_the_policies_the_verb_that_they_ask_for() {
        let without = rendered(&["--without-admission-policies", "--without-flow-schemas"]);
        assert!(without.iter().all(|(kind, name)| name == NAME || kind == "ConfigMap"), "{without:?}");
        assert_eq!(without.len(), 7);
    }

    #[test]
    fn nobody_holds_on_behalf_of_the_sidecar() {
        let error = render(PLACED, &["--other-keys=example.com/a,plimsoll.io/hold"]).unwrap_err();
        assert!(error.to_string().contains(HOLD), "{error}");
    }

    #[test]
    fn a_table_that_places_nothing_is_refused() {
        let error = render("- {gvr: v1/configmaps, kind: ConfigMap}\n", &[]).unwrap_err();
        assert!(error.to_string().contains("place: true"), "{error}");
    }

    #[test]
    fn a_placed_kind_that_nothing_can_be_written_on_is_refused_with_its_row() {
        let jobs = "- {gvr: v1/pods}\n- {gvr: batch/v1/jobs, place: true}\n";
        let error = render(jobs, &[]).unwrap_err().to_string();
        for part in ["sync.yaml", "kinds[1].target", "batch/v1/jobs", "target: "] {
            assert!(error.contains(part), "{part} in {error}");
        }
        assert!(render("- {gvr: batch/v1/jobs, place: true, target: example.com/clusters}\n", &[]).is_ok());
    }

    #[test]
    fn exempt_namespaces_reach_every_webhook_and_policy() {
        let kinds = format!("{PLACED}exemptNamespaces: [cert-manager]\n");
        let text = render(&kinds, &[]).unwrap();
        for kind in ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"] {
            let document = text.split("---\n").find(|document| document.contains(&format!("kind: {kind}\n"))).unwrap();
            assert!(document.contains("- cert-manager\n"), "{document}");
        }
        for policy in ["plimsoll-hold", "plimsoll-subresources", "plimsoll-sidecar"] {
            let header = format!("kind: ValidatingAdmissionPolicy\nmetadata:\n  name: {policy}\n");
            let document = text.split("---\n").find(|document| document.contains(&header)).unwrap();
            assert!(document.contains("cert-manager"), "{document}");
        }
        assert!(!render(PLACED, &[]).unwrap().contains("cert-manager"));
    }

    #[test]
    fn the_schema_needs_no_configuration_and_everything_else_does() {
        let parse = |line: &[&str]| CommandLine::try_parse_from(["manifests"].iter().chain(line)).map(|line| line.args);
        let mut out = Vec::new();
        run(&parse(&["--schema"]).unwrap(), &mut out).unwrap();
        let printed: Json = serde_json::from_slice(&out).unwrap();
        assert_eq!(printed, schema());
        assert!(parse(&[]).unwrap_err().to_string().contains("--config"));
    }

    #[test]
    fn t20_an_unknown_key_of_a_row_is_refused_by_name() {
        let error = anyhow::Error::new(render("- {gvr: v1/configmaps, plase: true}\n", &[]).unwrap_err());
        assert!(format!("{error:#}").contains("plase"), "{error:#}");
    }

    #[test]
    fn a_missing_file_is_named() {
        let args = CommandLine::try_parse_from(["manifests", "--config=/nowhere/sync.yaml"]).unwrap().args;
        let error = run(&args, &mut Vec::new()).unwrap_err();
        assert!(error.to_string().contains("/nowhere/sync.yaml"), "{error}");
    }
}
