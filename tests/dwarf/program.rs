// SPDX-License-Identifier: GPL-2.0-or-later
// program.rs - a Rust program whose lines are compared with those of addr2line.
mod inner {
    pub struct Thing {
        pub v: i32,
        pub name: String,
    }

    pub trait Speak {
        fn speak(&self, by: i32) -> i32;
    }

    impl Speak for Thing {
        #[inline(never)]
        fn speak(&self, by: i32) -> i32 {
            let z = self.v * by;
            z + self.name.len() as i32
        }
    }

    #[inline(never)]
    pub fn sum(x: u64, bytes: &[u8]) -> u64 {
        let mut s = x;
        for b in bytes {
            s += *b as u64;
        }
        s
    }
}

use inner::Speak;

fn main() {
    let t = inner::Thing { v: std::env::args().count() as i32, name: "abc".to_string() };
    println!("{} {}", t.speak(3), inner::sum(5, t.name.as_bytes()));
}
