// SPDX-License-Identifier: BSD-2-Clause
//! Threads: [`spawn`], [`Builder`], [`scope`]; [`sleep`], [`yield_now`], [`park`].

use std::any::Any;
use std::cell::UnsafeCell;
use std::ffi::CString;
use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::mem;
use std::os::raw::c_void;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::process::abort;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::Duration;

use crate::ffi::{self, Handle};
use crate::sync::Mutex;

/// What a thread returned, or what it panicked with.
pub type Result<T> = std::thread::Result<T>;

/// Which thread: good for [`unpark`](Thread::unpark) for ever, also when it has ended.
#[derive(Clone)]
pub struct Thread {
    /// No handle when it has ended.
    inner: Arc<Mutex<Handle>>,
}

impl Thread {
    fn new(handle: Handle) -> Thread {
        Thread { inner: Arc::new(Mutex::new(handle)) }
    }

    /// Gives it its token: its [`park`], or its next one, returns.
    pub fn unpark(&self) {
        let handle = self.inner.lock();
        if *handle != Handle::NONE {
            unsafe { ffi::upcall_unpark(*handle) };
        }
    }

    /// Its name; `None` when it has none, or has ended.
    pub fn name(&self) -> Option<String> {
        let handle = self.inner.lock();
        let mut name = [0u8; 16];
        if *handle == Handle::NONE {
            return None;
        }
        ffi::must(unsafe { ffi::upcall_name(*handle, name.as_mut_ptr().cast(), name.len()) });
        let name = name.split(|byte| *byte == 0).next().filter(|name| !name.is_empty())?;
        Some(String::from_utf8_lossy(name).into_owned())
    }

    /// Its own priority, whatever it has been lent; `None` when it has ended.
    pub fn priority(&self) -> Option<i32> {
        let handle = self.inner.lock();
        (*handle != Handle::NONE).then(|| unsafe { ffi::upcall_priority(*handle) })
    }

    /// Changes it, from -32 to 31; of a thread that has ended nothing.
    ///
    /// # Errors
    ///
    /// `InvalidInput`: no such priority.
    pub fn set_priority(&self, priority: i32) -> io::Result<()> {
        let handle = self.inner.lock();
        if *handle == Handle::NONE {
            return Ok(());
        }
        ffi::check(unsafe { ffi::upcall_set_priority(*handle, priority) } as isize).map(drop)
    }
}

impl fmt::Debug for Thread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Thread({:p})", self.inner)
    }
}

/// A thread's own `Thread`: its handle is taken out when it ends.
struct Myself(Thread);

impl Drop for Myself {
    fn drop(&mut self) {
        *self.0.inner.lock() = Handle::NONE;
    }
}

thread_local! {
    static MYSELF: UnsafeCell<Option<Myself>> = const { UnsafeCell::new(None) };
}

/// The calling thread; `std`'s threads have one, too.
pub fn current() -> Thread {
    MYSELF.with(|me| {
        // Only this thread gets here, and nothing below comes back to it.
        let me = unsafe { &mut *me.get() };
        me.get_or_insert_with(|| Myself(Thread::new(unsafe { ffi::upcall_self() }))).0.clone()
    })
}

/// Where a thread leaves its result; itself writes, and who joined it reads.
struct Packet<T> {
    result: UnsafeCell<Option<Result<T>>>,
    scope: Option<Arc<ScopeData>>,
}

unsafe impl<T: Send> Send for Packet<T> {}
unsafe impl<T: Send> Sync for Packet<T> {}

impl<T> Drop for Packet<T> {
    /// A panic that nobody has taken is the scope's.
    fn drop(&mut self) {
        if let (Some(Err(_)), Some(scope)) = (self.result.get_mut(), &self.scope) {
            scope.panicked.store(true, Ordering::Relaxed);
        }
    }
}

struct Join<T> {
    handle: Handle,
    thread: Thread,
    packet: Arc<Packet<T>>,
}

impl<T> Join<T> {
    fn join(mut self) -> Result<T> {
        // If it fails, the thread is detached by `drop`.
        ffi::must(unsafe { ffi::upcall_join(self.handle, ptr::null_mut()) });
        self.handle = Handle::NONE;
        // The thread is gone: nobody else touches it.
        unsafe { (*self.packet.result.get()).take() }.expect("a thread ended without a result")
    }
}

impl<T> Drop for Join<T> {
    fn drop(&mut self) {
        if self.handle != Handle::NONE {
            ffi::must(unsafe { ffi::upcall_detach(self.handle) });
        }
    }
}

type Main = Box<dyn FnOnce() + Send>;

