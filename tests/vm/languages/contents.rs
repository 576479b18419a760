// SPDX-License-Identifier: GPL-2.0-or-later
// contents.rs - strings, vectors and slices as parameters: empty, short, long, and of each other.
/// The compiler does not know the value that comes back.
fn unknown<T: Copy>(value: T) -> T {
    unsafe { std::ptr::read_volatile(&value) }
}

#[repr(C)]
pub struct Point {
    pub x: i32,
    pub y: i32,
}

#[no_mangle]
#[inline(never)]
pub fn texts(part: &str, own: &String, empty: &str) -> usize {
    unknown(part).len() + unknown(own).len() + unknown(empty).len()
}

#[no_mangle]
#[inline(never)]
pub fn vectors(numbers: &Vec<i32>, points: &Vec<Point>, names: &Vec<String>, empty: &Vec<u64>) -> usize {
    unknown(numbers).len() + unknown(points).len() + unknown(names).len() + unknown(empty).len()
}

#[no_mangle]
#[inline(never)]
pub fn slices(part: &[i16], words: &[&str], boxed: &Box<[Point]>) -> usize {
    unknown(part).len() + unknown(words).len() + unknown(boxed).len()
}

#[no_mangle]
#[inline(never)]
pub fn options(some: &Option<String>, none: &Option<String>, failed: &Result<u8, String>) -> usize {
    unknown(some).is_some() as usize + unknown(none).is_some() as usize + unknown(failed).is_ok() as usize
}

pub mod app {
    pub static mut COUNT: u32 = 7;
    pub mod deep {
        pub static mut COUNT: i64 = -8;
    }
}

#[no_mangle]
#[inline(never)]
pub fn variables(step: u32) -> i64 {
    unsafe {
        app::COUNT += step;
        app::deep::COUNT -= 1;
        app::deep::COUNT + app::COUNT as i64
    }
}

fn main() {
    let own = String::from("owned");
    let numbers = vec![-1, 2, 3];
    let points = vec![Point { x: 1, y: -2 }];
    let names = vec![String::from("first"), String::from("second")];
    let part = [1i16, 2, -3, 4];
    let boxed = vec![Point { x: 5, y: 6 }].into_boxed_slice();
    let mut sum = 0;

    sum += texts(&unknown("taken apart")[..5], &own, "");
    sum += vectors(&numbers, &points, &names, &Vec::new());
    sum += slices(&part[1..3], &["one", "two"], &boxed);
    sum += options(&Some(String::from("here")), &None, &Err(String::from("wrong")));
    println!("{} {}", sum, variables(unknown(1)));
}
