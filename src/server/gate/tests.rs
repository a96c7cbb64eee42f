use std::net::Ipv4Addr;

use super::*;

fn gate(connections: usize, per_peer: usize) -> Arc<Gate> {
    Gate::new(Limits { connections, per_peer, rate: 1000 }, Counts::new().unwrap().of("api"))
}

fn peer(number: u8) -> Peer {
    Peer::V4(Ipv4Addr::new(10, 0, 0, number))
}

fn enter(gate: &Arc<Gate>, number: u8, phase: Phase) -> Option<Place> {
    let place = gate.enter(peer(number))?;
    place.connection().turn(phase);
    Some(place)
}

fn is_evicted(place: &Place) -> bool {
    futures::FutureExt::now_or_never(place.connection().evicted()).is_some()
}

#[test]
fn silent_connections_of_one_peer_cost_each_other_their_places_and_nobody_else() {
    let gate = gate(8, 4);
    let apiserver: Vec<_> = (0..4).map(|_| enter(&gate, 1, Phase::Idle).unwrap()).collect();
    let flood: Vec<_> = (0..100).map(|_| enter(&gate, 2, Phase::Silent).unwrap()).collect();
    assert_eq!(flood.iter().filter(|place| is_evicted(place)).count(), 96);
    assert!(!flood[96..].iter().any(is_evicted), "the oldest go first");
    assert!(!apiserver.iter().any(is_evicted));
}

#[test]
fn many_peers_cannot_keep_one_out_that_has_its_share() {
    let gate = gate(64, 32);
    let apiserver: Vec<_> = (0..6).map(|_| enter(&gate, 1, Phase::Idle).unwrap()).collect();
    let flood: Vec<_> = (0..200).filter_map(|n| enter(&gate, 2 + n % 8, Phase::Opening)).collect();
    assert!(!apiserver.iter().any(is_evicted), "idle, but what was never asked anything goes first");
    assert!(enter(&gate, 1, Phase::Asking).is_some());
    assert_eq!(flood.len(), 200);
}

#[test]
fn the_peer_that_holds_most_gives_way() {
    let gate = gate(8, 8);
    let few: Vec<_> = (0..2).map(|_| enter(&gate, 1, Phase::Idle).unwrap()).collect();
    let many: Vec<_> = (0..6).map(|_| enter(&gate, 2, Phase::Idle).unwrap()).collect();
    let _newcomer = enter(&gate, 3, Phase::Asking).unwrap();
    assert!(!few.iter().any(is_evicted), "older, but fewer");
    assert_eq!(many.iter().map(is_evicted).collect::<Vec<_>>(), [true, false, false, false, false, false]);
}

#[test]
fn who_is_at_work_stays_and_newcomers_are_turned_away() {
    let gate = gate(2, 2);
    let (asking, answering) = (enter(&gate, 1, Phase::Asking).unwrap(), enter(&gate, 1, Phase::Answering).unwrap());
    assert!(gate.enter(peer(1)).is_none() && gate.enter(peer(2)).is_none());
    assert!(!is_evicted(&asking) && !is_evicted(&answering));
    assert_eq!((gate.counts.full.get(), gate.counts.open.get()), (2, 2));
    drop(asking);
    assert!(gate.enter(peer(2)).is_some());
}

#[test]
fn work_that_does_not_end_gives_way_to_a_newcomer() {
    let mut table = Table::new(Limits { connections: 2, per_peer: 2, rate: 1 });
    let now = Instant::now();
    let new = |phase| {
        let connection = Arc::new(Connection::new(peer(1)));
        connection.turn(phase);
        connection
    };
    let (stream, stalled) = (new(Phase::Answering), new(Phase::Asking));
    assert_eq!(table.enter(&stream, now).map(|evicted| evicted.is_some()), Ok(false));
    assert_eq!(table.enter(&stalled, now).map(|evicted| evicted.is_some()), Ok(false));
    let newcomer = |table: &mut Table, seconds| table.enter(&new(Phase::Asking), now + Duration::from_secs(seconds));
    assert_eq!(newcomer(&mut table, 5).map(|_| ()), Err(table::Full));
    assert!(newcomer(&mut table, 11).unwrap().is_some_and(|evicted| Arc::ptr_eq(&evicted, &stalled)));
}

#[test]
fn what_is_remembered_of_peers_is_bounded() {
    let gate = gate(4, 4);
    for number in 0..20_000_u32 {
        let place = gate.enter(Peer::V4(Ipv4Addr::from(number))).unwrap();
        place.pace().unwrap();
    }
    assert!(gate.table.lock().peers_known() <= 4200);
}

#[test]
fn a_network_is_one_peer_in_ipv6() {
    let peer = |text: &str| Peer::from(text.parse::<std::net::IpAddr>().unwrap());
    assert_eq!(peer("2001:db8::1"), peer("2001:db8::ffff:2"));
    assert_ne!(peer("2001:db8::1"), peer("2001:db8:0:1::1"));
    assert_eq!(peer("::ffff:10.0.0.1"), peer("10.0.0.1"));
}
