// SPDX-License-Identifier: BSD-2-Clause
//! What threads wait on.
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use upcall::sync::{Barrier, Condvar, Event, Latch, Mutex, Once, RwLock, Semaphore};

const SHORT: Duration = Duration::from_millis(2);
const LONG: Duration = Duration::from_secs(10);

#[test]
fn mutex_excludes() {
    let pair = Mutex::new((0, 0));
    upcall::scope(|s| {
        for _ in 0..8 {
            s.spawn(|| {
                for i in 0..1000 {
                    let mut both = pair.lock();
                    both.0 += 1;
                    if i % 64 == 0 {
                        upcall::yield_now();
                    }
                    both.1 += 1;
                    assert_eq!(both.0, both.1);
                }
            });
        }
    });
    assert_eq!(pair.into_inner(), (8000, 8000));
}

#[test]
fn a_held_mutex_is_not_to_be_had() {
    let mutex = Mutex::new(1);
    let guard = mutex.lock();
    upcall::scope(|s| {
        s.spawn(|| {
            let began = Instant::now();
            assert!(mutex.try_lock().is_none());
            assert!(mutex.try_lock_for(SHORT).is_none());
            assert!(began.elapsed() >= SHORT);
        });
    });
    assert_eq!(format!("{:?}", mutex), "Mutex(<locked>)");
    drop(guard);
    assert!(mutex.try_lock().is_some());
    assert_eq!(format!("{:?}", mutex), "Mutex(1)");
}

#[test]
fn a_panic_unlocks() {
    let mutex = Mutex::new(0);
    upcall::scope(|s| {
        let thread = s.spawn(|| {
            let _guard = mutex.lock();
            panic!("with the lock held");
        });
        assert!(thread.join().is_err());
    });
    assert!(mutex.try_lock().is_some());
}

#[test]
fn condvar_hands_over() {
    let turn = Mutex::new(0);
    let changed = Condvar::new();
    upcall::scope(|s| {
        for me in 0..10 {
            let (turn, changed) = (&turn, &changed);
            s.spawn(move || {
                for round in 0..100 {
                    let mut now = changed.wait_while(turn.lock(), |now| *now != round * 10 + me);
                    *now += 1;
                    changed.notify_all();
                }
            });
        }
    });
    assert_eq!(*turn.lock(), 1000);
    let (guard, in_time) = changed.wait_for(turn.lock(), SHORT);
    assert!(!in_time && *guard == 1000);
}

#[test]
fn rwlock_has_one_writer_or_many_readers() {
    let pair = RwLock::new((0, 0));
    let together = Barrier::new(2);
    upcall::scope(|s| {
        for _ in 0..2 {
            s.spawn(|| {
                let both = pair.read();
                together.wait();
                assert!(pair.try_write().is_none());
                together.wait();
                assert_eq!(both.0, both.1);
            });
        }
    });
    upcall::scope(|s| {
        for i in 0..8 {
            let pair = &pair;
            s.spawn(move || {
                for _ in 0..500 {
                    if i % 2 == 0 {
                        let mut both = pair.write();
                        both.0 += 1;
                        upcall::yield_now();
                        both.1 += 1;
                    } else {
                        let both = pair.read();
                        assert_eq!(both.0, both.1);
                    }
                }
            });
        }
    });
    let guard = pair.write();
    assert!(pair.try_read().is_none());
    drop(guard);
    assert_eq!(*pair.try_read().unwrap(), (2000, 2000));
}

#[test]
fn rwlock_is_waited_for_no_longer() {
    let value = RwLock::new(1);
    let reader = value.read();
    upcall::scope(|s| {
        s.spawn(|| {
            let began = Instant::now();
            assert_eq!(value.try_read_for(SHORT).map(|guard| *guard), Some(1));
            assert!(value.try_write_for(SHORT).is_none());
            assert!(began.elapsed() >= SHORT);
        });
    });
    drop(reader);
    let writer = value.write();
    upcall::scope(|s| {
        s.spawn(|| {
            assert!(value.try_read_for(SHORT).is_none());
            assert!(value.try_write_for(SHORT).is_none());
        });
    });
    upcall::scope(|s| {
        let waiter = s.spawn(|| *value.try_write_for(LONG).unwrap() += 1);
        upcall::sleep(SHORT);
        drop(writer);
        waiter.join().unwrap();
    });
    assert_eq!(value.try_read_for(SHORT).map(|guard| *guard), Some(2));
}

#[test]
fn semaphore_counts() {
    let (permits, inside, most) = (Semaphore::new(3), AtomicU32::new(0), AtomicU32::new(0));
    upcall::scope(|s| {
        for _ in 0..20 {
            s.spawn(|| {
                permits.acquire();
                most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                upcall::sleep(Duration::from_micros(200));
                inside.fetch_sub(1, Ordering::SeqCst);
                permits.release();
            });
        }
    });
    assert!((1..=3).contains(&most.into_inner()));
    assert!(permits.try_acquire() && permits.try_acquire() && permits.acquire_for(SHORT));
    assert!(!permits.try_acquire() && !permits.acquire_for(SHORT));
}

#[test]
fn barrier_has_one_last() {
    let (barrier, lasts) = (Barrier::new(6), AtomicU32::new(0));
    upcall::scope(|s| {
        for _ in 0..6 {
            s.spawn(|| {
                for round in 0..100 {
                    if barrier.wait() {
                        assert_eq!(lasts.fetch_add(1, Ordering::SeqCst), round);
                    }
                    barrier.wait();
                }
            });
        }
    });
    assert_eq!(lasts.into_inner(), 100);
}

#[test]
fn who_leaves_a_barrier_has_not_come() {
    let (barrier, lasts) = (Barrier::new(2), AtomicU32::new(0));
    assert_eq!(barrier.wait_for(SHORT), None);
    upcall::scope(|s| {
        for _ in 0..2 {
            s.spawn(|| {
                if barrier.wait_for(LONG).unwrap() {
                    lasts.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
    });
    assert_eq!(lasts.into_inner(), 1);
    assert_eq!(barrier.wait_for(SHORT), None);
}

#[test]
fn once_is_once() {
    let (once, runs) = (Once::new(), AtomicU32::new(0));
    upcall::scope(|s| {
        for _ in 0..20 {
            s.spawn(|| {
                once.call_once(|| {
                    upcall::sleep(SHORT);
                    runs.fetch_add(1, Ordering::SeqCst);
                });
                assert_eq!(runs.load(Ordering::SeqCst), 1);
            });
        }
    });
    let broken = Once::new();
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| broken.call_once(|| panic!("it"))))
        .is_err());
    broken.call_once(|| unreachable!("that was done"));
}

#[test]
fn events_and_latches_let_all_go() {
    let (event, latch) = (Event::new(), Latch::new(10));
    assert!(!event.wait_for(SHORT) && !latch.wait_for(SHORT));
    upcall::scope(|s| {
        for _ in 0..10 {
            s.spawn(|| {
                event.wait();
                latch.count_down();
            });
        }
        event.set();
        latch.wait();
    });
    assert!(event.is_set() && event.wait_for(SHORT) && latch.wait_for(SHORT));
    event.reset();
    assert!(!event.is_set());
}
