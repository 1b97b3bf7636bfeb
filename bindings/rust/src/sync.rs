// SPDX-License-Identifier: BSD-2-Clause
//! What threads wait on: [`Mutex`], [`RwLock`], [`Condvar`], [`Semaphore`], [`Barrier`], [`Once`],
//! [`Event`], [`Latch`].
//!
//! Locks are not poisoned: a guard that a panic drops unlocks.

use std::any::Any;
use std::cell::UnsafeCell;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::os::raw::c_void;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::time::Duration;

use crate::ffi;

/// Protects a value: one thread at a time.
///
/// ```
/// use upcall::sync::Mutex;
///
/// static TOTAL: Mutex<u32> = Mutex::new(0);
///
/// let threads: Vec<_> = (0..100).map(|_| upcall::spawn(|| *TOTAL.lock() += 1)).collect();
/// for thread in threads {
///     thread.join().unwrap();
/// }
/// assert_eq!(*TOTAL.lock(), 100);
/// ```
pub struct Mutex<T: ?Sized> {
    raw: UnsafeCell<ffi::mutex>,
    value: UnsafeCell<T>,
}

unsafe impl<T: ?Sized + Send> Send for Mutex<T> {}
unsafe impl<T: ?Sized + Send> Sync for Mutex<T> {}

impl<T> Mutex<T> {
    /// An unlocked one.
    pub const fn new(value: T) -> Mutex<T> {
        Mutex { raw: UnsafeCell::new(ffi::mutex::ZERO), value: UnsafeCell::new(value) }
    }

    /// What it protected.
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Waits for it. A thread that holds it already waits for ever.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        ffi::must(unsafe { ffi::upcall_mutex_lock(self.raw.get()) });
        MutexGuard::new(self)
    }

    /// If it is free.
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        let got = unsafe { ffi::upcall_mutex_trylock(self.raw.get()) };
        ffi::in_time(got).then(|| MutexGuard::new(self))
    }

    /// Waits for it no longer than `time`.
    pub fn try_lock_for(&self, time: Duration) -> Option<MutexGuard<'_, T>> {
        let got = unsafe { ffi::upcall_mutex_lock_until(self.raw.get(), ffi::deadline(time)) };
        ffi::in_time(got).then(|| MutexGuard::new(self))
    }

    /// What it protects, as nobody else can have it.
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }
}

impl<T: Default> Default for Mutex<T> {
    fn default() -> Mutex<T> {
        Mutex::new(T::default())
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.try_lock() {
            Some(guard) => f.debug_tuple("Mutex").field(&&*guard).finish(),
            None => f.write_str("Mutex(<locked>)"),
        }
    }
}

/// The way to what a [`Mutex`] protects; unlocks when it is dropped.
#[must_use = "it unlocks at once"]
pub struct MutexGuard<'a, T: ?Sized> {
    mutex: &'a Mutex<T>,
    stays: PhantomData<*const ()>,
}

unsafe impl<T: ?Sized + Sync> Sync for MutexGuard<'_, T> {}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    fn new(mutex: &'a Mutex<T>) -> MutexGuard<'a, T> {
        MutexGuard { mutex, stays: PhantomData }
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        unsafe { &*self.mutex.value.get() }
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        unsafe { &mut *self.mutex.value.get() }
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        unsafe { ffi::upcall_mutex_unlock(self.mutex.raw.get()) };
    }
}

/// Waits for what others do to the value of a [`Mutex`].
pub struct Condvar {
    raw: UnsafeCell<ffi::cond>,
}

unsafe impl Send for Condvar {}
unsafe impl Sync for Condvar {}

impl Condvar {
    /// One that nobody waits on.
    pub const fn new() -> Condvar {
        Condvar { raw: UnsafeCell::new(ffi::cond::ZERO) }
    }

