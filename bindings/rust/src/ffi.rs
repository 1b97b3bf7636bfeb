// SPDX-License-Identifier: BSD-2-Clause
//! `<upcall/upcall.h>`, as far as this crate uses it.
#![allow(non_camel_case_types)]

use std::io;
use std::os::raw::{c_char, c_int, c_uint, c_void};
use std::time::Duration;

pub const NEVER: u64 = u64::MAX;
pub const EBUSY: c_int = -16;
pub const EAGAIN: c_int = -11;
pub const EPIPE: c_int = -32;
pub const ETIMEDOUT: c_int = -110;
pub const BOUND: c_uint = 4;

/// A thread's handle; null is none.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Handle(pub *mut c_void);

// A handle may be used by any thread.
unsafe impl Send for Handle {}
unsafe impl Sync for Handle {}

impl Handle {
    pub const NONE: Handle = Handle(std::ptr::null_mut());
}

#[repr(C)]
pub struct Attr {
    pub size: usize,
    pub flags: c_uint,
    pub priority: c_int,
    pub stack_bytes: usize,
    pub name: *const c_char,
    pub vproc: c_uint,
    pub group: c_uint,
}

#[repr(C)]
pub struct Options {
    pub size: usize,
    pub vprocs: c_uint,
    pub flags: c_uint,
}

/// The objects that users embed: so many words, ready for use when they are zeroes.
macro_rules! object {
    ($name:ident, $words:expr) => {
        #[repr(C)]
        pub struct $name([u64; $words]);

        impl $name {
            pub const ZERO: $name = $name([0; $words]);
        }
    };
}

object!(mutex, 4);
object!(cond, 4);
object!(sem, 4);
object!(rwlock, 4);
object!(barrier, 4);
object!(once, 2);
object!(event, 2);
object!(latch, 2);

#[repr(C)]
pub struct channel {
    opaque: [u8; 0],
}

