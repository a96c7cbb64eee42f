//! The rooms of the crate, in the order in which they may use each other: no circle, and HTTP's server side in one place.

// Clippy allows `unwrap` below `cfg(test)` only.
#[cfg(test)]
mod rooms {
    use std::collections::BTreeMap;
    use std::fs;
    use std::path::{Path, PathBuf};

    /// From the ground up: a room uses only those before it.
    const ROOMS: [&str; 18] = [
        "storage",
        "status",
        "names",
        "quantity",
        "expression",
        "resources",
        "patch",
        "table",
        "selector",
        "authn",
        "authz",
        "audit",
        "admission",
        "metrics",
        "server",
        "rest",
        "watch",
        "http",
    ];
    /// Puts the rooms together, and may use all of them.
    const TOP: [&str; 2] = ["run", "lib"];
    /// Where the server side of HTTP may be spelled.
    const HTTP_SERVER: [&str; 2] = ["http", "run"];

    /// Every source file by the room that it belongs to.
    fn sources() -> BTreeMap<PathBuf, (String, String)> {
        fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    collect(&path, files);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    files.push(path);
                }
            }
        }
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut files = Vec::new();
        collect(&root, &mut files);
        let room = |path: &Path| {
            let first = path.strip_prefix(&root).unwrap().components().next().unwrap();
            first.as_os_str().to_str().unwrap().trim_end_matches(".rs").to_owned()
        };
        files.into_iter().map(|path| (path.clone(), (room(&path), fs::read_to_string(&path).unwrap()))).collect()
    }

    /// The rooms that a text names by `crate::`, outside of comments.
    fn used(text: &str) -> impl Iterator<Item = &str> {
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        code.flat_map(|line| line.split("crate::").skip(1)).map(|rest| {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            &rest[..end]
        })
    }

    #[test]
    fn a_room_uses_only_the_rooms_below_it() {
        let sources = sources();
        let place = |room: &str| ROOMS.iter().position(|known| *known == room);
        let mut met = Vec::new();
        for (path, (room, text)) in sources.iter().filter(|(_, (room, _))| !TOP.contains(&room.as_str())) {
            let own = place(room).unwrap_or_else(|| panic!("{}: give the room `{room}` its place in ROOMS", path.display()));
            met.push(own);
            for other in used(text) {
                let below = place(other).unwrap_or_else(|| panic!("{}: `crate::{other}` is no room", path.display()));
                assert!(below <= own, "{}: `{room}` uses `{other}`, which stands above it", path.display());
            }
        }
        met.sort_unstable();
        met.dedup();
        assert_eq!(met.len(), ROOMS.len(), "a room of ROOMS is gone");
    }

    #[test]
    fn only_http_knows_the_server_side_of_http() {
        for (path, (room, text)) in sources() {
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            let mentions = code.filter(|line| line.contains("actix")).count();
            assert!(mentions == 0 || HTTP_SERVER.contains(&room.as_str()), "{}: leave actix to `http`", path.display());
        }
    }

    #[test]
    fn names_of_rooms_are_found() {
        let text = "use crate::status::{A, B};\n// crate::http\nlet x = crate::storage::Key;\n";
        assert_eq!(used(text).collect::<Vec<_>>(), ["status", "storage"]);
    }
}
