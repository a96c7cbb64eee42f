use std::fs;

use plimsoll_contract::source::{Declare, Leader};

use super::*;
use crate::rego::Module;
use crate::snapshot::store::StoreOptions;

const GOOD: &str = "package a\n\np := 1\n";
const BAD: &str = "package a\n\np := ";

fn modules(text: &str) -> Vec<Module> {
    vec![Module { key: "a.rego".into(), text: text.into() }]
}

/// One process on a state directory.
struct World {
    store: Arc<Store>,
    keeper: Keeper,
}

impl World {
    fn on(dir: &tempfile::TempDir) -> Self {
        let options = StoreOptions { expect_files: true, ..StoreOptions::default() };
        let store = Arc::new(Store::new(options).unwrap());
        let keeper = Keeper::new(Arc::clone(&store), StateDir::open(dir.path()).unwrap(), Counts::new().unwrap());
        Self { store, keeper }
    }

    /// What the Lease's holder has in force.
    fn leader(&self, digest: &str) {
        let session = self.store.declare("host", Declare::default()).unwrap().session;
        self.store
            .report_leader("host", Leader { session, holder: "b".into(), policy: digest.into(), still: Default::default() })
            .unwrap();
    }

    fn counted(&self) -> [u64; 4] {
        [Count::Written, Count::WriteFailed, Count::Unusable, Count::Restored].map(|count| self.keeper.counts.of(count))
    }

    fn digest(&self) -> String {
        self.store.load().policies.digest.to_string()
    }

    fn reason(&self) -> String {
        self.store.load().not_ready.join("; ")
    }
}

/// What a process had in force, which is on disk.
fn before(dir: &tempfile::TempDir, sets: &[(&str, &str)]) -> String {
    let mut world = World::on(dir);
    for (name, text) in sets {
        world.store.put_policies(name, modules(text)).unwrap();
    }
    world.keeper.pass();
    assert_eq!(world.counted(), [sets.len() as u64, 0, 0, 0]);
    world.digest()
}

#[test]
fn a_refused_set_gives_way_to_the_last_good_one_if_the_leases_holder_has_it() {
    let dir = tempfile::tempdir().unwrap();
    let digest = before(&dir, &[("files", GOOD)]);
    let mut world = World::on(&dir);
    let errors = world.store.put_policies("files", modules(BAD)).unwrap_err();
    world.keeper.pass();
    assert!(world.reason().contains("waiting for the Lease holder's digest"), "{}", world.reason());
    world.leader("sha256:00");
    world.keeper.pass();
    assert!(world.reason().contains("differs from what the Lease's holder has in force"), "{}", world.reason());
    world.leader(&digest);
    world.keeper.pass();
    assert_eq!((world.reason().as_str(), world.digest()), ("", digest));
    let status = world.store.status(world.store.now(), &["a".into()]);
    assert!(status.armed && status.notes.iter().any(|note| note.contains("last good one from disk")), "{:?}", status.notes);
    assert_eq!(status.policies["files"].errors, errors, "what was offered is still refused");
    assert_eq!(world.counted(), [0, 0, 0, 1]);

    // Refused again it stays, mended it goes.
    world.store.put_policies("files", modules(BAD)).unwrap_err();
    world.keeper.pass();
    assert_eq!(world.reason(), "");
    world.store.put_policies("files", modules("package a\n\np := 2\n")).unwrap();
    world.keeper.pass();
    let notes = world.store.status(world.store.now(), &[]).notes;
    assert!(!notes.iter().any(|note| note.contains("disk")), "{notes:?}");
    assert_eq!(world.counted(), [1, 0, 0, 1], "the new one is kept");
}

#[test]
fn what_is_absent_or_empty_or_unreadable_is_never_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let digest = before(&dir, &[("files", GOOD)]);
    let mut world = World::on(&dir);
    world.leader(&digest);
    world.keeper.pass();
    assert_eq!(world.reason(), "the policy directory has not been read yet");
    world.store.policies_unreadable("files", "no such directory".into());
    world.keeper.pass();
    assert!(world.reason().contains("no such directory") && !world.reason().contains("disk"), "{}", world.reason());
    world.store.put_policies("files", Vec::new()).unwrap();
    world.keeper.pass();
    assert_eq!((world.reason().as_str(), world.digest() == digest), ("", false));
    assert_eq!(world.counted(), [1, 0, 0, 0], "that there are no policies is the last good word");
}