extern "C" {
    pub fn upcall_after(ns: u64) -> u64;

    pub fn upcall_create(
        ret_thread: *mut Handle,
        attr: *const Attr,
        start: extern "C" fn(*mut c_void) -> *mut c_void,
        arg: *mut c_void,
    ) -> c_int;
    pub fn upcall_join(thread: Handle, ret_value: *mut *mut c_void) -> c_int;
    pub fn upcall_detach(thread: Handle) -> c_int;
    pub fn upcall_self() -> Handle;
    pub fn upcall_name(thread: Handle, ret_name: *mut c_char, bytes: usize) -> c_int;
    pub fn upcall_set_priority(thread: Handle, priority: c_int) -> c_int;
    pub fn upcall_priority(thread: Handle) -> c_int;
    pub fn upcall_yield();
    pub fn upcall_sleep(ns: u64) -> c_int;
    pub fn upcall_park_until(deadline_ns: u64) -> c_int;
    pub fn upcall_unpark(thread: Handle);
    pub fn upcall_init(options: *const Options) -> c_int;
    pub fn upcall_vprocs() -> c_uint;

    pub fn upcall_mutex_lock(mutex: *mut mutex) -> c_int;
    pub fn upcall_mutex_lock_until(mutex: *mut mutex, deadline_ns: u64) -> c_int;
    pub fn upcall_mutex_trylock(mutex: *mut mutex) -> c_int;
    pub fn upcall_mutex_unlock(mutex: *mut mutex) -> c_int;

    pub fn upcall_cond_wait_until(cond: *mut cond, mutex: *mut mutex, deadline_ns: u64) -> c_int;
    pub fn upcall_cond_signal(cond: *mut cond);
    pub fn upcall_cond_broadcast(cond: *mut cond);
    pub fn upcall_cond_destroy(cond: *mut cond);

    pub fn upcall_sem_init(sem: *mut sem, value: c_uint) -> c_int;
    pub fn upcall_sem_post(sem: *mut sem) -> c_int;
    pub fn upcall_sem_wait_until(sem: *mut sem, deadline_ns: u64) -> c_int;
    pub fn upcall_sem_trywait(sem: *mut sem) -> c_int;

    pub fn upcall_rwlock_read(lock: *mut rwlock) -> c_int;
    pub fn upcall_rwlock_read_until(lock: *mut rwlock, deadline_ns: u64) -> c_int;
    pub fn upcall_rwlock_tryread(lock: *mut rwlock) -> c_int;
    pub fn upcall_rwlock_write(lock: *mut rwlock) -> c_int;
    pub fn upcall_rwlock_write_until(lock: *mut rwlock, deadline_ns: u64) -> c_int;
    pub fn upcall_rwlock_trywrite(lock: *mut rwlock) -> c_int;
    pub fn upcall_rwlock_unlock(lock: *mut rwlock) -> c_int;

    pub fn upcall_barrier_init(barrier: *mut barrier, count: c_uint) -> c_int;
    pub fn upcall_barrier_wait(barrier: *mut barrier) -> c_int;
    pub fn upcall_barrier_wait_until(barrier: *mut barrier, deadline_ns: u64) -> c_int;
    pub fn upcall_barrier_destroy(barrier: *mut barrier);

    pub fn upcall_once_run(once: *mut once, run: extern "C" fn(*mut c_void), arg: *mut c_void);

    pub fn upcall_event_set(event: *mut event);
    pub fn upcall_event_reset(event: *mut event);
    pub fn upcall_event_is_set(event: *const event) -> bool;
    pub fn upcall_event_wait_until(event: *mut event, deadline_ns: u64) -> c_int;

    pub fn upcall_latch_init(latch: *mut latch, count: c_uint) -> c_int;
    pub fn upcall_latch_count_down(latch: *mut latch, by: c_uint) -> c_int;
    pub fn upcall_latch_wait_until(latch: *mut latch, deadline_ns: u64) -> c_int;

    pub fn upcall_channel_create(ret: *mut *mut channel, capacity: usize, element_bytes: usize) -> c_int;
    pub fn upcall_channel_destroy(channel: *mut channel);
    pub fn upcall_channel_close(channel: *mut channel);
    pub fn upcall_channel_send_until(channel: *mut channel, element: *const c_void, deadline_ns: u64) -> c_int;
    pub fn upcall_channel_trysend(channel: *mut channel, element: *const c_void) -> c_int;
    pub fn upcall_channel_receive_until(channel: *mut channel, ret: *mut c_void, deadline_ns: u64) -> c_int;
    pub fn upcall_channel_tryreceive(channel: *mut channel, ret: *mut c_void) -> c_int;
    pub fn upcall_channel_length(channel: *mut channel) -> usize;

    pub fn upcall_recv_until(fd: c_int, buffer: *mut c_void, bytes: usize, flags: c_int, deadline_ns: u64) -> isize;
    pub fn upcall_send_until(fd: c_int, buffer: *const c_void, bytes: usize, flags: c_int, deadline_ns: u64) -> isize;
    pub fn upcall_accept_until(
        fd: c_int,
        ret_address: *mut c_void,
        size: *mut c_uint,
        flags: c_int,
        deadline_ns: u64,
    ) -> c_int;
    pub fn upcall_connect_until(fd: c_int, address: *const c_void, size: c_uint, deadline_ns: u64) -> c_int;
    pub fn upcall_close(fd: c_int) -> c_int;

    pub fn socket(domain: c_int, kind: c_int, protocol: c_int) -> c_int;
}

/// The point in time that is `time` from now.
pub fn deadline(time: Duration) -> u64 {
    unsafe { upcall_after(nanoseconds(time)) }
}

/// Less than `NEVER`.
pub fn nanoseconds(time: Duration) -> u64 {
    time.as_nanos().min(u128::from(NEVER - 1)) as u64
}

/// What the library returned, as Rust has it.
pub fn check(result: isize) -> io::Result<usize> {
    if result < 0 {
        Err(io::Error::from_raw_os_error(-result as i32))
    } else {
        Ok(result as usize)
    }
}

/// For calls that fail only when the time is up, or when they would have to wait.
pub fn in_time(result: c_int) -> bool {
    match result {
        ETIMEDOUT | EBUSY | EAGAIN => false,
        _ => {
            must(result);
            true
        }
    }
}

/// For calls that do not fail when they are used as this crate uses them.
pub fn must(result: c_int) -> c_int {
    assert!(result >= 0, "{}", io::Error::from_raw_os_error(-result));
    result
}
