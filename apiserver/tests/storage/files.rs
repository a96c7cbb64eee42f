//! Data files that are not what they should be: a clear error before anything is served, and not a byte changed.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use plimsoll_apiserver::storage::{OpenError, Options, Store};
use redb::{Database, ReadableTable, TableDefinition};
use tempfile::TempDir;

use super::support::*;

fn open(path: &Path) -> Result<Store, OpenError> {
    Store::open(Options { path: Some(path.to_owned()), fsync: false, ..Options::default() })
}

async fn filled(directory: &Path, objects: usize) {
    let store = open(directory).unwrap();
    for n in 0..objects {
        create(&store, &pod("a", &format!("n{n:03}")), "x".repeat(300)).await.unwrap();
    }
    store.close();
}

/// The error, once it is sure that the file was left alone.
fn refused(directory: &Path) -> OpenError {
    let file = directory.join("objects.redb");
    let before = fs::read(&file).unwrap();
    let error = open(directory).map(|store| store.snapshot().total()).unwrap_err();
    assert!(fs::read(&file).unwrap() == before, "the file was changed: {error}");
    assert!(error.to_string().contains(&file.display().to_string()), "{error}");
    error
}

#[test]
fn a_foreign_file_is_refused_and_left_alone() {
    let contents: [&[u8]; 5] = [b"", b"hello\n", b"SQLite format 3\0 and so on", b"redb\x1a\x0a\xa9\x0d", &[0; 1 << 16]];
    for content in contents {
        let directory = TempDir::new().unwrap();
        fs::write(directory.path().join("objects.redb"), content).unwrap();
        let error = refused(directory.path());
        assert!(matches!(error, OpenError::Foreign { .. }), "{error}");
        assert!(error.to_string().contains("move the file away"), "{error}");
    }
}

#[test]
fn another_programs_redb_file_is_refused_and_left_alone() {
    const OTHER: TableDefinition<&str, u64> = TableDefinition::new("other");
    const SAME_NAME: TableDefinition<u64, u64> = TableDefinition::new("plimsoll");
    let writes: [&dyn Fn(&redb::WriteTransaction); 2] =
        [&|write| drop(write.open_table(OTHER).unwrap().insert("a", 1).unwrap()), &|write| {
            drop(write.open_table(SAME_NAME).unwrap().insert(1, 1).unwrap())
        }];
    for fill in writes {
        let directory = TempDir::new().unwrap();
        let database = Database::create(directory.path().join("objects.redb")).unwrap();
        let write = database.begin_write().unwrap();
        fill(&write);
        write.commit().unwrap();
        drop(database);
        let error = refused(directory.path());
        assert!(matches!(error, OpenError::Foreign { .. }), "{error}");
    }
}

#[tokio::test]
async fn a_newer_format_is_refused_and_left_alone() {
    const META: TableDefinition<&str, &[u8]> = TableDefinition::new("plimsoll");
    let directory = TempDir::new().unwrap();
    filled(directory.path(), 3).await;
    let database = Database::open(directory.path().join("objects.redb")).unwrap();
    let write = database.begin_write().unwrap();
    write.open_table(META).unwrap().insert("version", b"2".as_slice()).unwrap();
    write.commit().unwrap();
    drop(database);
    let error = refused(directory.path());
    assert!(matches!(&error, OpenError::Version { found, .. } if found == "2"), "{error}");
}

#[tokio::test]
async fn a_record_changed_behind_our_back_is_named() {
    const OBJECTS: TableDefinition<&[u8], &[u8]> = TableDefinition::new("objects");
    let directory = TempDir::new().unwrap();
    filled(directory.path(), 3).await;
    let database = Database::open(directory.path().join("objects.redb")).unwrap();
    let write = database.begin_write().unwrap();
    {
        let mut objects = write.open_table(OBJECTS).unwrap();
        let key = b"core/pods\0a\0n001";
        let mut value = objects.get(key.as_slice()).unwrap().unwrap().value().to_vec();
        *value.last_mut().unwrap() = b' ';
        objects.insert(key.as_slice(), value.as_slice()).unwrap();
    }
    write.commit().unwrap();
    drop(database);
    let error = refused(directory.path());
    assert!(matches!(error, OpenError::Damaged { .. }), "{error}");
    assert!(error.to_string().contains("`core/pods/a/n001`"), "{error}");
}

