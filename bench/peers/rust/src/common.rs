// SPDX-License-Identifier: BSD-2-Clause
//! What peers in Rust share: a peer is called `PEER CASE SECONDS NAME` and answers as bench.h tells.
use std::arch::asm;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

pub const ROUNDS: usize = 64;
pub const BATCH: usize = 1000;
pub const CREATED: usize = 256;
pub const LOCKS: usize = 1024;
pub const CONTENDERS: usize = 64;

/// How long to measure, in how many slices, of which the least counts.
#[derive(Clone, Copy)]
pub struct Time {
    pub length: Duration,
    pub slices: u32,
}

pub struct Call {
    pub case: String,
    pub time: Time,
    pub began: Instant,
}

pub fn call() -> Call {
    let began = Instant::now();
    let args: Vec<String> = std::env::args().collect();
    let seconds = args.get(2).and_then(|s| s.parse::<f64>().ok()).unwrap_or(0.0);
    if args.len() != 4 || !(seconds > 0.0 && seconds < 3600.0) {
        eprintln!("usage: {} CASE SECONDS NAME", args[0]);
        std::process::exit(2);
    }
    let case = args[1].clone();
    let slices = if ["myth/", "dgux/"].iter().any(|paper| case.starts_with(paper)) { 7 } else { 1 };
    Call { case, time: Time { length: Duration::from_secs_f64(seconds), slices }, began }
}

/// The number that a case has behind its name; one of scale is a number only.
pub fn number_of(case: &str, name: &str) -> Option<usize> {
    case.strip_prefix(name)?.parse().ok().filter(|n| *n > 0)
}

pub fn put_ns(metric: &str, ns: f64) {
    println!("{metric} {ns} ns");
}

pub fn put_ms(ns: f64) {
    println!("- {} ms", ns / 1e6);
}

/// And as a multiple of a null system call.
pub fn put_row(metric: &str, ns: f64, syscall_ns: f64) {
    put_ns(metric, ns);
    println!("{metric}/syscall {} x", ns / syscall_ns);
}

pub fn skip() -> ! {
    std::process::exit(77)
}

/// The number behind a name, at the beginning of a line of the file.
fn number_in(path: &str, name: &str) -> f64 {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0.0)
}

fn status_kb(name: &str) -> f64 {
    number_in("/proc/self/status", name)
}

/// Ends the program, and says why, unless there is memory for so many at a time, and map entries where each takes some.
pub fn must_hold(n: usize, bytes_each: usize, maps_each: usize) {
    let left = number_in("/proc/meminfo", "MemAvailable:") * 1024.0;
    let maps = number_in("/proc/sys/vm/max_map_count", "");
    let limit = match () {
        _ if (n * bytes_each) as f64 > left * 0.9 => "memory",
        _ if (n * maps_each) as f64 > maps * 0.9 => "max_map_count",
        _ => return,
    };
    println!("note {limit} does not allow {n} threads at a time");
    skip()
}

/// A thread for each call of fib(n), the naive way.
pub struct Tree {
    pub result: u64,
    pub calls: usize,
    before_kb: f64,
}

pub fn tree(depth: u64) -> Tree {
    let (result, next) = (0..depth).fold((0, 1), |(a, b), _| (b, a + b));
    let before_kb = status_kb("VmRSS:");
    let _ = std::fs::write("/proc/self/clear_refs", "5"); // VmHWM begins again
    Tree { result, calls: 2 * next as usize - 1, before_kb }
}

impl Tree {
    pub fn report(&self, ns: f64) {
        put_ns("-", ns);
        println!("peak {} kB", status_kb("VmHWM:") - self.before_kb);
    }
}

/// Threads that all wait for one condition, and one more that is there before: see scale.c.
pub struct Scale {
    n: f64,
    resident_kb: f64,
    tables_kb: f64,
    create_ns: f64,
    since: Instant,
}

impl Scale {
    pub fn begin(n: usize) -> Self {
        let (resident_kb, tables_kb) = (status_kb("VmRSS:"), status_kb("VmPTE:"));
        Scale { n: n as f64, resident_kb, tables_kb, create_ns: 0.0, since: Instant::now() }
    }

    pub fn all_wait(&mut self) {
        self.create_ns = self.since.elapsed().as_nanos() as f64 / self.n;
        self.resident_kb = status_kb("VmRSS:") - self.resident_kb;
        self.tables_kb = status_kb("VmPTE:") - self.tables_kb;
        self.since = Instant::now();
    }

    pub fn joined(&self) {
        let woken_ns = self.since.elapsed().as_nanos() as f64 / self.n;
        let (resident, tables) = (self.resident_kb * 1024.0 / self.n, self.tables_kb * 1024.0 / self.n);
        println!("create {} ns\nresident {resident} bytes\npage-tables {tables} bytes", self.create_ns);
        println!("memory {} bytes\nwake-join {woken_ns} ns", resident + tables);
    }
}

pub fn workers() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

/// The time of one of the `n` operations of the block, after a first time that does not count.  A macro,
/// so that the block may wait.
#[macro_export]
macro_rules! time_each {
    ($time:expr, $n:expr, $operations:block) => {{
        let time: $crate::common::Time = $time;
        let (slice, mut least) = (time.length / time.slices, f64::INFINITY);
        $operations
        for _ in 0..time.slices {
            let (start, mut count) = (std::time::Instant::now(), 0);
            loop {
                $operations
                count += $n;
                let elapsed = start.elapsed();
                if elapsed >= slice {
                    least = least.min(elapsed.as_nanos() as f64 / count as f64);
                    break;
                }
            }
        }
        least
    }};
}

