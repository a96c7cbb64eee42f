//! One consistent read of an API server's configurations: LISTs without `resourceVersion`, which are answered from the last commit.

use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::error::RefreshError;
use crate::admission::REGISTRATION;
use crate::admission::outbound::{GetError, Peer};

/// Largest answer, in bytes: all configurations of one kind.
const LIMIT: usize = 16 << 20;
/// The versions of webhooks, the wanted one first.
const WEBHOOKS: [&str; 2] = ["v1", "v1beta1"];
const ALPHA: [&str; 1] = ["v1alpha1"];

/// The kinds of configurations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Mutating,
    Validating,
    /// Of hooks of Kubernetes 1.7.
    External,
    Initializers,
}

/// The answers of one read; none of a kind that is not served.
#[derive(Debug, Default)]
pub(super) struct Answers(Vec<(Kind, Answer)>);

#[derive(Debug)]
struct Answer {
    path: String,
    body: Bytes,
}

/// One configuration, as text.
pub(super) struct Configuration {
    pub(super) kind: Kind,
    pub(super) name: String,
    pub(super) text: Box<RawValue>,
}

/// A list of one kind.
#[derive(Deserialize)]
struct List {
    kind: String,
    metadata: Metadata,
    /// Go's empty list may be null.
    items: Option<Vec<Box<RawValue>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    #[serde(default)]
    resource_version: String,
    #[serde(default, rename = "continue")]
    rest: String,
}

#[derive(Deserialize)]
struct Item {
    metadata: Named,
}

#[derive(Deserialize)]
struct Named {
    #[serde(default)]
    name: String,
}

/// The versions of a group.
#[derive(Deserialize)]
struct Group {
    versions: Vec<Version>,
}

#[derive(Deserialize)]
struct Version {
    version: String,
}

/// The resources of a version.
#[derive(Deserialize)]
struct Resources {
    resources: Vec<Named>,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Mutating, Self::Validating, Self::External, Self::Initializers];

    fn name(self) -> &'static str {
        match self {
            Self::Mutating => "MutatingWebhookConfiguration",
            Self::Validating => "ValidatingWebhookConfiguration",
            Self::External => "ExternalAdmissionHookConfiguration",
            Self::Initializers => "InitializerConfiguration",
        }
    }

    fn plural(self) -> String {
        format!("{}s", self.name().to_lowercase())
    }

    fn versions(self) -> &'static [&'static str] {
        if matches!(self, Self::Mutating | Self::Validating) { &WEBHOOKS } else { &ALPHA }
    }
}

/// Asks for all kinds that are served, one after the other. Fails when one is not got. What is served is asked of discovery, for a list of what is
/// not is answered with 403 to who may not list it, and 404 to who may.
pub(super) async fn ask(peer: &Peer) -> Result<Answers, RefreshError> {
    let versions = versions(peer).await?;
    let is_served = |version: &&&str| versions.iter().any(|served| served == **version);
    let alpha = match ALPHA.iter().find(is_served) {
        Some(version) => resources(peer, version).await?,
        None => Vec::new(),
    };
    let mut answers = Vec::new();
    for kind in Kind::ALL {
        let Some(version) = kind.versions().iter().find(is_served) else { continue };
        let plural = kind.plural();
        if ALPHA.contains(version) && !alpha.contains(&plural) {
            continue;
        }
        let segments = ["apis", REGISTRATION, version, &plural];
        answers.push((kind, Answer { path: segments.join("/"), body: peer.get(&segments, LIMIT).await? }));
    }
    Ok(Answers(answers))
}

async fn versions(peer: &Peer) -> Result<Vec<String>, RefreshError> {
    let segments = ["apis", REGISTRATION];
    let group: Group = read(&segments.join("/"), &peer.get(&segments, LIMIT).await?)?;
    Ok(group.versions.into_iter().map(|served| served.version).collect())
}

async fn resources(peer: &Peer, version: &str) -> Result<Vec<String>, RefreshError> {
    let segments = ["apis", REGISTRATION, version];
    let list: Resources = match peer.get(&segments, LIMIT).await {
        // Its last resource has just gone.
        Err(GetError::Answered { code: 404, .. }) => return Ok(Vec::new()),
        answer => read(&segments.join("/"), &answer?)?,
    };
    Ok(list.resources.into_iter().map(|served| served.name).collect())
}

impl Answers {
    /// Reads the answers: the configurations of each kind in the order of their names (bytes), and the resourceVersion of the first list, for
    /// every change up to it is in all of them. Fails when one is no whole list.
    pub(super) fn read(self) -> Result<(Vec<Configuration>, String), RefreshError> {
        let (mut all, mut revision) = (Vec::new(), None);
        for (kind, Answer { path, body }) in self.0 {
            let list: List = read(&path, &body)?;
            let unexpected = |why| RefreshError::Unexpected { path: path.clone(), why };
            if list.kind.strip_suffix("List") != Some(kind.name()) {
                return Err(unexpected("it is no list of that kind"));
            }
            if !list.metadata.rest.is_empty() {
                return Err(unexpected("only a part of the list was sent, and none was asked for"));
            }
            for text in list.items.unwrap_or_default() {
                let Item { metadata: Named { name } } = read(&path, text.get().as_bytes())?;
                if name.is_empty() {
                    return Err(unexpected("an item has no name"));
                }
                all.push(Configuration { kind, name, text });
            }
            revision.get_or_insert(list.metadata.resource_version);
        }
        all.sort_by(|one, other| (one.kind, &one.name).cmp(&(other.kind, &other.name)));
        Ok((all, revision.unwrap_or_default()))
    }
}

fn read<'a, T: Deserialize<'a>>(path: &str, body: &'a [u8]) -> Result<T, RefreshError> {
    serde_json::from_slice(body).map_err(|source| RefreshError::Unreadable { path: path.into(), source })
}
