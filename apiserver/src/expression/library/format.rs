//! Named formats of texts. Source: `apiserver` `pkg/cel/library/format.go`.

mod named;

use cel::common::types::{CelOptional, CelString, Type};
use cel::common::value::{CowVal, Val};
use cel::{DeclarationError, Env, ExecutionError};

use self::named::Format;
use super::lists::texts;
use super::opaque::{Held, Opaque, kind};

impl Opaque for Format {
    const KIND: &'static Type = &kind("kubernetes.NamedFormat");
}

/// A function without arguments for each format.
macro_rules! formats {
    ($env:ident, $($format:ident),*) => {
        $($env.add_overload(&format!("format.{}", Format::$format.name()), Format::$format.name(), Vec::new(), |_| {
            Ok::<_, ExecutionError>(CowVal::owned(Held(Format::$format)))
        })?;)*
    };
}

pub(super) fn register(env: &mut Env) -> Result<(), DeclarationError> {
    formats!(
        env,
        Dns1123Label,
        Dns1123Subdomain,
        Dns1035Label,
        QualifiedName,
        Dns1123LabelPrefix,
        Dns1123SubdomainPrefix,
        Dns1035LabelPrefix,
        LabelValue,
        Uri,
        Uuid,
        Byte,
        Date,
        DateTime
    );
    cel::add_overload!(env, fn named: (CelString) -> CelOptional, name = "format.named")?;
    cel::add_member_overload!(env, fn validate: (Held<Format>, CelString) -> CelOptional)
}

fn named(name: &CelString<'_>) -> CelOptional<'static> {
    let found = Format::ALL.into_iter().find(|format| format.name() == name.inner());
    found.map(|format| Box::new(Held(format)) as Box<dyn Val>).into()
}

/// What is wrong with a text; nothing if nothing is.
fn validate(format: &Held<Format>, text: &CelString<'_>) -> CelOptional<'static> {
    let faults = format.0.faults(text.inner());
    let found = (!faults.is_empty()).then(|| Box::new(texts(faults.into_iter())) as Box<dyn Val>);
    found.into()
}