    /// Unlocks and waits, as one step, and locks again. It may return for no reason.
    pub fn wait<'a, T: ?Sized>(&self, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        self.wait_until(&guard, ffi::NEVER);
        guard
    }

    /// Waits while `is_waiting` says so.
    pub fn wait_while<'a, T: ?Sized, F>(&self, mut guard: MutexGuard<'a, T>, mut is_waiting: F) -> MutexGuard<'a, T>
    where
        F: FnMut(&mut T) -> bool,
    {
        while is_waiting(&mut guard) {
            guard = self.wait(guard);
        }
        guard
    }

    /// Waits no longer than `time`; false when that was over.
    pub fn wait_for<'a, T: ?Sized>(&self, guard: MutexGuard<'a, T>, time: Duration) -> (MutexGuard<'a, T>, bool) {
        let in_time = self.wait_until(&guard, ffi::deadline(time));
        (guard, in_time)
    }

    fn wait_until<T: ?Sized>(&self, guard: &MutexGuard<'_, T>, deadline_ns: u64) -> bool {
        ffi::in_time(unsafe { ffi::upcall_cond_wait_until(self.raw.get(), guard.mutex.raw.get(), deadline_ns) })
    }

    /// Ends the wait of one thread.
    pub fn notify_one(&self) {
        unsafe { ffi::upcall_cond_signal(self.raw.get()) };
    }

    /// Ends the wait of all.
    pub fn notify_all(&self) {
        unsafe { ffi::upcall_cond_broadcast(self.raw.get()) };
    }
}

impl Default for Condvar {
    fn default() -> Condvar {
        Condvar::new()
    }
}

impl Drop for Condvar {
    fn drop(&mut self) {
        unsafe { ffi::upcall_cond_destroy(self.raw.get()) };
    }
}

/// Protects a value: one thread that writes it, or many that read. A writer that waits goes before
/// readers that come later, so a reader must not ask a second time.
pub struct RwLock<T: ?Sized> {
    raw: UnsafeCell<ffi::rwlock>,
    value: UnsafeCell<T>,
}

unsafe impl<T: ?Sized + Send> Send for RwLock<T> {}
unsafe impl<T: ?Sized + Send + Sync> Sync for RwLock<T> {}

impl<T> RwLock<T> {
    /// An unlocked one.
    pub const fn new(value: T) -> RwLock<T> {
        RwLock { raw: UnsafeCell::new(ffi::rwlock::ZERO), value: UnsafeCell::new(value) }
    }

    /// What it protected.
    pub fn into_inner(self) -> T {
        self.value.into_inner()
    }
}

impl<T: ?Sized> RwLock<T> {
    /// Waits until nobody writes.
    pub fn read(&self) -> RwLockReadGuard<'_, T> {
        ffi::must(unsafe { ffi::upcall_rwlock_read(self.raw.get()) });
        RwLockReadGuard { lock: self, stays: PhantomData }
    }

    /// Waits until it is free.
    pub fn write(&self) -> RwLockWriteGuard<'_, T> {
        ffi::must(unsafe { ffi::upcall_rwlock_write(self.raw.get()) });
        RwLockWriteGuard { lock: self, stays: PhantomData }
    }

    /// If nobody writes.
    pub fn try_read(&self) -> Option<RwLockReadGuard<'_, T>> {
        let got = unsafe { ffi::upcall_rwlock_tryread(self.raw.get()) };
        ffi::in_time(got).then(|| RwLockReadGuard { lock: self, stays: PhantomData })
    }

    /// If it is free.
    pub fn try_write(&self) -> Option<RwLockWriteGuard<'_, T>> {
        let got = unsafe { ffi::upcall_rwlock_trywrite(self.raw.get()) };
        ffi::in_time(got).then(|| RwLockWriteGuard { lock: self, stays: PhantomData })
    }

    /// Waits no longer than `time` until nobody writes.
    pub fn try_read_for(&self, time: Duration) -> Option<RwLockReadGuard<'_, T>> {
        let got = unsafe { ffi::upcall_rwlock_read_until(self.raw.get(), ffi::deadline(time)) };
        ffi::in_time(got).then(|| RwLockReadGuard { lock: self, stays: PhantomData })
    }

    /// Waits no longer than `time` until it is free.
    pub fn try_write_for(&self, time: Duration) -> Option<RwLockWriteGuard<'_, T>> {
        let got = unsafe { ffi::upcall_rwlock_write_until(self.raw.get(), ffi::deadline(time)) };
        ffi::in_time(got).then(|| RwLockWriteGuard { lock: self, stays: PhantomData })
    }

    /// What it protects, as nobody else can have it.
    pub fn get_mut(&mut self) -> &mut T {
        self.value.get_mut()
    }
}

