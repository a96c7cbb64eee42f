//! Configurations as people write them, and as they get them wrong.

use super::*;

const WHOLE: &str = "
services:
  acme:
    url: https://user:hidden1@control.example/v1
    headers: {X-Team: hidden2}
    response_header_timeout_seconds: 5
    credentials: {bearer: {token: hidden3}}
  local: {url: 'http://127.0.0.1:8888'}
labels: {region: eu}
bundles:
  authz:
    service: local
    polling: {min_delay_seconds: 10, max_delay_seconds: 20, long_polling_timeout_seconds: 30}
    persist: true
    signing: {keyid: k1, scope: write}
decision_logs:
  console: true
  service: acme
  reporting: {max_decisions_per_second: 100, min_delay_seconds: 1, max_delay_seconds: 2}
status: {service: acme}
keys: {k1: {key: hidden4, algorithm: HS256}}
default_decision: /a/b
server: {encoding: {gzip: {min_length: 10}}, decoding: {max_length: 1000}}
";

#[test]
fn a_whole_configuration_is_read() {
    let config = parse(WHOLE, "me").unwrap();
    assert_eq!(config.bundles["authz"].resource, "bundles/authz");
    assert_eq!(config.bundles["authz"].polling.delays(), (10, 20));
    assert_eq!(config.decision_logs.as_ref().unwrap().upload_path(), "/logs");
    assert_eq!(config.labels["id"], "me");
    assert_eq!((config.server.decoding.max_length, config.server.decoding.gzip.max_length), (Some(1000), None));
    assert_eq!(config.server.encoding.gzip.compression_level, 9);
}

#[test]
fn secrets_are_shown_nowhere() {
    let config = parse(WHOLE, "me").unwrap();
    for text in [format!("{config:?}").replace("https://user:hidden1@", ""), config.active.to_string()] {
        assert!(!text.contains("hidden"), "{text}");
    }
    assert_eq!(config.active["services"]["acme"]["url"], "https://control.example/v1");
    assert_eq!(config.active["default_authorization_decision"], "/system/authz/allow");
    assert_eq!(config.active["keys"]["k1"]["algorithm"], "HS256");
}

#[test]
fn services_may_be_a_list_and_the_first_is_the_default() {
    let config =
        parse("{services: [{name: b, url: 'http://b'}, {name: a, url: 'http://a'}], bundles: {x: {}}, status: {}}", "").unwrap();
    assert_eq!(config.bundles["x"].service, "a");
    assert_eq!(config.status.unwrap().service, "a");
    assert!(parse("", "").unwrap().decision_logs.is_none());
}

#[test]
fn what_is_not_supported_is_named_with_its_path() {
    let table = [
        ("discovery: {}", "`discovery`"),
        ("caching: {}", "`caching`"),
        ("bundles: {a: {polling: {every: 3}}}", "`bundles.a.polling.every`"),
        ("bundles: {a: {trigger: manual}}", "`bundles.a.trigger`"),
        ("decision_logs: {nd_builtin_cache: true}", "`decision_logs.nd_builtin_cache`"),
        ("services: {a: {url: 'http://a', credentials: {s3_signing: {}}}}", "`services.a.credentials.s3_signing`"),
        ("services: {a: {url: 'http://a', credentials: {oauth2: {token_url: 'http://t'}}}}", "`services.a.credentials.oauth2`"),
        ("services: {a: {url: 'http://a', credentials: {gcp_metadata: {}}}}", "`services.a.credentials.gcp_metadata`"),
        ("services: {a: {url: 'http://a', type: oci}}", "`services.a.type`"),
        ("services: {a: {url: 'ftp://a'}}", "`services.a`: url"),
        ("services: {a: {url: 'http://a', credentials: {bearer: {}}}}", "\"token\" or \"token_path\""),
        ("services: [{url: 'http://a'}]", "services[0].name"),
        ("bundles: {a: {}}", "there is no service"),
        ("bundles: {a: {resource: 'file:///a', signing: {exclude_files: ['[a]*']}}}", "exclude_files: pattern \"[a]*\""),
        ("{services: {a: {url: 'http://a'}}, bundles: {b: {service: c}}}", "service name \"c\" not found"),
        ("{services: {a: {url: 'http://a'}}, bundles: {b: {signing: {keyid: k}}}}", "key id k not found"),
        ("{services: {a: {url: 'http://a'}}, bundles: {b: {polling: {min_delay_seconds: 2}}}}", "missing 'max_delay_seconds'"),
        ("decision_logs: {console: true, reporting: {buffer_type: event, buffer_size_limit_bytes: 1}}", "event buffer type"),
        ("decision_logs: {plugin: other}", "`other` is not known"),
        ("decision_logs: {plugin: file_logger}", "`plugins.file_logger` is not configured"),
        ("decision_logs: {console: true, reporting: {trigger: manual}}", "`decision_logs.reporting.trigger`"),
        ("plugins: {file_logger: {path: a, max_age_days: 3}}", "`plugins.file_logger.max_age_days`"),
        ("plugins: {file_logger: {path: a, compress: true}}", "`plugins.file_logger.compress`"),
        ("server: {encoding: {gzip: {compression_level: 10}}}", "between 0 and 9"),
        ("[]", "invalid type"),
        ("a: b: c", "not YAML"),
    ];
    for (text, part) in table {
        let error = parse(text, "").unwrap_err().to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
}

#[test]
fn a_bundle_that_is_null_is_none() {
    assert!(parse("bundles: {b: null}", "").unwrap().bundles.is_empty());
}
