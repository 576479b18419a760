// SPDX-License-Identifier: GPL-2.0-or-later
//! A program of Rust whose calls end by returns and by panics, and which tells the truth about them:
//!
//!   panics COUNT [MICROSECONDS]
//!
//! COUNT times it calls each function below in four threads, one after the other; a call that returns takes that long. For
//! each function it prints
//!
//!   truth NAME CALLS ARGUMENTS RETURNS VALUES NANOSECONDS
//!
//! how many calls began, the sum of their first argument, how many returned, the sum of what they returned, and how long
//! those took in all; and for a variable
//!
//!   local FILE:LINE VARIABLE TIMES SUM
use std::panic::{catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::time::{Duration, Instant};

const NR_THREADS: i64 = 4;

/// What it returns, the compiler does not know.
#[inline(always)]
fn black_box<T: Copy>(value: T) -> T {
    unsafe { std::ptr::read_volatile(&value) }
}

#[allow(clippy::declare_interior_mutable_const)]
const ZERO: AtomicI64 = AtomicI64::new(0);

struct Told {
    name: &'static str,
    counts: [AtomicI64; 5],
}

const fn told(name: &'static str) -> Told {
    Told { name, counts: [ZERO; 5] }
}

static TAKE: Told = told("pool::take");
static THROUGH: Told = told("pool::through");
static GUARDED: Told = told("pool::guarded");
static DEEP: Told = told("pool::deep");
static PLAIN: Told = told("rust_plain");
static LENGTH: AtomicI64 = ZERO;
static LOCAL: [AtomicI64; 3] = [ZERO; 3];

struct Call {
    told: &'static Told,
    began: Instant,
}

impl Call {
    #[inline(always)]
    fn begin(told: &'static Told, argument: i64) -> Call {
        told.counts[0].fetch_add(1, Relaxed);
        told.counts[1].fetch_add(argument, Relaxed);
        Call { told, began: Instant::now() }
    }

    /// It counts as returned when this was called.
    #[inline(always)]
    fn value(&self, value: i64) -> i64 {
        self.told.counts[2].fetch_add(1, Relaxed);
        self.told.counts[3].fetch_add(value, Relaxed);
        self.told.counts[4].fetch_add(self.began.elapsed().as_nanos() as i64, Relaxed);
        value
    }
}

#[inline(never)]
fn spin() {
    let began = Instant::now();
    let length = Duration::from_micros(LENGTH.load(Relaxed) as u64);
    while began.elapsed() < length {}
}

#[inline(never)]
fn keep(local: i64) {
    LOCAL[1].fetch_add(local, Relaxed);
    LOCAL[2].fetch_add(1, Relaxed);
}

mod pool {
    use super::*;

    pub struct Held(pub i64, pub f64, pub f32);

    impl Drop for Held {
        fn drop(&mut self) {
            black_box(self.0);
            black_box(self.1);
            black_box(self.2);
        }
    }

    /// Every third call panics.
    #[inline(never)]
    pub fn take(n: i64, what: &Held) -> i64 {
        let c = Call::begin(&TAKE, n);
        let local = n * 7 + what.0;
        LOCAL[0].store(line!() as i64 + 1, Relaxed);
        keep(local);
        if n % 3 == 0 {
            panic!("planted");
        }
        spin();
        c.value(2 * n + 1)
    }

    /// A panic passes through: what is held is dropped, then the panic goes on.
    #[inline(never)]
    pub fn through(n: i64) -> i64 {
        let c = Call::begin(&THROUGH, n);
        let held = Held(n, 0.1, -2.5);
        let taken = take(n, &held);
        c.value(taken + held.0)
    }

    /// It catches, and so returns each time.
    #[inline(never)]
    pub fn guarded(n: i64) -> i64 {
        let c = Call::begin(&GUARDED, n);
        let got = catch_unwind(|| through(black_box(n)));
        c.value(got.unwrap_or(-n))
    }

    /// A panic that goes on ends `depth` calls at once, when n is odd.
    #[inline(never)]
    pub fn deep(n: i64, depth: i64) -> i64 {
        let c = Call::begin(&DEEP, n);
        let held = Held(depth, 0.1, -2.5);
        if depth == 0 && n % 2 == 1 {
            resume_unwind(Box::new(n));
        }
        if depth == 0 {
            spin();
        }
        let below = if depth > 0 { deep(n, depth - 1) } else { n };
        c.value(below + held.0)
    }
}

/// A function with the name that C would give it.
#[no_mangle]
#[inline(never)]
pub extern "C" fn rust_plain(n: i64) -> i64 {
    let c = Call::begin(&PLAIN, n);
    spin();
    c.value(n + 3)
}

pub enum Shape {
    Unit,
    Tuple(i32, u8),
    Named { x: i64, y: i16 },
}

/// The discriminants of `some` and `none` are values that the reference cannot have.
#[no_mangle]
#[inline(never)]
pub extern "C" fn kinds(five: &Option<i32>, some: &Option<&i64>, none: &Option<&i64>, failed: &Result<u8, i64>, shapes: &[Shape; 3]) -> i32 {
    let seen = (five as *const _ as usize, some as *const _ as usize, none as *const _ as usize, failed as *const _ as usize, shapes as *const _ as usize);
    black_box(seen.0 ^ seen.1 ^ seen.2 ^ seen.3 ^ seen.4);
    -42
}

fn work(count: i64) {
    for n in 1..=count {
        pool::guarded(black_box(n));
        let _ = catch_unwind(|| pool::deep(black_box(n), black_box(6)));
        rust_plain(black_box(n));
    }
}

fn main() {
    let number = |i: usize, other: i64| std::env::args().nth(i).and_then(|a| a.parse().ok()).unwrap_or(other);
    let count = number(1, 1);
    LENGTH.store(number(2, 0), Relaxed);
    let shapes = [Shape::Unit, Shape::Tuple(3, 4), Shape::Named { x: -1, y: 2 }];
    if kinds(&Some(5), &Some(&count), &None, &Err(-9), &shapes) != -42 {
        std::process::exit(1);
    }
    // A panic is to print nothing.
    std::panic::set_hook(Box::new(|_| {}));
    for _ in 0..NR_THREADS {
        std::thread::spawn(move || work(count)).join().unwrap();
    }
    for t in [&TAKE, &THROUGH, &GUARDED, &DEEP, &PLAIN] {
        let counts: Vec<String> = t.counts.iter().map(|c| c.load(Relaxed).to_string()).collect();
        println!("truth {} {}", t.name, counts.join(" "));
    }
    let [line, sum, times] = &LOCAL;
    println!("local panics.rs:{} local {} {}", line.load(Relaxed), times.load(Relaxed), sum.load(Relaxed));
}
