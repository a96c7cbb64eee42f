//! Reads the trees that OPA prints as JSON.

use plimsoll_rego::syntax::span::{SourceId, Span};
use plimsoll_rego::syntax::tree::{Body, Comprehension, Every, Expr, ExprKind, Head, Kind, Logical, Not, Rule, Term, With};
use plimsoll_rego::value::Value;
use serde_json::Value as Json;

pub fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(number) => Value::number(&number.to_string()).unwrap(),
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(items) => Value::array(items.iter().map(value)),
        Json::Object(members) => Value::object(members.iter().map(|(key, member)| (Value::from(key.as_str()), value(member)))),
    }
}

/// The rules of a module.
pub fn rules(module: &Json) -> Vec<Rule> {
    items(&module["rules"]).iter().map(rule).collect()
}

fn items(json: &Json) -> &[Json] {
    json.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn span(json: &Json) -> Span {
    let at = |name: &str| u32::try_from(json["location"][name].as_u64().unwrap_or(0)).unwrap();
    let start = at("row") * 10_000 + at("col");
    Span { source: SourceId(0), start, end: start }
}

fn rule(json: &Json) -> Rule {
    let head = &json["head"];
    let option = |name: &str| Some(&head[name]).filter(|json| !json.is_null()).map(term);
    Rule {
        span: Span::default(),
        default: json["default"].as_bool().unwrap_or(false),
        head: Head {
            span: Span::default(),
            name: items(&head["ref"])[0]["value"].as_str().unwrap().into(),
            reference: items(&head["ref"]).iter().map(term).collect(),
            args: head.get("args").map(|args| items(args).iter().map(term).collect()),
            key: option("key"),
            value: option("value"),
            assign: false,
            generated_value: false,
        },
        body: body(&json["body"]),
        generated_body: false,
        otherwise: json.get("else").map(|json| Box::new(rule(json))),
        annotations: Vec::new(),
    }
}

fn body(json: &Json) -> Body {
    items(json).iter().map(expr).collect()
}

fn expr(json: &Json) -> Expr {
    let terms = &json["terms"];
    let kind = match terms {
        Json::Array(parts) => ExprKind::Call(parts.iter().map(term).collect()),
        _ if terms.get("lhs").is_some() => {
            let logical = Logical {
                span: Span::default(),
                left: body(&terms["lhs"]),
                right: body(&terms["rhs"]),
                explicit_left: true,
                explicit_right: true,
            };
            // The recorder marks them so: OPA does not tell them apart.
            if terms["explicit_lhs"].as_bool().unwrap_or(false) {
                ExprKind::And(Box::new(logical))
            } else {
                ExprKind::Or(Box::new(logical))
            }
        }
        _ if terms.get("domain").is_some() => ExprKind::Every(Box::new(Every {
            span: Span::default(),
            key: Some(term(&terms["key"])),
            value: term(&terms["value"]),
            domain: term(&terms["domain"]),
            body: body(&terms["body"]),
        })),
        _ if terms.get("type").is_none() => {
            ExprKind::Not(Box::new(Not { span: Span::default(), body: body(&terms["body"]), explicit: true }))
        }
        _ => ExprKind::Term(term(terms)),
    };
    let with = |json: &Json| With { span: Span::default(), target: term(&json["target"]), value: term(&json["value"]) };
    Expr {
        span: Span::default(),
        kind,
        negated: json["negated"].as_bool().unwrap_or(false),
        generated: false,
        from_assignment: false,
        with: items(&json["with"]).iter().map(with).collect(),
    }
}

fn term(json: &Json) -> Term {
    let value = &json["value"];
    let terms = || items(value).iter().map(term).collect::<Vec<_>>();
    let kind = match json["type"].as_str().unwrap() {
        "null" => Kind::Null,
        "boolean" => Kind::Bool(value.as_bool().unwrap()),
        "number" => Kind::Number(value.to_string().into()),
        "string" => Kind::String(value.as_str().unwrap().into()),
        "var" => Kind::Var(value.as_str().unwrap().into()),
        "ref" => match terms() {
            parts if parts.len() == 1 && matches!(parts[0].as_var().map(|name| name.as_str()), Some("input" | "data")) => {
                return parts.into_iter().next().unwrap();
            }
            parts => Kind::Ref(parts),
        },
        "array" => Kind::Array(terms()),
        "set" => Kind::Set(terms()),
        "call" => Kind::Call(terms()),
        "object" => Kind::Object(items(value).iter().map(|pair| (term(&pair[0]), term(&pair[1]))).collect()),
        "arraycomprehension" => {
            Kind::ArrayCompr(Box::new(Comprehension { term: term(&value["term"]), body: body(&value["body"]) }))
        }
        "setcomprehension" => Kind::SetCompr(Box::new(Comprehension { term: term(&value["term"]), body: body(&value["body"]) })),
        other => panic!("{other}"),
    };
    Term::new(span(json), kind)
}