/// The mean of what the expression says that it took, in ns, until that is the length together.
#[macro_export]
macro_rules! mean_ns {
    ($length:expr, $once:expr) => {{
        let (mut sum, mut count) = (std::time::Duration::ZERO, 0);
        while count == 0 || sum < $length {
            sum += $once;
            count += 1;
        }
        sum.as_nanos() as f64 / count as f64
    }};
}

pub fn null_syscalls(time: Time) -> f64 {
    time_each!(time, 256, {
        for _ in 0..256 {
            unsafe { libc::syscall(libc::SYS_getppid) };
        }
    })
}

static IS_OVER: AtomicBool = AtomicBool::new(false);

pub fn is_over() -> bool {
    IS_OVER.load(Relaxed)
}

/// By a kernel thread that sleeps: where nobody is preempted, a runtime's own timer may be late.
pub fn end_after(length: Duration) {
    std::thread::spawn(move || {
        std::thread::sleep(length);
        IS_OVER.store(true, Relaxed);
    });
}

/// Nothing, but the compiler does not know: it neither shortens a loop with it nor does it in another order.
pub fn opaque(mut x: u64) -> u64 {
    unsafe { asm!("/* {0} */", inout(reg) x, options(nomem, nostack, preserves_flags)) };
    x
}

pub fn spin(n: u64) {
    let mut i = 0;
    while i < n {
        i = opaque(i) + 1;
    }
}

pub fn spins_in_100_ns() -> u64 {
    const SPINS: u64 = 100_000;
    let took = || {
        let start = Instant::now();
        spin(SPINS);
        start.elapsed().as_nanos()
    };
    100 * SPINS / (0..20).map(|_| took()).min().unwrap() as u64
}

/// Fairness is judged over a second.
pub fn length_of_contest(length: Duration) -> Duration {
    length.max(Duration::from_secs(1))
}

/// What each contender did, and what all together did of the guarded words.
pub fn put_contest(by: &[u64], guarded: [u64; 4], elapsed: Duration) {
    let (sum, least) = (by.iter().sum::<u64>(), *by.iter().min().unwrap());
    assert_eq!(guarded, [sum; 4], "the lock let two in");
    println!("- {} Mop/s", sum as f64 * 1e3 / elapsed.as_nanos() as f64);
    println!("least {} of-mean", least as f64 * by.len() as f64 / sum as f64);
}

pub fn raise_descriptor_limit() {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    unsafe {
        if libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit) == 0 {
            limit.rlim_cur = limit.rlim_max;
            libc::setrlimit(libc::RLIMIT_NOFILE, &limit);
        }
    }
}

/// A test of ping-pong: see pingpong.c.
#[derive(Clone, Copy)]
pub struct Tournament {
    pub games: usize,
    pub strokes: u32,
    pub is_scaled: bool,
}

const PAPER_STROKES: u32 = 1_000_000;
pub const TRIAL: u32 = 2000;

pub const A_GAME: Tournament = Tournament { games: 1, strokes: TRIAL, is_scaled: true };

/// Those with threads that are bound, or locks that processes share, are not for this kind of threads.
pub fn tournament(case: &str) -> Option<Tournament> {
    let (games, strokes, is_scaled) = match case {
        "baseline" | "test-1" | "test-2" | "test-3" => (1, TRIAL, true),
        "test-5" | "test-6" => (4, TRIAL, true),
        "test-8" | "test-9" => (5000, 100, false),
        _ => return None,
    };
    Some(Tournament { games, strokes, is_scaled })
}

extern "C" {
    fn clock() -> std::ffi::c_long; // in microseconds, of the whole process
}

#[derive(Clone, Copy)]
pub struct Stopwatch {
    started: Instant,
    begun: Instant,
    ended: Instant,
    cpu_us: std::ffi::c_long,
}

impl Stopwatch {
    pub fn start() -> Self {
        let now = Instant::now();
        Stopwatch { started: now, begun: now, ended: now, cpu_us: unsafe { clock() } }
    }

    pub fn begin(&mut self) {
        self.begun = Instant::now();
    }

    pub fn end(&mut self) {
        self.ended = Instant::now();
        self.cpu_us = unsafe { clock() } - self.cpu_us;
    }

    pub fn play(&self) -> Duration {
        self.ended - self.begun
    }
}

impl Tournament {
    /// As many strokes as fit into the time, and at most the paper's.
    pub fn fit(&mut self, trial: Stopwatch, length: Duration) {
        let fit = TRIAL as f64 * length.as_secs_f64() / trial.play().as_secs_f64();
        self.strokes = fit.clamp(TRIAL as f64, PAPER_STROKES as f64) as u32;
    }

    pub fn report(&self, watch: Stopwatch) {
        let scale = if self.is_scaled { PAPER_STROKES as f64 / self.strokes as f64 } else { 1.0 };
        if !self.is_scaled {
            println!("start {} ms", (watch.begun - watch.started).as_secs_f64() * 1e3);
        }
        println!("play {} ms", watch.play().as_secs_f64() * 1e3 * scale);
        println!("cpu {} ms", watch.cpu_us as f64 / 1e3 * scale);
    }
}

/// Counts strokes, and ends the program when one was made out of turn.
#[derive(Default)]
pub struct Strokes(AtomicU64);

impl Strokes {
    pub fn make(&self, me: usize, n: u32) {
        let count = self.0.load(Relaxed);
        if count != 2 * n as u64 + (me == 0) as u64 {
            eprintln!("a player made a stroke that was its opponent's");
            std::process::exit(1);
        }
        self.0.store(count + 1, Relaxed);
    }
}