#[test]
fn sets_that_need_each_other_come_back_together() {
    let dir = tempfile::tempdir().unwrap();
    let digest = before(&dir, &[("files", GOOD), ("host", "package b\n\nq := data.a.p\n")]);
    let mut world = World::on(&dir);
    world.store.put_policies("files", modules(BAD)).unwrap_err();
    world.store.put_policies("host", modules(BAD)).unwrap_err();
    world.leader(&digest);
    world.keeper.pass();
    assert_eq!(world.digest(), digest);
    assert!(world.store.load().policies.sets.values().all(|set| set.restored));
}

#[test]
fn a_damaged_file_is_said_and_not_used() {
    let dir = tempfile::tempdir().unwrap();
    let digest = before(&dir, &[("files", GOOD)]);
    fs::write(dir.path().join("policies/files.json"), "{}").unwrap();
    let mut world = World::on(&dir);
    world.store.put_policies("files", modules(BAD)).unwrap_err();
    world.leader(&digest);
    world.keeper.pass();
    world.keeper.pass();
    assert!(world.reason().contains("is damaged"), "{}", world.reason());
    assert_eq!(world.counted(), [0, 0, 1, 0], "read once");
}

#[test]
fn a_disk_that_fails_stops_nothing_and_is_tried_again() {
    let dir = tempfile::tempdir().unwrap();
    let mut world = World::on(&dir);
    fs::remove_dir(dir.path().join("policies")).unwrap();
    world.store.put_policies("files", modules(GOOD)).unwrap();
    world.keeper.pass();
    assert_eq!((world.reason().as_str(), world.keeper.waits()), ("", true));
    fs::create_dir(dir.path().join("policies")).unwrap();
    world.keeper.pass();
    assert_eq!((world.counted(), world.keeper.waits()), ([1, 1, 0, 0], false));
}

#[test]
fn what_clients_put_is_not_kept_and_what_is_taken_away_is_forgotten() {
    let dir = tempfile::tempdir().unwrap();
    let mut world = World::on(&dir);
    world.store.put_module("m", GOOD.into()).unwrap();
    world.store.put_policies("host", modules("package b\n")).unwrap();
    world.keeper.pass();
    assert_eq!(world.counted(), [1, 0, 0, 0]);
    world.store.remove_policies("host").unwrap();
    world.keeper.pass();
    assert_eq!(fs::read_dir(dir.path().join("policies")).unwrap().count(), 0);
}

#[tokio::test]
async fn news_of_the_sets_and_of_the_lease_are_enough() {
    let dir = tempfile::tempdir().unwrap();
    let World { store, keeper } = World::on(&dir);
    let counts = keeper.counts.clone();
    let keeping = tokio::spawn(keep(keeper));
    let reaches = async |count: Count| {
        let reached = async {
            while counts.of(count) == 0 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), reached).await.unwrap_or_else(|_| panic!("never: {count:?}"));
    };
    store.put_policies("files", modules(GOOD)).unwrap();
    reaches(Count::Written).await;
    keeping.abort();
    let digest = store.load().policies.digest.clone();

    let World { store, keeper } = World::on(&dir);
    let counts = keeper.counts.clone();
    let keeping = tokio::spawn(keep(keeper));
    store.put_policies("files", modules(BAD)).unwrap_err();
    let session = store.declare("host", Declare::default()).unwrap().session;
    store
        .report_leader("host", Leader { session, holder: "b".into(), policy: digest.to_string(), still: Default::default() })
        .unwrap();
    let mut published = store.subscribe();
    let restored = published.wait_for(|_| store.load().policies.digest == digest);
    tokio::time::timeout(Duration::from_secs(20), restored).await.expect("restored").unwrap();
    assert_eq!(counts.of(Count::Unusable), 0);
    keeping.abort();
}
