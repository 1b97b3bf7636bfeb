// SPDX-License-Identifier: BSD-2-Clause
//! What threads of pagefault.c do.  Tasks and coroutines are not preempted: each gives way after a step.
use crate::common::{opaque, skip, workers};
use std::fs::{File, OpenOptions};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::time::Instant;

const READERS: usize = 16;
const UNIT_STEPS: usize = 10000;
const PAGE_WORDS: usize = 1024;
const PAGES: usize = 49152;
const BYTES: usize = PAGES * PAGE_WORDS * 4;
const FILE_NAME: &str = "bench-mapped-pages";

/// Each word of a page is its number.  All calls of one `upcall bench` share the file.
fn file() -> File {
    let mut options = OpenOptions::new();
    let file = options.read(true).write(true).create(true).truncate(false).mode(0o600).open(FILE_NAME).unwrap();
    if file.metadata().unwrap().len() != BYTES as u64 {
        for i in 0..PAGES {
            let page = (i as u32).to_ne_bytes().repeat(PAGE_WORDS);
            file.write_all_at(&page, (i * page.len()) as u64).unwrap();
        }
        file.sync_all().unwrap();
    }
    file
}

fn map() -> &'static [u32] {
    let file = file();
    unsafe {
        libc::posix_fadvise(file.as_raw_fd(), 0, 0, libc::POSIX_FADV_DONTNEED);
        let map = libc::mmap(std::ptr::null_mut(), BYTES, libc::PROT_READ, libc::MAP_SHARED, file.as_raw_fd(), 0);
        assert!(map != libc::MAP_FAILED && libc::madvise(map, BYTES, libc::MADV_RANDOM) == 0, "mmap");
        std::slice::from_raw_parts(map.cast(), PAGES * PAGE_WORDS)
    }
}

fn step(x: u64) -> u64 {
    opaque(x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407))
}

pub struct Thread {
    words: &'static [u32],
    reads: bool,
    computes: bool,
    seed: u64,
    pages: u64,
    units: u64,
}

impl Thread {
    fn read_page(&mut self) {
        self.seed = step(self.seed);
        let at = (self.seed >> 33) as usize % PAGES;
        let page = &self.words[at * PAGE_WORDS..][..PAGE_WORDS];
        // One by one, as in C.
        let sum = page.iter().fold(0u32, |sum, word| sum.wrapping_add(unsafe { std::ptr::read_volatile(word) }));
        assert_eq!(sum as usize, at * PAGE_WORDS, "page {at} has the wrong contents");
        self.pages += 1;
    }

    fn compute_unit(&mut self) {
        self.seed = (0..UNIT_STEPS).fold(self.seed, |x, _| step(x));
        self.units += 1;
    }

    pub fn step(&mut self) {
        if self.reads {
            self.read_page();
        }
        if self.computes {
            self.compute_unit();
        }
    }
}

fn major_faults() -> i64 {
    unsafe {
        let mut usage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage.ru_majflt as i64
    }
}

pub struct Meter {
    is_mixed: bool,
    start: Instant,
    faults: i64,
}

/// Those that there are to be.
pub fn threads(is_mixed: bool) -> Vec<Thread> {
    let (words, n) = (map(), READERS + if is_mixed { 0 } else { workers() });
    let thread = |i| Thread {
        words,
        reads: is_mixed || i < READERS,
        computes: is_mixed || i >= READERS,
        seed: i as u64 + 1,
        pages: 0,
        units: 0,
    };
    (0..n).map(thread).collect()
}

impl Meter {
    pub fn start(is_mixed: bool) -> Self {
        Meter { is_mixed, start: Instant::now(), faults: major_faults() }
    }

    pub fn report(&self, threads: &[Thread]) {
        let (s, faults) = (self.start.elapsed().as_secs_f64(), (major_faults() - self.faults) as f64);
        let pages = threads.iter().map(|thread| thread.pages).sum::<u64>() as f64;
        let units = threads.iter().map(|thread| thread.units).sum::<u64>() as f64;
        if faults < pages / 2.0 {
            println!("note only {:.0} % of the pages were not in memory", 100.0 * faults / pages);
            skip()
        }
        println!("pages {} pages/s", pages / s);
        if !self.is_mixed {
            println!("compute {} units/s", units / s);
        }
        println!("work {} 1/s", (pages + if self.is_mixed { 0.0 } else { units }) / s);
    }
}
