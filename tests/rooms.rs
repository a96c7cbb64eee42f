//! The rooms of the engine's crate, in the order in which `src/lib.rs` lists them: each uses only those before it, and what must
//! not be known everywhere is known where the design says.

// Clippy allows `unwrap` below `cfg(test)` only.
#[cfg(test)]
mod rooms {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::{Path, PathBuf};

    /// Crates that only some rooms may name.
    const KEPT_APART: [(&str, &[&str]); 6] = [
        ("actix", &["server", "cli"]),
        ("kube", &["cli"]),
        ("notify", &["policy_set"]),
        ("plimsoll_apiserver", &["cli"]),
        ("plimsoll_second_opinion", &["rego"]),
        ("plimsoll_sidecar", &["cli"]),
    ];

    /// A source file without its tests.
    struct Source {
        path: PathBuf,
        /// Names of modules from the crate root down to this one.
        module: Vec<String>,
        code: String,
    }

    impl Source {
        fn room(&self) -> &str {
            &self.module[0]
        }
    }

    fn src() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
    }

    /// Every file below the rooms, those of tests left out.
    fn sources() -> Vec<Source> {
        let (mut folders, mut sources) = (vec![src()], Vec::new());
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
                if name == "tests" {
                    continue;
                } else if path.is_dir() {
                    folders.push(path);
                } else if !matches!(name.as_str(), "lib" | "main") {
                    let inside = path.strip_prefix(src()).unwrap().with_extension("");
                    let module = inside.iter().map(|name| name.to_str().unwrap().to_owned()).collect();
                    let code = without_tests(&fs::read_to_string(&path).unwrap());
                    sources.push(Source { path, module, code });
                }
            }
        }
        sources
    }

    /// A file's code: no comments, and nothing of a module of tests at its end.
    fn without_tests(text: &str) -> String {
        let mut code = String::new();
        let mut lines = text.lines().filter(|line| !line.trim_start().starts_with("//")).peekable();
        while let Some(line) = lines.next() {
            let is_module = |next: &&str| next.contains("mod ") && next.ends_with('{');
            if line == "#[cfg(test)]" && lines.peek().is_some_and(is_module) {
                break;
            }
            code.push_str(line);
            code.push('\n');
        }
        code
    }

    /// The rooms in the order of the list in the crate's documentation.
    fn listed() -> Vec<String> {
        let text = fs::read_to_string(src().join("lib.rs")).unwrap();
        let names = text.lines().filter_map(|line| line.strip_prefix("//! - `")?.split_once('`'));
        names.map(|(name, _)| name.to_owned()).collect()
    }

    fn is_of_name(c: char) -> bool {
        c.is_ascii_alphanumeric() || c == '_'
    }

    fn identifier(text: &str) -> &str {
        &text[..text.find(|c| !is_of_name(c)).unwrap_or(text.len())]
    }

    /// The rooms that code names, by `crate::` or by as many `super::` as lead to the root; `depth` is how far below the root it is.
    fn used(code: &str, depth: usize) -> BTreeSet<&str> {
        let up = "super::".repeat(depth);
        let from_root = code.split("crate::").skip(1);
        let from_here = code.split(up.as_str()).skip(1).filter(|rest| !rest.starts_with("super::"));
        let from_here = from_here.filter(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()));
        from_root.chain(from_here).map(identifier).collect()
    }

    #[test]
    fn a_room_uses_only_the_rooms_listed_before_it() {
        let listed = listed();
        let place = |room: &str| listed.iter().position(|known| known == room);
        let mut wrong = Vec::new();
        for source in sources() {
            let (path, room) = (source.path.display(), source.room());
            let own = place(room).unwrap_or_else(|| panic!("{path}: give the room `{room}` its place in the list of src/lib.rs"));
            for other in used(&source.code, source.module.len()) {
                match place(other) {
                    Some(before) if before <= own => {}
                    Some(_) => wrong.push(format!("{path}: `{room}` uses `{other}`, which comes later")),
                    None => wrong.push(format!("{path}: `crate::{other}` is no room; import from one room at a time")),
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn every_room_is_listed_once() {
        let text = fs::read_to_string(src().join("lib.rs")).unwrap();
        let declared = text.lines().filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';'));
        let mut listed = listed();
        listed.sort();
        assert_eq!(declared.collect::<Vec<_>>(), listed);
    }

    #[test]
    fn what_must_not_be_known_everywhere_is_not() {
        for source in sources() {
            let (path, room) = (source.path.display(), source.room());
            let paths = source.code.split("::").map(|before| before.rsplit(|c: char| !is_of_name(c)).next().unwrap());
            for first in paths.collect::<BTreeSet<_>>() {
                let apart = KEPT_APART.iter().find(|(name, _)| first == *name || first.starts_with(&format!("{name}_")));
                assert!(apart.is_none_or(|(_, rooms)| rooms.contains(&room)), "{path}: `{first}` is not for `{room}`: {apart:?}");
            }
        }
    }

    #[test]
    fn rooms_are_found_in_code_and_not_in_comments_or_tests() {
        let text = "use crate::state::{A, B};\nuse super::super::why;\n// crate::cli\nlet x = crate::fields::each;\n#[cfg(test)]\nmod tests {\n    use crate::server;\n}\n";
        let code = without_tests(text);
        assert_eq!(used(&code, 2), ["fields", "state", "why"].into());
        assert_eq!(used(&code, 3), ["fields", "state"].into());
    }
}
