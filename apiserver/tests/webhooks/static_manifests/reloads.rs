//! Folders of manifests that change while the server runs.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::json;

use super::{Folders, after, guarded, manifest, refusing};
use crate::webhooks::engine::Act;
use crate::webhooks::eventually::eventually;
use crate::webhooks::server::{Kind, MAPS, Server, map};

#[actix_web::test]
async fn what_cannot_be_used_leaves_the_last_good_set_in_force() {
    let (server, folders, hook) = guarded(json!({})).await;
    let file = folders.of(Kind::Validating).join("guard.yaml");
    let good = fs::read_to_string(&file).unwrap();
    let half = good.split_at(good.len() / 2).0.to_owned();
    let table = [
        ("garbage", Found::Text("\0}{".to_owned())),
        ("nothing", Found::Text(String::new())),
        ("half of it", Found::Text(half)),
        ("another name", Found::Text(good.replace(".static.k8s.io", ".example.com"))),
        ("a bomb", Found::Text("[".repeat(100_000))),
        ("an empty directory", Found::Directory),
        ("a link to nothing", Found::Link),
        ("no directory of manifests", Found::NoFolder),
    ];
    for (number, (what, found)) in table.into_iter().enumerate() {
        after(&server, "failure", || found.put(&file)).await;
        server.post(MAPS, &map("a")).await.expect(403);
        assert_eq!(hook.came().len(), number + 1, "{what}");
    }
    after(&server, "success", || {
        fs::create_dir(file.parent().unwrap()).unwrap();
        fs::write(&file, &good).unwrap();
    })
    .await;
    server.post(MAPS, &map("a")).await.expect(403);
    server.running.stop().await;
}

/// What is found where a manifest was.
enum Found {
    Text(String),
    Directory,
    Link,
    NoFolder,
}

impl Found {
    fn put(self, file: &Path) {
        if fs::remove_file(file).is_err() {
            fs::remove_dir(file).unwrap();
        }
        match self {
            Self::Text(text) => fs::write(file, text).unwrap(),
            Self::Directory => fs::create_dir(file).unwrap(),
            Self::Link => symlink("none", file).unwrap(),
            Self::NoFolder => fs::remove_dir(file.parent().unwrap()).unwrap(),
        }
    }
}

/// An administrator who leaves nothing there wants nothing there, as upstream.
#[actix_web::test]
async fn an_emptied_directory_has_no_webhooks() {
    let (server, folders, hook) = guarded(json!({})).await;
    after(&server, "success", || fs::remove_file(folders.of(Kind::Validating).join("guard.yaml")).unwrap()).await;
    server.post(MAPS, &map("a")).await.expect(201);
    assert!(hook.came().is_empty());
    server.running.stop().await;
}

/// As kubelet mounts a ConfigMap: the files are links into `..data`, which is swapped for another one.
#[actix_web::test]
async fn a_mounted_configmap_is_swapped_as_a_whole() {
    let folders = Folders::new();
    let server = Server::with(folders.options()).await;
    let hooks = [server.hook([refusing()]), server.hook([refusing()])];
    let folder = folders.of(Kind::Validating);
    let generation = |number: usize| {
        let name = format!("..{number}");
        fs::create_dir(folder.join(&name)).unwrap();
        for part in ["a", "b"] {
            let spec = server.spec(part, &hooks[number].origin(), json!({"failurePolicy": "Ignore"}));
            let text = manifest(Kind::Validating, part, &[spec]).to_string();
            fs::write(folder.join(&name).join(format!("{part}.yaml")), text).unwrap();
        }
        symlink(&name, folder.join("..new")).unwrap();
        fs::rename(folder.join("..new"), folder.join("..data")).unwrap();
    };
    after(&server, "success", || {
        generation(0);
        ["a.yaml", "b.yaml"].iter().for_each(|file| symlink(Path::new("..data").join(file), folder.join(file)).unwrap());
    })
    .await;
    server.post(MAPS, &map("a")).await.expect(403);
    assert_eq!([hooks[0].came().len(), hooks[1].came().len()], [2, 0]);
    after(&server, "success", || {
        generation(1);
        fs::remove_dir_all(folder.join("..0")).unwrap();
    })
    .await;
    server.post(MAPS, &map("a")).await.expect(403);
    assert_eq!([hooks[0].came().len(), hooks[1].came().len()], [2, 2], "none of the old ones, both of the new ones");
    server.running.stop().await;
}

/// A request keeps what it began with, of files as of the API.
#[actix_web::test]
async fn a_request_is_judged_by_the_set_that_it_began_with() {
    let (server, folders, hook) = guarded(json!({})).await;
    let slow = server.hook([Act::Hang]);
    let patient = json!({"timeoutSeconds": 1, "failurePolicy": "Ignore"});
    server.register(Kind::Mutating, "slow", &[server.spec("slow", &slow.origin(), patient)]).await;
    let object = map("a");
    let request = server.post(MAPS, &object);
    let change = async {
        eventually(async || (slow.connections() > 0).then_some(())).await;
        after(&server, "success", || fs::remove_file(folders.of(Kind::Validating).join("guard.yaml")).unwrap()).await;
        assert!(hook.came().is_empty(), "the request is still with the slow one");
    };
    let (refused, ()) = tokio::join!(request, change);
    refused.expect(403);
    server.unregister(Kind::Mutating, "slow").await;
    server.post(MAPS, &map("a")).await.expect(201);
    assert_eq!(hook.came().len(), 1);
    server.running.stop().await;
}

#[actix_web::test]
async fn reloads_are_counted_by_upstreams_names() {
    let (server, folders, _hook) = guarded(json!({})).await;
    let file = folders.of(Kind::Validating).join("guard.yaml");
    let lines = async || -> Vec<String> {
        let text = server.get("/metrics").await.body;
        let ours = text.as_str().unwrap().lines().filter(|line| line.starts_with("apiserver_manifest_")).map(str::to_owned);
        ours.collect()
    };
    let info = "apiserver_manifest_admission_config_controller_last_config_info{apiserver_id_hash=\"sha256:";
    let hash = |lines: &[String]| -> String {
        let shown: Vec<&String> = lines.iter().filter(|line| line.starts_with(info) && line.contains("Validating")).collect();
        assert_eq!(shown.len(), 1, "one hash for each plugin: {lines:?}");
        shown[0].split("hash=\"").last().unwrap().split('"').next().unwrap().to_owned()
    };
    let first = lines().await;
    after(&server, "failure", || fs::write(&file, "}{").unwrap()).await;
    let broken = lines().await;
    assert_eq!(hash(&broken), hash(&first), "it is still in force");
    let last = "apiserver_manifest_admission_config_controller_automatic_reload_last_timestamp_seconds{";
    let labels = "plugin=\"ValidatingAdmissionWebhook\",status=\"failure\"} ";
    let time = broken.iter().find(|line| line.starts_with(last) && line.contains(labels)).unwrap();
    assert!(time.rsplit_once(' ').unwrap().1.parse::<f64>().unwrap() > 1e9, "{time}");
    after(&server, "success", || fs::remove_file(&file).unwrap()).await;
    assert_eq!(hash(&lines().await), "");
    server.running.stop().await;
}
