// SPDX-License-Identifier: BSD-2-Clause
//! Channels: queues of a fixed length, for many senders and many receivers. The errors are `std`'s.

use std::marker::PhantomData;
use std::mem::{self, ManuallyDrop, MaybeUninit};
use std::os::raw::c_void;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};
use std::sync::Arc;
use std::time::Duration;

use crate::ffi;

/// The queue, which the last of all its ends frees. What goes in lives as long as what is to come out:
///
/// ```compile_fail,E0597
/// let (sender, receiver) = upcall::channel::bounded::<&'static str>(1);
/// {
///     let text = String::from("short");
///     sender.send(&text).unwrap();
/// }
/// println!("{}", receiver.recv().unwrap());
/// ```
struct Channel<T> {
    raw: *mut ffi::channel,
    senders: AtomicUsize,
    receivers: AtomicUsize,
    values: PhantomData<fn(T) -> T>,
}

unsafe impl<T: Send> Send for Channel<T> {}
unsafe impl<T: Send> Sync for Channel<T> {}

/// What goes through the library's queue: a value, and a byte for those that have no size.
#[repr(C)]
struct Element<T> {
    value: MaybeUninit<T>,
    filler: u8,
}

impl<T> Channel<T> {
    /// The library copies the bytes; on success the value is the queue's.
    fn send(&self, value: T, send: impl FnOnce(*const c_void) -> i32) -> Result<(), (i32, T)> {
        let element = ManuallyDrop::new(Element { value: MaybeUninit::new(value), filler: 0 });
        match send((&*element as *const Element<T>).cast()) {
            0 => Ok(()),
            error => Err((error, unsafe { element.value.assume_init_read() })),
        }
    }

    fn receive(&self, receive: impl FnOnce(*mut c_void) -> i32) -> Result<T, i32> {
        let mut element = MaybeUninit::<Element<T>>::uninit();
        match receive(element.as_mut_ptr().cast()) {
            0 => Ok(unsafe { element.assume_init().value.assume_init() }),
            error => Err(error),
        }
    }

    fn try_receive(&self) -> Result<T, i32> {
        self.receive(|to| unsafe { ffi::upcall_channel_tryreceive(self.raw, to) })
    }

    fn close(&self) {
        unsafe { ffi::upcall_channel_close(self.raw) };
    }
}

impl<T> Drop for Channel<T> {
    fn drop(&mut self) {
        while self.try_receive().is_ok() {}
        unsafe { ffi::upcall_channel_destroy(self.raw) };
    }
}

/// A channel that holds up to `capacity` values.
///
/// ```
/// let (sender, receiver) = upcall::channel::bounded(4);
/// upcall::spawn(move || (1..=100).for_each(|n| sender.send(n).unwrap()));
/// assert_eq!(receiver.iter().sum::<i32>(), 5050);
/// ```
///
/// # Panics
///
/// When `capacity` is 0, or there is no memory.
pub fn bounded<T: Send>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    let mut raw = ptr::null_mut();
    ffi::must(unsafe { ffi::upcall_channel_create(&mut raw, capacity, mem::size_of::<Element<T>>()) });
    let channel = Arc::new(Channel {
        raw,
        senders: AtomicUsize::new(1),
        receivers: AtomicUsize::new(1),
        values: PhantomData,
    });
    (Sender(channel.clone()), Receiver(channel))
}

/// Why [`Sender::send_timeout`] gives the value back; `std` has it in its newest versions only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendTimeoutError<T> {
    /// The channel was full all the time.
    Timeout(T),
    /// There is no receiver.
    Disconnected(T),
}

/// The end that values go in at. When all are dropped, receivers get what is left and then an error.
pub struct Sender<T>(Arc<Channel<T>>);

impl<T> Sender<T> {
    /// Waits while the channel is full.
    ///
    /// # Errors
    ///
    /// The value, when there is no receiver.
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        let sent = self.0.send(value, |from| unsafe {
            ffi::upcall_channel_send_until(self.0.raw, from, ffi::NEVER)
        });
        sent.map_err(|(_, value)| SendError(value))
    }

    /// Waits no longer than `time`.
    ///
    /// # Errors
    ///
    /// The value, when that was over, or when there is no receiver.
    pub fn send_timeout(&self, value: T, time: Duration) -> Result<(), SendTimeoutError<T>> {
        let sent = self.0.send(value, |from| unsafe {
            ffi::upcall_channel_send_until(self.0.raw, from, ffi::deadline(time))
        });
        sent.map_err(|(error, value)| match error {
            ffi::EPIPE => SendTimeoutError::Disconnected(value),
            _ => SendTimeoutError::Timeout(value),
        })
    }

    /// If the channel is not full.
    ///
    /// # Errors
    ///
    /// The value, when it is full, or when there is no receiver.
    pub fn try_send(&self, value: T) -> Result<(), TrySendError<T>> {
        let sent = self.0.send(value, |from| unsafe { ffi::upcall_channel_trysend(self.0.raw, from) });
        sent.map_err(|(error, value)| match error {
            ffi::EAGAIN => TrySendError::Full(value),
            _ => TrySendError::Disconnected(value),
        })
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Sender<T> {
        self.0.senders.fetch_add(1, Ordering::Relaxed);
        Sender(self.0.clone())
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        if self.0.senders.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.0.close();
        }
    }
}

/// The end that values come out of, in the order that they went in. When all are dropped, senders get
/// an error.
pub struct Receiver<T>(Arc<Channel<T>>);

impl<T> Receiver<T> {
    /// Waits while the channel is empty.
    ///
    /// # Errors
    ///
    /// When it is empty and there is no sender.
    pub fn recv(&self) -> Result<T, RecvError> {
        self.recv_until(ffi::NEVER).map_err(|_| RecvError)
    }

    /// If there is a value.
    ///
    /// # Errors
    ///
    /// When the channel is empty.
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        self.0.try_receive().map_err(|error| match error {
            ffi::EPIPE => TryRecvError::Disconnected,
            _ => TryRecvError::Empty,
        })
    }

    /// Waits no longer than `time`.
    ///
    /// # Errors
    ///
    /// When that was over, or when there is no sender.
    pub fn recv_timeout(&self, time: Duration) -> Result<T, RecvTimeoutError> {
        self.recv_until(ffi::deadline(time)).map_err(|error| match error {
            ffi::EPIPE => RecvTimeoutError::Disconnected,
            _ => RecvTimeoutError::Timeout,
        })
    }

    /// What comes, until there is no sender.
    pub fn iter(&self) -> impl Iterator<Item = T> + '_ {
        std::iter::from_fn(move || self.recv().ok())
    }

    /// How many values wait.
    pub fn len(&self) -> usize {
        unsafe { ffi::upcall_channel_length(self.0.raw) }
    }

    /// Does none wait?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn recv_until(&self, deadline_ns: u64) -> Result<T, i32> {
        self.0.receive(|to| unsafe { ffi::upcall_channel_receive_until(self.0.raw, to, deadline_ns) })
    }
}

impl<T> Clone for Receiver<T> {
    fn clone(&self) -> Receiver<T> {
        self.0.receivers.fetch_add(1, Ordering::Relaxed);
        Receiver(self.0.clone())
    }
}

impl<T> Drop for Receiver<T> {
    /// Nobody will receive what is left.
    fn drop(&mut self) {
        if self.0.receivers.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.0.close();
            while self.0.try_receive().is_ok() {}
        }
    }
}
