//! Constants of a type, which a function may return at once.

use std::collections::HashMap;

use quote::ToTokens;
use syn::{File, GenericArgument, Item, PathArguments, ReturnType, Type};

/// What types of the rooms stand for.
#[derive(Default)]
pub struct Constants {
    aliases: HashMap<String, Type>,
    /// Variants without fields.
    variants: HashMap<String, Vec<String>>,
}

impl Constants {
    /// The aliases and enumerations of these files.
    pub fn of(files: &[File]) -> Self {
        let mut constants = Self::default();
        for item in files.iter().flat_map(|file| &file.items) {
            match item {
                Item::Type(alias) => drop(constants.aliases.insert(alias.ident.to_string(), (*alias.ty).clone())),
                Item::Enum(item) => {
                    let plain = item.variants.iter().filter(|variant| variant.fields.is_empty());
                    let names = plain.map(|variant| format!("{}::{}", item.ident, variant.ident)).collect();
                    constants.variants.insert(item.ident.to_string(), names);
                }
                _ => {}
            }
        }
        constants
    }

    /// Constants that a function with this return type may end with, as source; none for types that cannot be told.
    pub fn of_return(&self, output: &ReturnType) -> Vec<String> {
        match output {
            ReturnType::Default => vec![String::new()],
            ReturnType::Type(_, of) => self.of_type(of),
        }
    }

    fn of_type(&self, of: &Type) -> Vec<String> {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        match of {
            Type::Tuple(tuple) if tuple.elems.is_empty() => owned(&["()"]),
            Type::Tuple(tuple) if tuple.elems.iter().all(|of| matches!(of, Type::Path(_))) => owned(&["Default::default()"]),
            Type::Reference(reference) if reference.mutability.is_none() => match &*reference.elem {
                Type::Slice(_) => owned(&["&[]"]),
                other if other.to_token_stream().to_string() == "str" => owned(&["\"\""]),
                _ => Vec::new(),
            },
            Type::Path(path) => {
                path.path.segments.last().map_or_else(Vec::new, |last| self.named(&last.ident.to_string(), &last.arguments))
            }
            _ => Vec::new(),
        }
    }

    fn named(&self, name: &str, arguments: &PathArguments) -> Vec<String> {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        match name {
            "bool" => owned(&["true", "false"]),
            "usize" | "u8" | "u16" | "u32" | "u64" | "i32" | "i64" => owned(&["0", "1"]),
            "Option" => owned(&["None"]),
            "Result" => self.inside(arguments).into_iter().map(|inside| format!("Ok({inside})")).collect(),
            "Box" | "Arc" | "Self" | "Value" => Vec::new(),
            _ => match (self.aliases.get(name), self.variants.get(name)) {
                (Some(alias), _) => self.of_type(alias),
                (None, Some(variants)) => variants.clone(),
                (None, None) => owned(&["Default::default()"]),
            },
        }
    }

    /// The first argument's.
    fn inside(&self, arguments: &PathArguments) -> Vec<String> {
        let PathArguments::AngleBracketed(arguments) = arguments else { return Vec::new() };
        match arguments.args.first() {
            Some(GenericArgument::Type(of)) => self.of_type(of),
            _ => Vec::new(),
        }
    }
}
