//! One line of a watch, understood.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::cluster::Fault;
use crate::replicate::object::{Change, Object, Stamp, Unfit};

/// The event on one line of a watch.
#[derive(Debug)]
pub(in crate::replicate) enum Event {
    /// An object changed, at this version.
    Change { change: Change, version: String },
    /// Nothing else happened up to this version.
    Bookmark { version: String },
    /// A line that cannot be replicated; its version is empty if even that cannot be read.
    Unfit { unfit: Unfit, version: String },
    /// The watch has failed.
    Error(Fault),
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, rename = "type")]
    event: Cow<'a, str>,
    #[serde(borrow)]
    object: &'a RawValue,
}

/// Reads a line; objects get group and kind if they lack them.
pub(in crate::replicate) fn understand(line: &[u8], stamp: &Stamp) -> Event {
    let line: Line<'_> = match serde_json::from_slice(line) {
        Ok(line) => line,
        Err(error) => return Event::Unfit { unfit: error.into(), version: String::new() },
    };
    match line.event.as_ref() {
        "BOOKMARK" => match version(line.object) {
            Ok(version) => Event::Bookmark { version },
            Err(error) => Event::Unfit { unfit: error.into(), version: String::new() },
        },
        "ERROR" => Event::Error(status(line.object)),
        event => match Object::read(line.object, stamp) {
            Err(unfit) => Event::Unfit { unfit, version: version(line.object).unwrap_or_default() },
            Ok(object) if event == "DELETED" => {
                Event::Change { version: object.resource_version, change: Change::Remove(object.name) }
            }
            Ok(object) => Event::Change { version: object.resource_version.clone(), change: Change::Put(object) },
        },
    }
}

fn version(object: &RawValue) -> Result<String, serde_json::Error> {
    #[derive(Deserialize)]
    struct Head {
        metadata: Metadata,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Metadata {
        resource_version: String,
    }
    serde_json::from_str::<Head>(object.get()).map(|head| head.metadata.resource_version)
}

fn status(object: &RawValue) -> Fault {
    #[derive(Deserialize)]
    struct Status {
        #[serde(default)]
        code: u16,
        #[serde(default)]
        reason: String,
        #[serde(default)]
        message: String,
    }
    match serde_json::from_str(object.get()) {
        Ok(Status { code, reason, message }) => Fault::Answered { code, reason, message },
        Err(error) => Fault::Unreadable(error.to_string()),
    }
}
