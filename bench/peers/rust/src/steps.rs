// SPDX-License-Identifier: BSD-2-Clause
//! What threads of psyche.c's programs do between two barriers, and where they wait in the tree: see steps.h.
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};

pub const SIZE: usize = 512;
pub const ELEMENTS: usize = 4608;
pub const THREADS: usize = 128;
const BRANCHES: usize = 4;

/// Of a node of the tree barrier: children, and barriers.
#[derive(Default)]
pub struct Arrivals {
    pub arrived: usize,
    pub told: usize,
}

pub fn children_of(me: usize, n: usize) -> std::ops::Range<usize> {
    let first = me * BRANCHES + 1;
    n.min(first)..n.min(first + BRANCHES)
}

pub fn parent_of(me: usize) -> Option<usize> {
    Some(me.checked_sub(1)? / BRANCHES)
}

/// The last column is the right-hand side.
type Row = [f64; SIZE + 1];

/// Between two barriers a row is written by one thread, which alone reads it then, or by nobody.
pub struct Matrix(Vec<UnsafeCell<Row>>);

unsafe impl Sync for Matrix {}

/// Diagonally dominant, so no row has to change places; the solution is 1, 2, 3...
fn row(i: usize) -> UnsafeCell<Row> {
    let mut row = [0.0; SIZE + 1];
    for j in 0..SIZE {
        row[j] = if i == j { SIZE as f64 } else { ((i * 7 + j * 13) % 17) as f64 / 17.0 };
        row[SIZE] += row[j] * (j + 1) as f64;
    }
    UnsafeCell::new(row)
}

impl Matrix {
    pub fn filled() -> Self {
        Matrix((0..SIZE).map(row).collect())
    }

    fn eliminate(&self, row: usize, pivot: usize) {
        let (ours, pivotal) = unsafe { (&mut *self.0[row].get(), &*self.0[pivot].get()) };
        let factor = ours[pivot] / pivotal[pivot];
        for (x, y) in ours[pivot..].iter_mut().zip(&pivotal[pivot..]) {
            *x -= factor * y;
        }
    }

    /// Rows are dealt out one by one, so that everybody has some to the end.
    pub fn eliminate_mine(&self, me: usize, n: usize, pivot: usize) {
        let first = pivot + 1;
        for row in (first + (me + n - first % n) % n..SIZE).step_by(n) {
            self.eliminate(row, pivot);
        }
    }

    pub fn check(&self) {
        let mut solution = [0.0; SIZE];
        for i in (0..SIZE).rev() {
            let row = unsafe { &*self.0[i].get() };
            let known: f64 = (i + 1..SIZE).map(|j| row[j] * solution[j]).sum();
            solution[i] = (row[SIZE] - known) / row[i];
            let is_right = (solution[i] - (i + 1) as f64).abs() < 1e-6;
            assert!(is_right, "element {i} of the solution is {}", solution[i]);
        }
    }
}

/// Nobody to wait for.
pub fn gauss_alone() -> Duration {
    let matrix = Matrix::filled();
    let start = Instant::now();
    for pivot in 0..SIZE {
        matrix.eliminate_mine(0, 1, pivot);
    }
    let elapsed = start.elapsed();
    matrix.check();
    elapsed
}

/// Between two barriers each is one thread's.
pub struct Numbers(Vec<AtomicU32>);

impl Numbers {
    /// Each once: 2897 is prime.
    pub fn mixed() -> Self {
        Numbers((0..ELEMENTS).map(|i| AtomicU32::new((i * 2897 % ELEMENTS) as u32)).collect())
    }

    /// Neighbours that begin at an even place, then at an odd one...
    pub fn exchange_mine(&self, me: usize, n: usize, phase: usize) {
        for pair in ELEMENTS / 2 * me / n..ELEMENTS / 2 * (me + 1) / n {
            let i = 2 * pair + phase % 2;
            if i + 1 == ELEMENTS {
                break;
            }
            let (one, next) = (self.0[i].load(Relaxed), self.0[i + 1].load(Relaxed));
            if one > next {
                self.0[i].store(next, Relaxed);
                self.0[i + 1].store(one, Relaxed);
            }
        }
    }

    pub fn check(&self) {
        for (i, number) in self.0.iter().enumerate() {
            assert_eq!(number.load(Relaxed) as usize, i, "the order is wrong");
        }
    }
}
