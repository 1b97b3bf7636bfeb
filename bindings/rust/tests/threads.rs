// SPDX-License-Identifier: BSD-2-Clause
//! Threads: results, panics, names, thread-local storage, scopes, park.
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use upcall::thread::{self, Builder};

#[test]
fn a_thousand_return_values() {
    let handles: Vec<_> = (0..1000u64).map(|i| upcall::spawn(move || Box::new(i))).collect();
    let sum: u64 = handles.into_iter().map(|handle| *handle.join().unwrap()).sum();
    assert_eq!(sum, 499_500);
}

#[test]
fn a_panic_is_the_joiners() {
    let panic = upcall::spawn(|| std::panic::panic_any(7u32)).join().unwrap_err();
    assert_eq!(panic.downcast_ref::<u32>(), Some(&7));
    assert_eq!(upcall::spawn(|| 7).join().unwrap(), 7);
}

#[test]
fn a_dropped_handle_detaches() {
    let ran = Arc::new(AtomicBool::new(false));
    let its = ran.clone();
    drop(upcall::spawn(move || its.store(true, Ordering::SeqCst)));
    while !ran.load(Ordering::SeqCst) || Arc::strong_count(&ran) > 1 {
        upcall::yield_now();
    }
}

#[test]
fn builder_makes_what_it_says() {
    let builder = Builder::new().name("painter".to_string()).stack_size(1 << 20).group(3);
    let handle = builder.spawn(|| {
        let mut big = [0u8; 700 << 10];
        let at = std::process::id() as usize % big.len();
        big[at] = 4;
        big.iter().sum::<u8>()
    });
    assert_eq!(handle.unwrap().join().unwrap(), 4);
    assert_eq!(Builder::new().bound().spawn(|| 5).unwrap().join().unwrap(), 5);
    assert!(Builder::new().name("a\0b".to_string()).spawn(|| ()).is_err());
}

#[test]
fn name_and_priority() {
    let builder = Builder::new().name("a-name-longer-than-fifteen".to_string()).priority(5);
    let handle = builder.spawn(thread::park).unwrap();
    let its = handle.thread().clone();
    assert_eq!(its.name().as_deref(), Some("a-name-longer-t"));
    assert_eq!(its.priority(), Some(5));
    its.set_priority(-3).unwrap();
    assert_eq!(its.priority(), Some(-3));
    assert_eq!(its.set_priority(99).unwrap_err().kind(), std::io::ErrorKind::InvalidInput);
    its.unpark();
    handle.join().unwrap();
    assert_eq!((its.name(), its.priority()), (None, None));
    assert!(Builder::new().priority(99).spawn(|| ()).is_err());
}

thread_local! {
    static OWN: Cell<u32> = const { Cell::new(1) };
}

#[test]
fn each_has_its_own_thread_locals() {
    let handles: Vec<_> = (0..100)
        .map(|i| {
            upcall::spawn(move || {
                assert_eq!(OWN.with(|own| own.replace(i)), 1);
                upcall::yield_now();
                upcall::sleep(Duration::from_micros(100));
                OWN.with(Cell::get)
            })
        })
        .collect();
    for (i, handle) in (0..).zip(handles) {
        assert_eq!(handle.join().unwrap(), i);
    }
}

#[test]
fn thread_locals_are_dropped() {
    struct Counts(Arc<AtomicU32>);
    impl Drop for Counts {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    thread_local!(static LAST: Cell<Option<Counts>> = const { Cell::new(None) });

    let dropped = Arc::new(AtomicU32::new(0));
    for _ in 0..20 {
        let counts = Counts(dropped.clone());
        upcall::spawn(move || LAST.with(|last| last.set(Some(counts)))).join().unwrap();
    }
    assert_eq!(dropped.load(Ordering::SeqCst), 20);
}

#[test]
fn sleep_takes_as_long_as_it_says() {
    let began = Instant::now();
    upcall::spawn(|| upcall::sleep(Duration::from_millis(5))).join().unwrap();
    assert!(began.elapsed() >= Duration::from_millis(5));
}

#[test]
fn is_finished_after_the_end() {
    let go = Arc::new(upcall::sync::Event::new());
    let its = go.clone();
    let handle = upcall::spawn(move || its.wait());
    assert!(!handle.is_finished());
    go.set();
    while !handle.is_finished() {
        upcall::yield_now();
    }
    handle.join().unwrap();
}

#[test]
fn a_scope_lends_and_waits() {
    let text = String::from("lent");
    let mut lengths = vec![0; 50];
    let sum = upcall::scope(|s| {
        for length in &mut lengths {
            s.spawn(|| {
                upcall::yield_now();
                *length = text.len();
            });
        }
        let inner = s.spawn(|| s.spawn(|| 20).join().unwrap() + 1);
        inner.join().unwrap()
    });
    assert_eq!(sum, 21);
    assert_eq!(lengths, [4; 50]);
}

#[test]
fn a_scope_panics_for_its_threads() {
    let taken = upcall::scope(|s| s.spawn(|| panic!("taken")).join().is_err());
    assert!(taken);
    let left = std::panic::catch_unwind(|| {
        upcall::scope(|s| {
            s.spawn(|| panic!("left"));
        });
    });
    assert!(left.is_err());
}

extern "C" {
    fn upcall_self() -> *mut std::ffi::c_void;
    fn upcall_cancel(thread: *mut std::ffi::c_void) -> i32;
}

#[test]
fn a_cancelled_scope_waits_all_the_same() {
    let has_ended = AtomicBool::new(false);
    let told = std::panic::catch_unwind(|| {
        upcall::scope(|s| {
            s.spawn(|| {
                upcall::sleep(Duration::from_millis(500));
                has_ended.store(true, Ordering::SeqCst);
            });
            unsafe { upcall_cancel(upcall_self()) };
        });
    });
    assert!(has_ended.load(Ordering::SeqCst));
    assert!(told.is_err());
    upcall::sleep(Duration::from_millis(1));
}

#[test]
fn tokens_are_kept() {
    let main = thread::current();
    let handle = upcall::spawn(move || {
        for _ in 0..1000 {
            main.unpark();
            thread::park_timeout(Duration::from_millis(1));
        }
    });
    for _ in 0..1000 {
        handle.thread().unpark();
        thread::park_timeout(Duration::from_millis(1));
    }
    let other = handle.thread().clone();
    handle.join().unwrap();
    other.unpark();
    thread::current().unpark();
    upcall::park();
}

#[test]
fn any_thread_may_call() {
    let mutex = Arc::new(upcall::sync::Mutex::new(0));
    let add = |mutex: Arc<upcall::sync::Mutex<u32>>| {
        move || {
            for _ in 0..1000 {
                *mutex.lock() += 1;
            }
        }
    };
    let ours: Vec<_> = (0..4).map(|_| upcall::spawn(add(mutex.clone()))).collect();
    let stds: Vec<_> = (0..4).map(|_| std::thread::spawn(add(mutex.clone()))).collect();
    ours.into_iter().for_each(|handle| handle.join().unwrap());
    stds.into_iter().for_each(|handle| handle.join().unwrap());
    assert_eq!(*mutex.lock(), 8000);
}
