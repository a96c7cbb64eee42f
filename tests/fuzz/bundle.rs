//! Bundles: unpacked, their signature verified, read, put in force; whole ones and deltas.
//!
//! An input is a gzipped tarball, a tarball whose checksums are mended and which is compressed here, or, so that mutations
//! reach what is in the files, a text: `=== path` before each file.

use std::io::Write;
use std::sync::LazyLock;

use flate2::Compression;
use flate2::write::GzEncoder;
use parking_lot::Mutex;
use plimsoll::management::bundles::signature::Verifier;
use plimsoll::management::bundles::{BundleError, Content, Files, Limits, archive, offer};
use plimsoll::management::config::bundles::Signing;
use plimsoll::snapshot::store::StoreOptions;
use plimsoll::snapshot::{Offer, Snapshot, Store, bundle_set};
use serde_json::json;
use tar::{Builder, Header};

use super::findings::watched;

const NAME: &str = "b";
const BLOCK: usize = 512;
/// Where a header says that it is one, and where its checksum is.
const MAGIC: std::ops::Range<usize> = 257..262;
const CHECKSUM: std::ops::Range<usize> = 148..156;
const SIZES: Limits = Limits { bytes: 1 << 20, files: 64 };

/// Where bundles are put in force, and who may sign them.
struct Taker {
    /// Whole ones, each in the place of the one before.
    whole: Store,
    /// Deltas, each of the same bundle.
    patched: Store,
    verifiers: [Verifier; 2],
}

static TAKER: LazyLock<Mutex<Taker>> = LazyLock::new(|| {
    let key = json!({"key": "secret", "algorithm": "HS256"});
    let keys = [("k".to_owned(), serde_json::from_value(key).unwrap())];
    let optional = Verifier::new(keys.clone().into(), None);
    let required = Verifier::new(keys.into(), Some(Signing::default()));
    let store = || Store::new(StoreOptions::default()).unwrap();
    let taker = Taker { whole: store(), patched: store(), verifiers: [optional, required] };
    taker.begin();
    Mutex::new(taker)
});

/// One input.
pub(super) fn run(input: &[u8]) {
    let tarball = match input {
        [0x1f, 0x8b, ..] => input.to_vec(),
        _ if input.get(MAGIC) == Some(b"ustar") => packed(&mended(input)),
        _ => packed(&written(&String::from_utf8_lossy(input))),
    };
    watched(|| {
        let taker = TAKER.lock();
        if let Ok(files) = archive::unpack(tarball.as_slice(), SIZES) {
            taker.take(&files);
        }
    });
}

impl Taker {
    /// The bundle that every delta meets.
    fn begin(&self) {
        let text = "=== .manifest\n{\"revision\":\"1\",\"roots\":[\"app\",\"lib/one\"]}\n=== app/data.json\n{\"list\":[1,{\"k\":[]}],\"o\":{\"k\":1}}\n\
            === lib/one/p.rego\npackage lib.one\n\nx := data.app.list[_]\n";
        let files = archive::unpack(packed(&written(text)).as_slice(), SIZES).unwrap();
        let offer = offer::whole(NAME, "", Content::parse(&files).unwrap());
        self.patched.put_set(&bundle_set(NAME), offer).unwrap();
    }

    fn take(&self, files: &Files) {
        let signed: Vec<_> = self.verifiers.iter().map(|verifier| verifier.check(files).is_ok()).collect();
        assert!(signed[0] || !signed[1], "what nobody must sign is accepted whenever what must be signed is");
        let Ok(content) = Content::parse(files) else { return };
        let delta = content.patch.is_some();
        let store = if delta { &self.patched } else { &self.whole };
        let before = store.load();
        let Ok(offer) = offer(&before, content) else { return };
        let taken = store.put_set(&bundle_set(NAME), offer).is_ok();
        let after = store.load();
        if taken {
            after.prepared().expect("what is in force can be prepared");
        } else {
            assert!(
                before.same_rules(&after) && before.state.tree == after.state.tree,
                "a bundle was refused and changed something"
            );
        }
        if taken && delta {
            self.begin();
        }
    }
}

fn offer(snapshot: &Snapshot, content: Content) -> Result<Offer, BundleError> {
    if content.patch.is_none() {
        return Ok(offer::whole(NAME, "", content));
    }
    let set = snapshot.policies.sets.get(&bundle_set(NAME)).expect("every delta finds one");
    offer::patched(set, "", &content)
}

fn packed(tar: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::none());
    gzip.write_all(tar).unwrap();
    gzip.finish().unwrap()
}

/// Every block that claims to be a header gets the checksum of what it has become.
fn mended(tar: &[u8]) -> Vec<u8> {
    let mut tar = tar.to_vec();
    for block in tar.chunks_exact_mut(BLOCK).filter(|block| block.get(MAGIC) == Some(b"ustar")) {
        block[CHECKSUM].fill(b' ');
        let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
        block[CHECKSUM].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    }
    tar
}

/// A tarball of the files of a text.
fn written(text: &str) -> Vec<u8> {
    let mut builder = Builder::new(Vec::new());
    for file in text.split("=== ").skip(1) {
        let (path, content) = file.split_once('\n').unwrap_or((file, ""));
        let mut header = Header::new_gnu();
        let name = path.as_bytes();
        let length = name.len().min(100);
        header.as_old_mut().name[..length].copy_from_slice(&name[..length]);
        header.set_size(content.len() as u64);
        header.set_cksum();
        builder.append(&header, content.as_bytes()).unwrap();
    }
    builder.into_inner().unwrap()
}
