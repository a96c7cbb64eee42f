use super::*;

/// As `kubectl create namespace a` sends it.
const NAMESPACE: &[u8] = &[
    0x6b, 0x38, 0x73, 0x00, 0x0a, 0x0f, 0x0a, 0x02, 0x76, 0x31, 0x12, 0x09, 0x4e, 0x61, 0x6d, 0x65, 0x73, 0x70, 0x61, 0x63, 0x65,
    0x12, 0x19, 0x0a, 0x11, 0x0a, 0x01, 0x61, 0x12, 0x00, 0x1a, 0x00, 0x22, 0x00, 0x2a, 0x00, 0x32, 0x00, 0x38, 0x00, 0x42, 0x00,
    0x12, 0x00, 0x1a, 0x02, 0x0a, 0x00, 0x1a, 0x00, 0x22, 0x00,
];

fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let mut field = vec![number << 3 | 2, u8::try_from(bytes.len()).unwrap()];
    field.extend(bytes);
    field
}

fn body(version: &str, kind: &str, raw: &[u8]) -> Vec<u8> {
    let meta = [field(1, version.as_bytes()), field(2, kind.as_bytes())].concat();
    [MAGIC.to_vec(), field(1, &meta), field(2, raw)].concat()
}

#[test]
fn a_namespace_of_kubectl_is_read() {
    let namespace = read(NAMESPACE).unwrap();
    assert_eq!(namespace["kind"], "Namespace");
    assert_eq!(namespace["apiVersion"], "v1");
    assert_eq!(namespace["metadata"]["name"], "a");
    assert_eq!(namespace["metadata"]["creationTimestamp"], Json::Null);
}

#[test]
fn maps_lists_and_inlined_messages_are_read() {
    let data = |key: &str, value: &str| [field(1, key.as_bytes()), field(2, value.as_bytes())].concat();
    let raw = [field(2, &data("a", "b")), field(2, &data("c", "d")), field(3, &data("e", "f"))].concat();
    let map = read(&body("v1", "ConfigMap", &raw)).unwrap();
    assert_eq!(map["data"], json!({"a": "b", "c": "d"}));
    assert_eq!(map["binaryData"], json!({"e": "Zg=="}));
    let volume = [field(1, b"v"), field(2, &field(2, &field(1, b"Memory")))].concat();
    let pod = read(&body("v1", "Pod", &field(2, &[field(1, &volume), field(1, &field(1, b"w"))].concat()))).unwrap();
    assert_eq!(pod["spec"]["volumes"], json!([{"name": "v", "emptyDir": {"medium": "Memory"}}, {"name": "w"}]));
}

#[test]
fn times_and_int_or_strings_are_read() {
    let renewed = [vec![1 << 3, 0x80, 0xdc, 0x9d, 0xe0, 0x06], vec![2 << 3, 0x88, 0x27]].concat();
    let lease = read(&body("coordination.k8s.io/v1", "Lease", &field(2, &field(4, &renewed)))).unwrap();
    let time = lease["spec"]["renewTime"].as_str().unwrap();
    assert!(time.ends_with(".000005Z"), "{time}");
    let port = |inner: &[u8]| field(2, &field(1, &[field(1, b"p"), field(4, inner)].concat()));
    let service = |inner: &[u8]| read(&body("v1", "Service", &port(inner))).unwrap()["spec"]["ports"][0]["targetPort"].clone();
    assert_eq!(service(&[1 << 3, 0, 2 << 3, 80]), 80);
    assert_eq!(service(&[vec![1 << 3, 1], field(3, b"web")].concat()), "web");
}

#[test]
fn options_of_any_group_are_read() {
    let options = read(&body("apps/v1", "DeleteOptions", &field(4, b"Foreground"))).unwrap();
    assert_eq!(options["propagationPolicy"], "Foreground");
}

#[test]
fn broken_bodies_are_refused() {
    let bodies: [Vec<u8>; 6] = [
        Vec::new(),
        b"{}".to_vec(),
        body("v1", "Nothing", b""),
        body("v1", "Pod", &[0x0a, 0x50]),
        body("v1", "Pod", &[0x08, 0xff]),
        body("v1", "ConfigMap", &field(1, &field(1, &[0xff]))),
    ];
    for body in bodies {
        assert_eq!(read(&body).unwrap_err().code, 400, "{body:?}");
    }
    let cut = NAMESPACE.split_last_chunk::<8>().unwrap().0;
    assert_eq!(read(cut).unwrap_err().code, 400);
}

#[test]
fn every_message_of_the_table_is_there() {
    let table = table::get().unwrap();
    assert!(table.kind("apps/v1 Deployment").is_some());
    assert!(table.is_complete());
}
