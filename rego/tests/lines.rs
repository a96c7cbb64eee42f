//! How large the crate is: lines of its rooms without unit tests, comments and blank lines included.

// Clippy allows `unwrap` below `cfg(test)` only.
#[cfg(test)]
mod lines {
    use std::collections::BTreeMap;
    use std::path::Path;

    /// The rooms that read and compile. What is taken away from them lowers the number. Raised by 60: `depend` tells definitions
    /// apart that exclude each other, so that their values are not read whole; labels of rules have their places. By 140: errors of syntax
    /// and compilation that were texts are enums with a case for each. By 18: two known sides of an equality are evaluated in OPA's order. By
    /// 69: comprehensions beside base documents are computed first; of two shortest forms of a double the even one is written; names in
    /// front of declarations are rewritten with them. By 55: what is read leads a reader through a text (`depend/mask`). By 63:
    /// values know whether their numbers may be written in another way. By 4: functions in the place of data. By 887: what is made of single
    /// members of a base document (`depend/members`). By 29: items of base arrays by text, and paths of `with` that are none. By 16: where
    /// collections are in memory, and whether anybody else has them. By 13: keys of types are shown as JSON has them. By 225: what objects are
    /// merged to, and what functions share with those that they are called instead of (`depend/flow`). By 84: what is wrong with
    /// references in METADATA is said as in OPA, for which lists of errors came over from the builtins. By 61: `walk` called instead of a
    /// function, errors behind wrong imports and in bodies of objects, places of references into what is written out. By 12: comprehensions
    /// inside of three that are looked up; lines behind wrong statements. By 26: what is the same in all objects that are sorted is compared once.
    /// By 41: what is not found by a comprehension that is looked up has no solutions only where its body says first what a variable is. By 9: of two
    /// references that are compared the left one is evaluated first. By 2: rules called `_` in messages, keywords for those who read queries. By 8:
    /// rules that are called without operands. By 37: functions that are asked for given answers, one error of what is not called. By 36: what `walk` is asked
    /// for. By 208: short texts lie inside of values.
    const FRONT: [&str; 4] = ["compile", "depend", "syntax", "value"];
    const MOST: usize = 27_601;

    /// Lines that are in no module under `cfg(test)`.
    fn count(text: &str) -> usize {
        let (mut counted, mut lines) = (0, text.lines());
        while let Some(line) = lines.next() {
            if line.trim() != "#[cfg(test)]" {
                counted += 1;
                continue;
            }
            let Some(item) = lines.by_ref().find(|line| !line.trim().starts_with("#[")) else { break };
            let end = format!("{}}}", &item[..item.len() - item.trim_start().len()]);
            if item.ends_with('{') {
                lines.by_ref().find(|line| *line == end);
            }
        }
        counted
    }

    fn rooms(folder: &Path, room: Option<&str>, sums: &mut BTreeMap<String, (usize, usize)>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let room = room.unwrap_or(&name);
            if path.is_dir() {
                rooms(&path, Some(room), sums);
            } else if name != "tests" && path.extension().is_some_and(|ending| ending == "rs") {
                let (files, lines) = sums.entry(room.to_owned()).or_default();
                *files += 1;
                *lines += count(&std::fs::read_to_string(&path).unwrap());
            }
        }
    }

    #[test]
    #[allow(clippy::print_stdout, reason = "the figures are what the test is for")]
    fn the_crate_does_not_grow() {
        let mut sums = BTreeMap::new();
        rooms(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), None, &mut sums);
        let shown: Vec<_> = sums.iter().map(|(room, (files, lines))| format!("{room}: {lines} lines, {files} files")).collect();
        println!("{}", shown.join("\n"));
        let all: usize = sums.iter().filter(|(room, _)| *room != "builtins").map(|(_, (_, lines))| lines).sum();
        println!("all but builtins: {all}");
        let front: usize = FRONT.iter().map(|room| sums.get(*room).unwrap().1).sum();
        assert!((5_000..=MOST).contains(&front), "{front}, more than {MOST}:\n{}", shown.join("\n"));
    }

    #[test]
    fn modules_of_tests_do_not_count() {
        assert_eq!(count("a\n#[cfg(test)]\nmod tests;\nb\n"), 2);
        assert_eq!(count("a\n#[cfg(test)]\n#[path = \"x\"]\nmod tests {\n    fn x() {\n    }\n}\n\nb\n"), 3);
    }
}