impl<T: Default> Default for RwLock<T> {
    fn default() -> RwLock<T> {
        RwLock::new(T::default())
    }
}

/// The way to read what an [`RwLock`] protects.
#[must_use = "it unlocks at once"]
pub struct RwLockReadGuard<'a, T: ?Sized> {
    lock: &'a RwLock<T>,
    stays: PhantomData<*const ()>,
}

/// The way to write what an [`RwLock`] protects.
#[must_use = "it unlocks at once"]
pub struct RwLockWriteGuard<'a, T: ?Sized> {
    lock: &'a RwLock<T>,
    stays: PhantomData<*const ()>,
}

unsafe impl<T: ?Sized + Sync> Sync for RwLockReadGuard<'_, T> {}
unsafe impl<T: ?Sized + Sync> Sync for RwLockWriteGuard<'_, T> {}

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        unsafe { &*self.lock.value.get() }
    }
}

impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        unsafe { &*self.lock.value.get() }
    }
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        unsafe { &mut *self.lock.value.get() }
    }
}

impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    fn drop(&mut self) {
        unsafe { ffi::upcall_rwlock_unlock(self.lock.raw.get()) };
    }
}

impl<T: ?Sized> Drop for RwLockWriteGuard<'_, T> {
    fn drop(&mut self) {
        unsafe { ffi::upcall_rwlock_unlock(self.lock.raw.get()) };
    }
}

/// A number of permits.
pub struct Semaphore {
    raw: UnsafeCell<ffi::sem>,
}

unsafe impl Send for Semaphore {}
unsafe impl Sync for Semaphore {}

impl Semaphore {
    /// One with so many permits.
    ///
    /// # Panics
    ///
    /// When that is more than `i32::MAX`.
    pub fn new(permits: u32) -> Semaphore {
        let sem = Semaphore { raw: UnsafeCell::new(ffi::sem::ZERO) };
        ffi::must(unsafe { ffi::upcall_sem_init(sem.raw.get(), permits) });
        sem
    }

    /// Gives one back.
    ///
    /// # Panics
    ///
    /// When there are too many.
    pub fn release(&self) {
        ffi::must(unsafe { ffi::upcall_sem_post(self.raw.get()) });
    }

    /// Waits for one and takes it.
    pub fn acquire(&self) {
        ffi::must(unsafe { ffi::upcall_sem_wait_until(self.raw.get(), ffi::NEVER) });
    }

    /// Takes one if there is one.
    pub fn try_acquire(&self) -> bool {
        ffi::in_time(unsafe { ffi::upcall_sem_trywait(self.raw.get()) })
    }

    /// Waits for one no longer than `time`.
    pub fn acquire_for(&self, time: Duration) -> bool {
        ffi::in_time(unsafe { ffi::upcall_sem_wait_until(self.raw.get(), ffi::deadline(time)) })
    }
}

/// Holds threads until so many have come, round after round.
pub struct Barrier {
    raw: UnsafeCell<ffi::barrier>,
}

unsafe impl Send for Barrier {}
unsafe impl Sync for Barrier {}

impl Barrier {
    /// One for so many threads.
    ///
    /// # Panics
    ///
    /// When that is 0.
    pub fn new(count: u32) -> Barrier {
        let barrier = Barrier { raw: UnsafeCell::new(ffi::barrier::ZERO) };
        ffi::must(unsafe { ffi::upcall_barrier_init(barrier.raw.get(), count) });
        barrier
    }

    /// Waits for the others; true for one of them, the last to come.
    pub fn wait(&self) -> bool {
        ffi::must(unsafe { ffi::upcall_barrier_wait(self.raw.get()) }) == 1
    }

    /// Waits for the others no longer than `time`. `None` when that was over: then it has not come, and
    /// the others wait on.
    pub fn wait_for(&self, time: Duration) -> Option<bool> {
        let result = unsafe { ffi::upcall_barrier_wait_until(self.raw.get(), ffi::deadline(time)) };
        ffi::in_time(result).then(|| result == 1)
    }
}

