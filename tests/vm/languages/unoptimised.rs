// SPDX-License-Identifier: GPL-2.0-or-later
//! The same as unoptimised.c in Rust: the convention of Rust itself, and a slice of text in two registers.

#[no_mangle]
#[inline(never)]
#[allow(clippy::too_many_arguments)]
pub fn take_numbers(a: i8, b: u16, c: i32, d: i64, e: u8, f: u32, g: i32, h: i16) -> i32 {
    let mut sum = a as i64 + b as i64 + c as i64;

    sum += d + e as i64 + f as i64 + g as i64 + h as i64;
    sum as i32
}

const LINE: u32 = line!() - 4;

#[no_mangle]
#[inline(never)]
pub fn take_text(text: &str, n: i32) -> usize {
    text.len() + n as usize
}

fn main() {
    let mut sum = 0;

    println!("line {}", LINE);
    for i in 1..=6i64 {
        sum += take_numbers(-i as i8, 10000 * i as u16, -300 * i as i32, 5000000000 * i, 40 * i as u8, 700000000 * i as u32,
                            -8 * i as i32, 9 * i as i16) as usize % 7;
        sum += take_text("planted", i as i32);
    }
    println!("{}", sum);
}