/// A panic must not leave it, and none of the thread's own does: it is its result.
extern "C" fn run(arg: *mut c_void) -> *mut c_void {
    let main = unsafe { Box::from_raw(arg.cast::<Main>()) };
    if catch_unwind(AssertUnwindSafe(main)).is_err() {
        abort();
    }
    ptr::null_mut()
}

/// How a thread is made: its name, its stack, where it starts.
#[derive(Debug, Default)]
pub struct Builder {
    name: Option<String>,
    stack_bytes: usize,
    group: u32,
    priority: i32,
    is_bound: bool,
}

impl Builder {
    /// A builder of threads as [`spawn`] makes them.
    pub fn new() -> Builder {
        Builder::default()
    }

    /// Names it; 15 bytes count.
    #[must_use]
    pub fn name(mut self, name: String) -> Builder {
        self.name = Some(name);
        self
    }

    /// Its stack; 256 KB is usual. Memory is taken as it is touched.
    #[must_use]
    pub fn stack_size(mut self, bytes: usize) -> Builder {
        self.stack_bytes = bytes;
        self
    }

    /// Threads of one group (not 0) start on one vproc.
    #[must_use]
    pub fn group(mut self, group: u32) -> Builder {
        self.group = group;
        self
    }

    /// From -32 to 31, 0 to begin with; a higher one goes first where the policy minds priorities.
    #[must_use]
    pub fn priority(mut self, priority: i32) -> Builder {
        self.priority = priority;
        self
    }

    /// Gives it a kernel thread of its own.
    #[must_use]
    pub fn bound(mut self) -> Builder {
        self.is_bound = true;
        self
    }

    /// Makes the thread.
    ///
    /// # Errors
    ///
    /// `EAGAIN`: no memory or no kernel thread. `InvalidInput`: the name has a byte 0; no such priority.
    pub fn spawn<F, T>(self, f: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        Ok(JoinHandle(unsafe { self.start(f, None) }?))
    }

    /// Makes the thread, which the scope waits for.
    ///
    /// # Errors
    ///
    /// As [`spawn`](Builder::spawn).
    pub fn spawn_scoped<'scope, F, T>(
        self,
        scope: &'scope Scope<'scope, '_>,
        f: F,
    ) -> io::Result<ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        // Before the scope ends, the thread has dropped all that it borrows.
        let join = unsafe { self.start(f, Some(scope.data.clone())) }?;
        Ok(ScopedJoinHandle { join, scope: PhantomData })
    }

    /// The caller sees to it that what `f` and its result borrow lives as long as the thread.
    unsafe fn start<'a, F, T>(self, f: F, scope: Option<Arc<ScopeData>>) -> io::Result<Join<T>>
    where
        F: FnOnce() -> T + Send + 'a,
        T: Send + 'a,
    {
        let name = self.name.map(CString::new).transpose()?;
        let attr = ffi::Attr {
            size: mem::size_of::<ffi::Attr>(),
            flags: if self.is_bound { ffi::BOUND } else { 0 },
            priority: self.priority,
            stack_bytes: self.stack_bytes,
            name: name.as_ref().map_or(ptr::null(), |name| name.as_ptr()),
            vproc: 0,
            group: self.group,
        };
        let packet = Arc::new(Packet { result: UnsafeCell::new(None), scope: scope.clone() });
        let thread = Thread::new(Handle::NONE);
        let (its_packet, its_thread, its_scope) = (packet.clone(), thread.clone(), scope.clone());
        let main: Box<dyn FnOnce() + Send + 'a> = Box::new(move || {
            MYSELF.with(|me| *me.get() = Some(Myself(its_thread)));
            *its_packet.result.get() = Some(catch_unwind(AssertUnwindSafe(f)));
            drop(its_packet);
            if let Some(scope) = its_scope {
                scope.one_less();
            }
        });
        let main: Main = mem::transmute(main);
        let arg = Box::into_raw(Box::new(main));

        if let Some(scope) = &scope {
            scope.running.fetch_add(1, Ordering::Relaxed);
        }
        let (result, handle) = {
            // Held until its handle is there: it may end at once, and takes the handle out then.
            let mut handle = thread.inner.lock();
            (ffi::upcall_create(&mut *handle, &attr, run, arg.cast()), *handle)
        };

        if let Err(error) = ffi::check(result as isize) {
            drop(Box::from_raw(arg));
            if let Some(scope) = scope {
                scope.one_less();
            }
            return Err(error);
        }
        Ok(Join { handle, thread, packet })
    }
}