/// Either the damage hit nothing that counts, and all objects are there, or the file is refused. Never a panic.
#[tokio::test]
async fn damage_anywhere_is_noticed_or_harmless() {
    let directory = TempDir::new().unwrap();
    filled(directory.path(), 100).await;
    let file = directory.path().join("objects.redb");
    let intact = fs::read(&file).unwrap();
    let mut dice = Dice::new(11);
    let (mut refusals, mut cases) = (0, 0);
    for seed in 0..300 {
        let mut damaged = intact.clone();
        match seed % 3 {
            0 => damaged.truncate(dice.below(intact.len() as u64) as usize),
            1 => {
                let at = dice.below(intact.len() as u64) as usize;
                damaged[at] ^= 1 << dice.below(8);
            }
            _ => {
                let page = dice.below(intact.len() as u64 / 4096) as usize * 4096;
                damaged[page..page + 4096].iter_mut().for_each(|byte| *byte = dice.roll() as u8);
            }
        }
        fs::write(&file, &damaged).unwrap();
        cases += 1;
        match open(directory.path()) {
            Ok(store) => {
                assert_eq!(store.snapshot().total(), 100, "seed {seed}");
                assert_eq!(store.snapshot().revision(), 101, "seed {seed}");
                store.close();
            }
            Err(error) => {
                refusals += 1;
                assert!(fs::read(&file).unwrap() == damaged, "seed {seed}: the file was changed: {error}");
                let clear = matches!(error, OpenError::Damaged { .. } | OpenError::Foreign { .. } | OpenError::Version { .. });
                assert!(clear, "seed {seed}: {error:?}");
            }
        }
    }
    assert!(refusals > cases / 4, "only {refusals} of {cases} damages were met");
}

#[tokio::test]
async fn a_second_process_is_told_who_has_the_directory() {
    let directory = TempDir::new().unwrap();
    let first = open(directory.path()).unwrap();
    let error = open(directory.path()).unwrap_err();
    let OpenError::Locked { process, .. } = &error else { panic!("{error}") };
    assert_eq!(process, &format!("process {}", std::process::id()));
    create(&first, &pod("a", "x"), 1).await.unwrap();
    first.close();
    assert_eq!(open(directory.path()).unwrap().snapshot().total(), 1);
}

#[tokio::test]
async fn only_the_owner_may_read_what_is_stored() {
    let directory = TempDir::new().unwrap();
    let data = directory.path().join("some/data");
    filled(&data, 1).await;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&data), 0o700);
    for entry in fs::read_dir(&data).unwrap() {
        assert_eq!(mode(&entry.unwrap().path()), 0o600);
    }
}

#[tokio::test]
async fn an_unfinished_new_file_is_made_again() {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("objects.redb.new"), b"half").unwrap();
    filled(directory.path(), 1).await;
    assert!(!directory.path().join("objects.redb.new").exists());
    assert_eq!(open(directory.path()).unwrap().snapshot().total(), 1);
}

#[tokio::test]
async fn everything_is_there_after_a_restart_and_revisions_go_on() {
    let directory = TempDir::new().unwrap();
    let store = open(directory.path()).unwrap();
    let a = create(&store, &pod("a", "x"), 1).await.unwrap();
    let b = create(&store, &key("g/sets", "", "y"), json()).await.unwrap();
    let a = update(&store, &pod("a", "x"), a.revision, 2).await.unwrap();
    let gone = delete(&store, &b.key, b.revision).await.unwrap();
    store.close();
    let store = open(directory.path()).unwrap();
    let snapshot = store.snapshot();
    assert_eq!(snapshot.revision(), gone.revision, "also if the last write left no object behind");
    let back = snapshot.get(&a.key).unwrap();
    assert_eq!((&back.value, back.revision, back.created), (&a.value, a.revision, a.created));
    assert_eq!(snapshot.total(), 1);
    let next = create(&store, &b.key, 3).await.unwrap();
    assert_eq!(next.revision, gone.revision + 1);
}

fn json() -> serde_json::Value {
    serde_json::json!({"deep": [{"text": "\u{1F6A2} \u{0} \" \\"}], "number": 1.5})
}

#[test]
fn a_path_that_cannot_be_used_is_named() {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, b"").unwrap();
    let error = open(&file).unwrap_err();
    assert!(matches!(error, OpenError::Directory { .. }), "{error}");
    assert!(error.to_string().contains(&file.display().to_string()), "{error}");
}