impl Drop for Barrier {
    fn drop(&mut self) {
        unsafe { ffi::upcall_barrier_destroy(self.raw.get()) };
    }
}

/// Something that is done once.
pub struct Once {
    raw: UnsafeCell<ffi::once>,
}

unsafe impl Send for Once {}
unsafe impl Sync for Once {}

/// What the library is to call, and the panic that it ended in.
struct Call<F> {
    f: Option<F>,
    panic: Option<Box<dyn Any + Send>>,
}

extern "C" fn run_once<F: FnOnce()>(arg: *mut c_void) {
    let call = unsafe { &mut *arg.cast::<Call<F>>() };
    if let Some(f) = call.f.take() {
        call.panic = catch_unwind(AssertUnwindSafe(f)).err();
    }
}

impl Once {
    /// One that is not done yet.
    pub const fn new() -> Once {
        Once { raw: UnsafeCell::new(ffi::once::ZERO) }
    }

    /// Calls `f` if it is the first to come; else waits until that one has been called.
    ///
    /// # Panics
    ///
    /// When its own `f` does; to all others that counts as done.
    pub fn call_once<F: FnOnce()>(&self, f: F) {
        let mut call = Call { f: Some(f), panic: None };
        unsafe { ffi::upcall_once_run(self.raw.get(), run_once::<F>, (&mut call as *mut Call<F>).cast()) };
        if let Some(panic) = call.panic {
            resume_unwind(panic);
        }
    }
}

impl Default for Once {
    fn default() -> Once {
        Once::new()
    }
}

/// Threads wait while it is not set.
pub struct Event {
    raw: UnsafeCell<ffi::event>,
}

unsafe impl Send for Event {}
unsafe impl Sync for Event {}

impl Event {
    /// One that is not set.
    pub const fn new() -> Event {
        Event { raw: UnsafeCell::new(ffi::event::ZERO) }
    }

    /// Ends all waits, until it is reset.
    pub fn set(&self) {
        unsafe { ffi::upcall_event_set(self.raw.get()) };
    }

    /// Makes threads wait again.
    pub fn reset(&self) {
        unsafe { ffi::upcall_event_reset(self.raw.get()) };
    }

    /// Is it set?
    pub fn is_set(&self) -> bool {
        unsafe { ffi::upcall_event_is_set(self.raw.get()) }
    }

    /// Waits until it is set.
    pub fn wait(&self) {
        ffi::must(unsafe { ffi::upcall_event_wait_until(self.raw.get(), ffi::NEVER) });
    }

    /// Waits no longer than `time`.
    pub fn wait_for(&self, time: Duration) -> bool {
        ffi::in_time(unsafe { ffi::upcall_event_wait_until(self.raw.get(), ffi::deadline(time)) })
    }
}

impl Default for Event {
    fn default() -> Event {
        Event::new()
    }
}

/// Threads wait until it has been counted down to 0.
pub struct Latch {
    raw: UnsafeCell<ffi::latch>,
}

unsafe impl Send for Latch {}
unsafe impl Sync for Latch {}

impl Latch {
    /// One that counts down from `count`.
    ///
    /// # Panics
    ///
    /// When that is more than `i32::MAX`.
    pub fn new(count: u32) -> Latch {
        let latch = Latch { raw: UnsafeCell::new(ffi::latch::ZERO) };
        ffi::must(unsafe { ffi::upcall_latch_init(latch.raw.get(), count) });
        latch
    }

    /// One less.
    ///
    /// # Panics
    ///
    /// When it is 0 already.
    pub fn count_down(&self) {
        ffi::must(unsafe { ffi::upcall_latch_count_down(self.raw.get(), 1) });
    }

    /// Waits until it is 0.
    pub fn wait(&self) {
        ffi::must(unsafe { ffi::upcall_latch_wait_until(self.raw.get(), ffi::NEVER) });
    }

    /// Waits no longer than `time`.
    pub fn wait_for(&self, time: Duration) -> bool {
        ffi::in_time(unsafe { ffi::upcall_latch_wait_until(self.raw.get(), ffi::deadline(time)) })
    }
}
