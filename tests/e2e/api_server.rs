//! The stand itself: what the other scenarios take for granted.

use super::support::pool;

#[test]
fn the_api_server_is_the_pinned_one() {
    let Some(server) = pool::api_server() else { return };
    let version = server.admin().run(&["version"]);
    assert!(version.contains("Server Version: v1.36.3"), "{version}");
}
