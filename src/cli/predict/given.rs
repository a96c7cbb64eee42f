//! The objects on the command line. Options and files that contradict each other are an error before any server is asked.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::{Args, Operation};
use crate::cli::place::read::{self, Manifest, ReadError};

/// The namespace of an object that names none, without `-n`.
const DEFAULT: &str = "default";

/// The objects of the request.
#[derive(Debug)]
pub(super) struct Given {
    pub(super) object: Manifest,
    /// The object as it is stored, with `--old`.
    pub(super) old: Option<Manifest>,
    /// The namespace for objects that name none.
    pub(super) namespace: String,
}

/// Options and files that contradict each other, or cannot be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum GivenError {
    #[error(
        "`--old` is of no use for a create, of which nothing is stored: leave it out, or give `--operation update` or `--operation delete`"
    )]
    OldOfCreate,
    #[error("`-f` and `--old` are both standard input: give a file for one of them")]
    StandardInputTwice,
    #[error("`{0}` is a directory: give a file with one object")]
    Directory(PathBuf),
    #[error("could not read the object")]
    Read(#[from] ReadError),
    #[error("`{path}` holds {count} objects: give a file with one")]
    Count { path: PathBuf, count: usize },
    #[error("{place}: an update or a delete is of one object: `metadata.name` is missing")]
    Nameless { place: String },
    #[error("{place}: the object is in the namespace `{own}`, and `-n` says `{given}`: leave out `-n`, or change one of them")]
    Namespace { place: String, own: String, given: String },
    #[error("{place}: `--old` holds {old}, and `-f` {new}: give the same object as it is stored, in the same version")]
    Other { place: String, old: String, new: String },
}

impl Given {
    /// Reads the files. Fails when one cannot be read or does not hold exactly one object, and when files and options contradict each
    /// other.
    pub(super) fn read(args: &Args, stdin: &mut dyn Read) -> Result<Self, GivenError> {
        if args.old.is_some() && args.operation == Operation::Create {
            return Err(GivenError::OldOfCreate);
        }
        let is_stdin = |path: &Path| path == Path::new("-");
        if is_stdin(&args.filename) && args.old.as_deref().is_some_and(is_stdin) {
            return Err(GivenError::StandardInputTwice);
        }
        let object = one(&args.filename, stdin)?;
        if args.operation != Operation::Create && object.text("/metadata/name").is_empty() {
            return Err(GivenError::Nameless { place: object.place });
        }
        let old = args.old.as_deref().map(|path| one(path, stdin)).transpose()?;
        for object in [Some(&object), old.as_ref()].into_iter().flatten() {
            in_namespace(object, args.namespace.as_deref())?;
        }
        let given = Self { object, old, namespace: args.namespace.clone().unwrap_or_else(|| DEFAULT.to_owned()) };
        given.same()?;
        Ok(given)
    }

    /// Fails when `--old` is not the same object as `-f`.
    fn same(&self) -> Result<(), GivenError> {
        let Some(old) = &self.old else { return Ok(()) };
        let (found, new) = (self.identity(old), self.identity(&self.object));
        if found == new { Ok(()) } else { Err(GivenError::Other { place: old.place.clone(), old: found, new }) }
    }

    /// Returns version, kind, namespace and name: `apps/v1 ReplicaSet shop/web`.
    fn identity(&self, object: &Manifest) -> String {
        let namespace = match object.text("/metadata/namespace") {
            "" => &self.namespace,
            namespace => namespace,
        };
        format!("{} {} {namespace}/{}", object.text("/apiVersion"), object.text("/kind"), object.text("/metadata/name"))
    }
}

fn in_namespace(object: &Manifest, given: Option<&str>) -> Result<(), GivenError> {
    let own = object.text("/metadata/namespace");
    match given.filter(|given| !own.is_empty() && *given != own) {
        Some(given) => Err(GivenError::Namespace { place: object.place.clone(), own: own.into(), given: given.into() }),
        None => Ok(()),
    }
}

/// Returns the only object of a file. Fails when there are none or several.
fn one(path: &Path, stdin: &mut dyn Read) -> Result<Manifest, GivenError> {
    if path.is_dir() {
        return Err(GivenError::Directory(path.into()));
    }
    let read = read::read(&[path.to_owned()], Some(stdin))?;
    let count = read.len();
    match <[Manifest; 1]>::try_from(read) {
        Ok([object]) => Ok(object),
        Err(_) => Err(GivenError::Count { path: path.into(), count }),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    const SET: &str = "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: web, namespace: shop}\n";

    #[test]
    fn what_does_not_fit_is_told_and_nothing_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let files = [
            ("set", SET.to_owned()),
            ("bare", SET.replace(", namespace: shop", "")),
            ("other", SET.replace("web", "api")),
            ("elsewhere", SET.replace("shop", "till")),
            ("deployment", SET.replace("ReplicaSet", "Deployment")),
            ("beta", SET.replace("apps/v1", "apps/v1beta1")),
            ("drawn", SET.replace("name: web", "generateName: web-")),
            ("two", format!("{SET}---\n{SET}")),
        ];
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let table = [
            ("-f set", Ok("shop")),
            ("-f drawn", Ok("shop")),
            ("-f set -n shop", Ok("shop")),
            ("-f bare", Ok("default")),
            ("-f bare -n till", Ok("till")),
            ("-f set --operation update --old set", Ok("shop")),
            ("-f set --operation delete --old bare -n shop", Ok("shop")),
            ("-f - --operation update --old set", Ok("shop")),
            ("-f set --old set", Err("`--old` is of no use for a create")),
            ("-f set -n till", Err("the object is in the namespace `shop`, and `-n` says `till`")),
            ("-f bare -n shop --operation update --old elsewhere", Err("is in the namespace `till`, and `-n` says `shop`")),
            (
                "-f set --operation update --old bare",
                Err("`--old` holds apps/v1 ReplicaSet default/web, and `-f` apps/v1 ReplicaSet shop/web"),
            ),
            ("-f set --operation update --old other", Err("`--old` holds apps/v1 ReplicaSet shop/api, and")),
            ("-f set --operation delete --old deployment", Err("`--old` holds apps/v1 Deployment shop/web, and")),
            ("-f set --operation update --old beta", Err("in the same version")),
            ("-f drawn --operation update", Err("`metadata.name` is missing")),
            ("-f .", Err("is a directory: give a file with one object")),
            ("-f set --operation update --old .", Err("is a directory")),
            ("-f two", Err("holds 2 objects")),
            ("-f none", Err("could not read the object")),
            ("-f - --operation update --old -", Err("are both standard input")),
        ];
        for (line, expected) in table {
            let words = line.split(' ').map(|word| match word {
                "set" | "bare" | "other" | "elsewhere" | "deployment" | "beta" | "drawn" | "two" | "none" | "." => {
                    folder.path().join(word).display().to_string()
                }
                // `till` and `shop` are namespaces.
                word => word.to_owned(),
            });
            let args = Line::try_parse_from(std::iter::once("predict".to_owned()).chain(words)).unwrap().args;
            let given = Given::read(&args, &mut SET.as_bytes());
            let found = given.map(|given| match given.object.text("/metadata/namespace") {
                "" => given.namespace,
                own => own.to_owned(),
            });
            match (found, expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{line}"),
                (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{line}: {error}"),
                (found, _) => panic!("{line}: {found:?}"),
            }
        }
    }
}
