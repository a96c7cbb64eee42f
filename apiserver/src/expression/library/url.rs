//! URLs. Source: `apiserver` `pkg/cel/library/urls.go`.

mod authority;
mod escape;
mod parse;

use std::collections::HashMap;

use cel::common::types::{CelBool, CelMap, CelMapKey, CelString, Type};
use cel::common::value::Val;
use cel::{DeclarationError, Env, ExecutionError};

use self::parse::Url;
pub(super) use self::parse::check;
use super::opaque::{Held, Opaque, kind};
use super::{failed, lists};

impl Opaque for Url {
    const KIND: &'static Type = &kind("kubernetes.URL");
}

pub(super) fn register(env: &mut Env) -> Result<(), DeclarationError> {
    cel::add_overload!(env, fn url: (CelString) -> Result<Held<Url>>)?;
    cel::add_overload!(env, fn is_url: (CelString) -> CelBool, name = "isURL")?;
    cel::add_member_overload!(env, fn get_scheme: (Held<Url>) -> CelString)?;
    cel::add_member_overload!(env, fn get_host: (Held<Url>) -> CelString)?;
    cel::add_member_overload!(env, fn get_hostname: (Held<Url>) -> CelString)?;
    cel::add_member_overload!(env, fn get_port: (Held<Url>) -> CelString)?;
    cel::add_member_overload!(env, fn get_escaped_path: (Held<Url>) -> CelString)?;
    cel::add_member_overload!(env, fn get_query: (Held<Url>) -> CelMap)
}

fn url(text: &CelString<'_>) -> Result<Held<Url>, ExecutionError> {
    let wrapped = |error| failed("url", format!("URL parse error during conversion from string: {error}"));
    Url::parse(text.inner()).map(Held).map_err(wrapped)
}

fn is_url(text: &CelString<'_>) -> CelBool {
    check(text.inner()).is_ok().into()
}

fn get_scheme(url: &Held<Url>) -> CelString<'static> {
    url.0.scheme.clone().into()
}

fn get_host(url: &Held<Url>) -> CelString<'static> {
    url.0.host.clone().into()
}

fn get_hostname(url: &Held<Url>) -> CelString<'static> {
    authority::split(&url.0.host).0.to_owned().into()
}

fn get_port(url: &Held<Url>) -> CelString<'static> {
    authority::split(&url.0.host).1.to_owned().into()
}

fn get_escaped_path(url: &Held<Url>) -> CelString<'static> {
    escape::path(&url.0.path).into()
}

/// The values of each name, in order; a part that cannot be read is passed over.
fn get_query(url: &Held<Url>) -> CelMap<'static> {
    let mut found = HashMap::<String, Vec<String>>::new();
    for part in url.0.query.split('&').filter(|part| !part.is_empty() && !part.contains(';')) {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        if let (Ok(name), Ok(value)) = (escape::query(name), escape::query(value)) {
            found.entry(name).or_default().push(value);
        }
    }
    let lists = found.into_iter().map(|(name, values)| {
        let values: Box<dyn Val> = Box::new(lists::texts(values.into_iter()));
        (CelMapKey::from(name), values)
    });
    lists.collect::<HashMap<_, _>>().into()
}
