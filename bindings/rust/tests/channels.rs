// SPDX-License-Identifier: BSD-2-Clause
//! Channels: nothing is lost, doubled or leaked, and each end learns that the other is gone.
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{RecvTimeoutError, TryRecvError, TrySendError};
use std::sync::Arc;
use std::time::Duration;

use upcall::channel::{bounded, SendTimeoutError};

#[test]
fn many_to_many() {
    let (sender, receiver) = bounded::<Box<u64>>(7);
    let senders: Vec<_> = (0..10)
        .map(|i| {
            let sender = sender.clone();
            upcall::spawn(move || (0..500).for_each(|n| sender.send(Box::new(i * 500 + n)).unwrap()))
        })
        .collect();
    drop(sender);
    let receivers: Vec<_> = (0..4)
        .map(|_| {
            let receiver = receiver.clone();
            upcall::spawn(move || receiver.iter().map(|n| *n).collect::<Vec<_>>())
        })
        .collect();
    senders.into_iter().for_each(|handle| handle.join().unwrap());
    let mut all: Vec<u64> = receivers.into_iter().flat_map(|handle| handle.join().unwrap()).collect();
    all.sort_unstable();
    assert_eq!(all, (0..5000).collect::<Vec<_>>());
}

#[test]
fn full_and_empty() {
    let (sender, receiver) = bounded(2);
    assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
    assert_eq!(receiver.recv_timeout(Duration::from_millis(2)), Err(RecvTimeoutError::Timeout));
    sender.send('a').unwrap();
    sender.send('b').unwrap();
    assert_eq!(sender.try_send('c'), Err(TrySendError::Full('c')));
    assert_eq!(sender.send_timeout('c', Duration::from_millis(2)), Err(SendTimeoutError::Timeout('c')));
    assert_eq!(receiver.len(), 2);
    drop(sender);
    assert_eq!((receiver.recv(), receiver.try_recv()), (Ok('a'), Ok('b')));
    assert!(receiver.is_empty());
    assert_eq!(receiver.try_recv(), Err(TryRecvError::Disconnected));
    assert!(receiver.recv().is_err());
}

#[test]
fn values_come_back_from_where_nobody_receives() {
    let (sender, receiver) = bounded(1);
    sender.send(String::from("first")).unwrap();
    let waits = upcall::spawn(move || sender.send(String::from("second")).unwrap_err().0);
    upcall::sleep(Duration::from_millis(2));
    drop(receiver);
    assert_eq!(waits.join().unwrap(), "second");
}

#[test]
fn values_without_a_size() {
    let (sender, receiver) = bounded(3);
    for _ in 0..3 {
        sender.send(()).unwrap();
    }
    drop(sender);
    assert_eq!(receiver.iter().count(), 3);
}

#[test]
fn what_is_left_is_dropped() {
    struct Counts(Arc<AtomicU32>);
    impl Drop for Counts {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let dropped = Arc::new(AtomicU32::new(0));
    let (sender, receiver) = bounded(5);
    for _ in 0..5 {
        assert!(sender.send(Counts(dropped.clone())).is_ok());
    }
    drop(receiver.recv());
    assert_eq!(dropped.load(Ordering::SeqCst), 1);
    drop(receiver);
    assert_eq!(dropped.load(Ordering::SeqCst), 5);
    assert!(sender.send(Counts(dropped.clone())).is_err());
    assert_eq!(dropped.load(Ordering::SeqCst), 6);
}