/// Waits for a thread and takes what it returned. When it is dropped the thread is detached.
pub struct JoinHandle<T>(Join<T>);

impl<T> JoinHandle<T> {
    /// Waits until the thread has ended.
    ///
    /// # Errors
    ///
    /// What the thread panicked with.
    ///
    /// # Panics
    ///
    /// When a thread joins itself.
    pub fn join(self) -> Result<T> {
        self.0.join()
    }

    /// Which thread it is.
    pub fn thread(&self) -> &Thread {
        &self.0.thread
    }

    /// Has its function ended?
    pub fn is_finished(&self) -> bool {
        Arc::strong_count(&self.0.packet) == 1
    }
}

/// Makes a thread.
///
/// # Panics
///
/// When there is no memory for it; [`Builder::spawn`] returns an error.
pub fn spawn<F, T>(f: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    Builder::new().spawn(f).expect("cannot make a thread")
}

struct ScopeData {
    running: AtomicUsize,
    panicked: AtomicBool,
    main: Thread,
}

impl ScopeData {
    fn one_less(&self) {
        if self.running.fetch_sub(1, Ordering::Release) == 1 {
            self.main.unpark();
        }
    }
}

/// Where threads are made that may borrow what lives longer than the scope: see [`scope`].
pub struct Scope<'scope, 'env: 'scope> {
    data: Arc<ScopeData>,
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

impl<'scope> Scope<'scope, '_> {
    /// Makes a thread, which the scope waits for.
    ///
    /// # Panics
    ///
    /// When there is no memory for it.
    pub fn spawn<F, T>(&'scope self, f: F) -> ScopedJoinHandle<'scope, T>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        Builder::new().spawn_scoped(self, f).expect("cannot make a thread")
    }
}

/// Waits for a thread of a scope and takes what it returned.
pub struct ScopedJoinHandle<'scope, T> {
    join: Join<T>,
    scope: PhantomData<&'scope ()>,
}

impl<T> ScopedJoinHandle<'_, T> {
    /// Waits until the thread has ended.
    ///
    /// # Errors
    ///
    /// What the thread panicked with.
    pub fn join(self) -> Result<T> {
        self.join.join()
    }

    /// Which thread it is.
    pub fn thread(&self) -> &Thread {
        &self.join.thread
    }
}

/// Runs `f`, which may make threads that borrow from around it, and waits for all of them.
///
/// ```
/// let numbers = vec![1, 2, 3];
/// let mut doubled = vec![0; 3];
/// upcall::scope(|s| {
///     for (from, to) in numbers.iter().zip(&mut doubled) {
///         s.spawn(move || *to = from * 2);
///     }
/// });
/// assert_eq!(doubled, [2, 4, 6]);
/// ```
///
/// # Panics
///
/// When `f` does, when a thread did that was not joined, or when the calling thread was cancelled (from C);
/// in any case after all threads of the scope have ended.
pub fn scope<'env, F, T>(f: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    let scope = Scope {
        data: Arc::new(ScopeData {
            running: AtomicUsize::new(0),
            panicked: AtomicBool::new(false),
            main: current(),
        }),
        scope: PhantomData,
        env: PhantomData,
    };
    let result = catch_unwind(AssertUnwindSafe(|| f(&scope)));

    // Whatever ends a wait, threads that borrow still run; a cancellation is told when they do not.
    let mut cancelled = 0;
    while scope.data.running.load(Ordering::Acquire) != 0 {
        cancelled = cancelled.min(unsafe { ffi::upcall_park_until(ffi::NEVER) });
    }
    match result {
        Err(panic) => resume_unwind(panic),
        Ok(_) if scope.data.panicked.load(Ordering::Relaxed) => {
            resume_unwind(Box::new("a thread of the scope panicked") as Box<dyn Any + Send>)
        }
        Ok(value) => {
            ffi::must(cancelled);
            value
        }
    }
}

/// Lets other threads run.
pub fn yield_now() {
    unsafe { ffi::upcall_yield() };
}

/// Waits for so long at least.
pub fn sleep(time: Duration) {
    let ns = time.as_nanos().min(u128::from(u64::MAX)) as u64;
    ffi::must(unsafe { ffi::upcall_sleep(ns) });
}

/// Waits until the calling thread is given its token by [`Thread::unpark`], and takes it; it may
/// return for no reason.
pub fn park() {
    ffi::must(unsafe { ffi::upcall_park_until(ffi::NEVER) });
}

/// As [`park`], but no longer than `time`.
pub fn park_timeout(time: Duration) {
    ffi::in_time(unsafe { ffi::upcall_park_until(ffi::deadline(time)) });
}
