//! The bodies of a sync: NDJSON, header first.

use std::collections::HashSet;

use bytes::{BufMut, Bytes, BytesMut};
use plimsoll_contract::kind::Gvr;
use plimsoll_contract::source::{Delta, SyncHeader, SyncMode};
use plimsoll_contract::version::ResourceVersion;

use super::object::{Change, Object};
use super::seen::Seen;

/// The first line of a body, made when the body is sent: it says how long ago the API server was asked.
#[derive(Clone, Debug)]
pub(super) struct Header {
    session: String,
    kind: Gvr,
    mode: SyncMode,
    version: Option<ResourceVersion>,
    seen: Option<Seen>,
}

impl Header {
    /// Of a full list.
    pub(super) fn replace(session: &str, gvr: &Gvr, seen: &Seen) -> Self {
        Self { session: session.into(), kind: gvr.clone(), mode: SyncMode::Replace, version: None, seen: Some(seen.clone()) }
    }

    /// Of changes up to a version.
    pub(super) fn delta(session: &str, gvr: &Gvr, version: Option<ResourceVersion>) -> Self {
        Self { session: session.into(), kind: gvr.clone(), mode: SyncMode::Delta, version, seen: None }
    }

    /// Of no change at all: everything told so far is all there is.
    pub(super) fn proof(session: &str, gvr: &Gvr, seen: &Seen) -> Self {
        Self { mode: SyncMode::Delta, ..Self::replace(session, gvr, seen) }
    }

    /// The line, as of now.
    pub(super) fn line(&self) -> Bytes {
        let header = SyncHeader {
            session: self.session.clone(),
            kind: self.kind.clone(),
            mode: self.mode,
            resource_version: self.seen.as_ref().map_or_else(|| self.version.clone(), |seen| seen.version.clone()),
            listed_millis_ago: self.seen.as_ref().and_then(Seen::listed_millis_ago),
        };
        // Strings and enums always serialise.
        let mut line = serde_json::to_vec(&header).unwrap_or_default();
        line.push(b'\n');
        line.into()
    }
}

/// One line per object.
pub(super) fn objects(objects: &[Object]) -> Bytes {
    let mut body = BytesMut::with_capacity(objects.iter().map(|object| object.json.len() + 1).sum());
    for object in objects {
        body.put_slice(&object.json);
        body.put_u8(b'\n');
    }
    body.freeze()
}

/// A whole delta: of several changes of one object only the last counts. No change at all is a proof of freshness.
pub(super) fn delta(header: &Header, changes: &[Change]) -> Bytes {
    let mut body = BytesMut::from(header.line());
    for change in latest(changes) {
        match change {
            Change::Put(object) => {
                body.put_slice(br#"{"put":"#);
                body.put_slice(&object.json);
                body.put_slice(b"}\n");
            }
            Change::Remove(name) => {
                // Strings always serialise.
                body.put_slice(&serde_json::to_vec(&Delta::Remove(name.clone())).unwrap_or_default());
                body.put_u8(b'\n');
            }
        }
    }
    body.freeze()
}

fn latest(changes: &[Change]) -> impl Iterator<Item = &Change> {
    let mut seen = HashSet::new();
    let name = |change: &Change| match change {
        Change::Put(object) => object.name.clone(),
        Change::Remove(name) => name.clone(),
    };
    let mut kept: Vec<&Change> = changes.iter().rev().filter(|change| seen.insert(name(change))).collect();
    kept.reverse();
    kept.into_iter()
}

#[cfg(test)]
mod tests {
    use plimsoll_contract::source::ObjectName;

    use super::*;

    fn name(name: &str) -> ObjectName {
        ObjectName { namespace: "n".into(), name: name.into() }
    }

    fn put(object: &str, version: u32) -> Change {
        let json = format!(r#"{{"metadata":{{"name":"{object}"}},"v":{version}}}"#);
        let resource_version = version.to_string();
        Change::Put(Object { name: name(object), uid: String::new(), resource_version, json: json.into() })
    }

    fn lines(changes: &[Change]) -> Vec<String> {
        let gvr = Gvr::try_from("v1/pods".to_owned()).unwrap();
        let body = delta(&Header::delta("s", &gvr, ResourceVersion::parse("7")), changes);
        String::from_utf8(body.to_vec()).unwrap().lines().map(str::to_owned).collect()
    }

    #[test]
    fn each_line_is_what_the_contract_reads() {
        let lines = lines(&[put("a", 1), Change::Remove(name("b"))]);
        let header: SyncHeader = serde_json::from_str(&lines[0]).unwrap();
        assert_eq!((header.session.as_str(), header.mode), ("s", SyncMode::Delta));
        assert_eq!((header.resource_version, header.listed_millis_ago), (ResourceVersion::parse("7"), None));
        assert!(matches!(serde_json::from_str(&lines[1]).unwrap(), Delta::Put(object) if object["v"] == 1));
        assert_eq!(serde_json::from_str::<Delta>(&lines[2]).unwrap(), Delta::Remove(name("b")));
    }

    #[test]
    fn only_the_last_change_of_an_object_is_sent() {
        let lines = lines(&[put("a", 1), put("b", 2), put("a", 3), Change::Remove(name("b")), put("c", 4)]);
        assert_eq!(lines.len(), 4);
        assert!(lines[1].contains("\"v\":3") && lines[2].contains("remove") && lines[3].contains("\"v\":4"));
    }

    #[test]
    fn no_change_is_a_header_alone() {
        assert_eq!(lines(&[]).len(), 1);
    }
}
