//! What cannot be written: decisions fail where they should, and every line is counted once.

use super::*;

/// A log into a file, as configured.
fn into_file(path: &std::path::Path, when_full: WhenFull) -> DecisionLog {
    let file =
        FileSink::open(crate::management::config::FileLogger { path: path.into(), max_size_mb: 100, max_backups: 3 }).unwrap();
    let config = DecisionLogs { plugin: Some("file_logger".into()), ..DecisionLogs::default() };
    let limits = Limits { time: Duration::from_secs(30), ..Limits::default() };
    DecisionLog::start(Options { config, labels: BTreeMap::new(), file: Some(file), when_full, limits }).unwrap()
}

#[test]
fn told_to_fail_it_fails_when_the_file_cannot_be_written_and_recovers() {
    let (dir, store) = (tempfile::tempdir().unwrap(), store("package x"));
    let inner = dir.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    let log = into_file(&inner.join("log"), WhenFull::Fail);
    let count = |sink| log.counts().unwrap().written_to(sink);
    log.record(entry(&store, 0)).unwrap();
    assert_eq!(count(Written::File), 1, "it is written before the decision is given");
    std::fs::remove_dir_all(&inner).unwrap();
    for number in 1..4 {
        assert_eq!(log.record(entry(&store, number)), Err(NotLogged));
    }
    std::fs::create_dir(&inner).unwrap();
    log.record(entry(&store, 4)).unwrap();
    assert_eq!((count(Written::File), log.counts().unwrap().dropped_for("file")), (2, 3));
    let full = into_file(std::path::Path::new("/dev/full"), WhenFull::Fail);
    assert_eq!(full.record(entry(&store, 5)), Err(NotLogged), "the disk is full");
    let dropped = into_file(std::path::Path::new("/dev/full"), WhenFull::Drop);
    assert_eq!(dropped.record(entry(&store, 6)), Ok(()));
    dropped.close(AGES);
    assert_eq!((dropped.counts().unwrap().written_to(Written::File), dropped.counts().unwrap().dropped_for("file")), (0, 1));
}

#[test]
fn told_to_fail_it_fails_when_the_buffer_is_full_or_the_mask_is_broken_but_not_when_policy_drops() {
    let config =
        section("{service: s, reporting: {buffer_type: event, buffer_size_limit_events: 2, upload_size_limit_bytes: 2000}}");
    let log = log(&config, WhenFull::Fail);
    let policy = "package system.log\n\ndrop if input.input.number == 1\n\nmask contains \"nonsense\" if input.input.number == 2";
    let store = store(policy);
    let recorded: Vec<_> = (0..6).map(|number| log.record(entry(&store, number)).is_ok()).collect();
    assert_eq!(recorded, [true, true, false, true, false, false]);
    let counts = log.counts().unwrap();
    assert_eq!((counts.dropped_for("policy"), counts.dropped_for("failed"), counts.dropped_for("buffer")), (1, 1, 2));
    assert_eq!(numbers_in(&log), [0, 3], "what was answered is kept");
    let batches = log.buffer().unwrap();
    let (_, sent) = batches.oldest(1 << 20).unwrap();
    batches.arrived(&sent);
    let noise: String = (0..4000).map(|n: u64| format!("{:x}", n.wrapping_mul(0x9E37_79B9_7F4A_7C15))).collect();
    let mut large = entry(&store, 7);
    large.custom.insert("noise".into(), noise.into());
    assert_eq!(log.record(large), Err(NotLogged), "it would never be sent");
    assert_eq!((counts.written_to(Written::Upload), counts.dropped_for("too_large"), log.waiting()), (2, 1, 0));
}

#[test]
fn what_makes_room_while_it_is_sent_is_counted_once() {
    let config = section("{service: s, reporting: {buffer_type: event, buffer_size_limit_events: 2}}");
    let (log, store) = (log(&config, WhenFull::Drop), store("package x"));
    let record = |number: usize, waiting: &[u64]| {
        log.record(entry(&store, number)).unwrap();
        eventually(|| numbers_waiting(&log) == waiting);
    };
    record(0, &[0]);
    record(1, &[0, 1]);
    let batches = log.buffer().unwrap();
    let (_, sent) = batches.oldest(1 << 20).unwrap();
    record(2, &[1, 2]);
    batches.arrived(&sent);
    let counts = log.counts().unwrap();
    assert_eq!((counts.written_to(Written::Upload), counts.dropped_for("buffer"), log.waiting()), (2, 0, 1));
    // The next batch does not arrive: then what made room is lost.
    record(3, &[2, 3]);
    let _ = batches.oldest(1 << 20).unwrap();
    record(4, &[3, 4]);
    batches.refused();
    assert_eq!((counts.written_to(Written::Upload), counts.dropped_for("buffer"), log.waiting()), (2, 1, 2));
}

/// Without taking them as a batch.
fn numbers_waiting(log: &DecisionLog) -> Vec<u64> {
    let buffer = log.inner.as_ref().unwrap().buffer.clone().unwrap();
    let lines = buffer.lines();
    numbers(&lines.iter().map(|line| serde_json::from_slice(line).unwrap()).collect::<Vec<_>>())
}

/// A line that no pipe holds keeps the worker at work until somebody reads.
#[cfg(target_os = "linux")]
#[test]
fn what_stands_still_at_the_end_is_counted_as_lost_and_nobody_waits_for_it() {
    use std::os::fd::AsRawFd;

    let ((reader, writer), store) = (std::io::pipe().unwrap(), store("package x"));
    let path = format!("/proc/self/fd/{}", writer.as_raw_fd());
    let log = into_file(std::path::Path::new(&path), WhenFull::Drop);
    let mut long = entry(&store, 0);
    long.custom.insert("noise".into(), "x".repeat(2 << 20).into());
    log.record(long).unwrap();
    eventually(|| log.waiting() == 0);
    for number in 1..4 {
        log.record(entry(&store, number)).unwrap();
    }
    log.close(Duration::from_millis(1));
    let counts = log.counts().unwrap();
    assert_eq!(
        (counts.written_to(Written::File), counts.dropped_for("end"), log.waiting()),
        (0, 4, 0),
        "three wait, one is at work"
    );
    drop((reader, writer));
}
