// SPDX-License-Identifier: GPL-2.0-or-later
//! A Rust program with tracepoints of the binding (bindings/rust), for a case that switches them while it runs.
//!
//! Prints "ready", then does as the lines of standard input say: `go N` passes N times and prints "done N", with the number of this
//! process' events so far, recorded or lost; `threads K N` does so in K threads at once; `how` prints "on" or "off".

use ktrace::ktrace;
use std::io::{stdin, stdout, BufRead, Write};

fn go(thread: u32, count: u64) {
    for i in 0..count {
        ktrace!(rs, number, thread, i, name = "turn", part = i as f64 / 2.0);
    }
}

fn say(text: String) {
    println!("{}", text);
    stdout().flush().unwrap();
}

fn events() -> u64 {
    let counts = ktrace::counts();
    counts.recorded + counts.lost
}

fn main() {
    // The first pass registers the tracepoint.
    go(0, 1);
    say("ready".to_string());
    for line in stdin().lock().lines().map(Result::unwrap) {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |at: usize| words[at].parse::<u64>().unwrap();
        match words[0] {
            "go" => {
                go(0, number(1));
                say(format!("done {} {}", words[1], events()));
            }
            "threads" => {
                let (threads, count) = (number(1) as u32, number(2));
                let all: Vec<_> = (0..threads).map(|thread| std::thread::spawn(move || go(thread, count))).collect();
                all.into_iter().for_each(|thread| thread.join().unwrap());
                say(format!("done {} {}", threads as u64 * count, events()));
            }
            _ => say(if ktrace::recording() { "on" } else { "off" }.to_string()),
        }
    }
}
