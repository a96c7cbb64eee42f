//! Bundles that unpack, or are parsed, to many times their size.

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Builder, Header};

use super::{BUDGET, PEAK, status};
use crate::http::decisions::{BY_NAME, KEYS};
use crate::http::support::{eventually, start};

fn bundle(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
    for (path, content) in files {
        let mut header = Header::new_gnu();
        header.set_size(content.len() as u64);
        builder.append_data(&mut header, path, *content).unwrap();
    }
    builder.into_inner().unwrap().finish().unwrap()
}

#[tokio::test]
async fn a_bundle_is_bounded_by_what_it_unpacks_to_and_by_its_nodes() {
    let nodes = format!("{{\"a\":[{}0]}}", "{\"a\":0},".repeat(6 << 20));
    let spaces = " ".repeat(200 << 20);
    let yaml = format!("a: [{}0]", "[],".repeat(2 << 20));
    let table: [(&str, &str, &str); 3] = [
        ("data.json", &nodes, "it would take"),
        ("data.json", &spaces, "exceeds the size limit"),
        ("data.yaml", &yaml, "it would take"),
    ];
    for (file, text, why) in table {
        let dir = tempfile::tempdir().unwrap();
        let packed = bundle(&[("p.rego", BY_NAME.as_bytes()), (file, text.as_bytes())]);
        assert!(packed.len() < 1 << 20, "{} bytes of {file}", packed.len());
        std::fs::write(dir.path().join("b.tar.gz"), packed).unwrap();
        let engine = start(dir, &["--bundle=b.tar.gz", KEYS, BUDGET]);
        eventually("it is refused", async || engine.log().contains(why).then_some(())).await;
        assert_eq!(engine.get("/health/live").await.status, 200);
        let ready = engine.get("/health/ready").await;
        assert!(ready.status == 500 && ready.text.contains("b.tar.gz"), "{ready:?}");
        let peak = status(&engine, "VmHWM:");
        assert!(peak <= PEAK, "{file}: {} MiB", peak >> 20);
        // The next one is good.
        std::fs::write(engine.path().join("b.tar.gz"), bundle(&[("p.rego", BY_NAME.as_bytes())])).unwrap();
        engine.ready().await;
    }
}
