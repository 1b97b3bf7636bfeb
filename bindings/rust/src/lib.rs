// SPDX-License-Identifier: BSD-2-Clause
//! User-level threads on scheduler activations: the native API of Upcall, libupcall.
//!
//! A thread here is not a kernel thread: many share a few of those, one for each processor, and a
//! thread that waits costs its stack and nothing else. What is here looks like `std`:
//!
//! ```
//! let handles: Vec<_> = (0..1000).map(|i| upcall::spawn(move || i * 2)).collect();
//! let sum: i32 = handles.into_iter().map(|handle| handle.join().unwrap()).sum();
//! assert_eq!(sum, 999_000);
//! ```
//!
//! Threads have thread-local storage of their own, so `thread_local!` and panics work as they do in
//! `std`'s threads. Everything that waits may be called from any thread, also from `std`'s: those wait
//! in the kernel. The other way round, what of `std` waits (its locks, its channels, its sockets)
//! blocks a kernel thread when it is called on a thread of ours; its processor goes to another one.

#![warn(missing_docs)]

pub mod channel;
mod ffi;
pub mod net;
pub mod sync;
pub mod thread;

pub use thread::{park, scope, sleep, spawn, yield_now};

use std::io;

/// Says how many vprocs there are to be, before the first thread is made. It need not be called: then
/// there is one for each processor that the process may use.
///
/// # Errors
///
/// `EBUSY` when threads exist already, or `vprocs` or this has been called; `InvalidInput` for more than 256.
pub fn init(vprocs: u32) -> io::Result<()> {
    let options = ffi::Options { size: std::mem::size_of::<ffi::Options>(), vprocs, flags: 0 };
    ffi::check(unsafe { ffi::upcall_init(&options) } as isize).map(drop)
}

/// How many vprocs there are: so many threads run at once.
pub fn vprocs() -> u32 {
    unsafe { ffi::upcall_vprocs() }
}
