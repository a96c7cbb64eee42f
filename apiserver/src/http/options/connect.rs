//! The options of a stream, as the query of its request says them. Source: `kubernetes` `pkg/apis/core/v1/zz_generated.conversion.go`,
//! from `url.Values`.

use serde_json::{Map, Value as Json};

use crate::http::query::Query;
use crate::resources::connect::Connect;
use crate::status::Status;

const STREAMS: [&str; 4] = ["stdin", "stdout", "stderr", "tty"];

/// Returns the object that admission is shown, such as `PodAttachOptions`; what is false or empty is left out. Fails for a dry run, which no
/// stream knows, and for ports that are none.
pub fn connect(connect: Connect, query: &Query) -> Result<Json, Status> {
    if query.get("dryRun").is_some() {
        return Err(Status::bad_request("dryRun is not supported"));
    }
    let mut options = Map::new();
    options.insert("kind".to_owned(), connect.kind().into());
    options.insert("apiVersion".to_owned(), "v1".into());
    match connect {
        Connect::Attach => streams(&mut options, query),
        Connect::Exec => {
            streams(&mut options, query);
            let command: Vec<&str> = query.all("command").collect();
            options.insert("command".to_owned(), if command.is_empty() { Json::Null } else { command.into() });
        }
        Connect::PortForward => {
            let ports = ports(query)?;
            if !ports.is_empty() {
                options.insert("ports".to_owned(), ports.into());
            }
        }
    }
    Ok(Json::Object(options))
}

fn streams(options: &mut Map<String, Json>, query: &Query) {
    for name in STREAMS.into_iter().filter(|name| query.flag(name)) {
        options.insert(name.to_owned(), true.into());
    }
    if let Some(container) = query.get("container").filter(|name| !name.is_empty()) {
        options.insert("container".to_owned(), container.into());
    }
}

/// Each value may be a list with commas.
fn ports(query: &Query) -> Result<Vec<u16>, Status> {
    let texts = query.all("ports").flat_map(|value| value.split(','));
    let port = |text: &str| {
        let refused =
            |error| Status::bad_request(format!("ports: Invalid value: {text:?}: must be a number from 0 to 65535: {error}"));
        text.parse::<u16>().map_err(refused)
    };
    texts.map(port).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_query_is_an_object_of_options() {
        let table = [
            (Connect::Attach, "", json!({"kind": "PodAttachOptions"})),
            (
                Connect::Attach,
                "container=c&stdin=true&stdout=true&stderr=false&tty=0",
                json!({"kind": "PodAttachOptions", "stdin": true, "stdout": true, "container": "c"}),
            ),
            (
                Connect::Exec,
                "command=sh&command=-c&tty=",
                json!({"kind": "PodExecOptions", "tty": true, "command": ["sh", "-c"]}),
            ),
            (Connect::Exec, "", json!({"kind": "PodExecOptions", "command": null})),
            (Connect::PortForward, "ports=80,443&ports=8080", json!({"kind": "PodPortForwardOptions", "ports": [80, 443, 8080]})),
            (Connect::PortForward, "", json!({"kind": "PodPortForwardOptions"})),
        ];
        for (of, query, mut expected) in table {
            expected["apiVersion"] = "v1".into();
            assert_eq!(connect(of, &Query::read(query).unwrap()).unwrap(), expected, "{query}");
        }
    }

    #[test]
    fn ports_that_are_none_and_dry_runs_are_refused() {
        for (of, query) in [
            (Connect::PortForward, "ports=http"),
            (Connect::PortForward, "ports=80,"),
            (Connect::PortForward, "ports=65536"),
            (Connect::Attach, "dryRun=All"),
        ] {
            assert_eq!(connect(of, &Query::read(query).unwrap()).unwrap_err().code, 400, "{query}");
        }
    }
}
