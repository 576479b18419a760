// SPDX-License-Identifier: MIT
//! Tracepoints in Rust programs, by libktrace: see ktrace-user(3).
//!
//! ```ignore
//! use ktrace::ktrace;
//!
//! ktrace!(server, request, id, path = &request.path, elapsed = timer.seconds());
//! ```
//!
//! records an event `server:request`. `id` alone stands for `id = id`. Values are integers, floats, `bool`, `char`, texts,
//! slices of bytes, raw pointers, and references to these; at most 12. While a tracepoint is off it costs a load and a
//! branch, and the values are not evaluated.
//!
//! A tracepoint becomes known to ktrace when the program comes there the first time, which takes a lock: that must not be in
//! a signal handler, nor in the child of a process with threads before it executes another program.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::os::raw::{c_char, c_uint, c_ulonglong};
use std::ptr::{addr_of, null, null_mut};
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU8, Ordering::Relaxed};
use std::sync::{Mutex, Once};

/// The most bytes of a text or slice: what is longer is cut.
pub const MAX_TEXT: usize = 256;
const MAX_ARGS: usize = 12;
const TEXT_WORDS: usize = 1 + MAX_TEXT / 4;

// ------------------------------------------------------------------------ the library

#[repr(C)]
struct Module {
    sites: *const *const SiteOfC,
    sites_end: *const *const SiteOfC,
    enums: *const u8,
    enums_end: *const u8,
    next: *mut Module,
}

#[repr(C)]
struct SiteOfC {
    on: AtomicU8,
    nr_args: u8,
    reserved: u8,
    short_id: AtomicU8,
    id: AtomicU32,
    line: c_uint,
    text: *const u8,
    types: AtomicPtr<u8>,
}

#[repr(C)]
#[derive(Default)]
struct CountsOfC {
    recorded: c_ulonglong,
    lost: c_ulonglong,
}

#[link(name = "ktrace")]
extern "C" {
    fn ktrace_write(site: *const SiteOfC, payload: *const u32, words: c_uint);
    fn ktrace_register(module: *mut Module);
    fn ktrace_unregister(module: *mut Module);
    fn ktrace_error() -> *const c_char;
    fn ktrace_recording() -> i32;
    fn ktrace_counts(out: *mut CountsOfC);
}

/// Is this process recorded?
pub fn recording() -> bool {
    unsafe { ktrace_recording() != 0 }
}

/// Why nothing is recorded although `KTRACE_FILE` is set.
pub fn error() -> Option<&'static str> {
    let text = unsafe { ktrace_error() };
    if text.is_null() {
        return None;
    }
    Some(unsafe { CStr::from_ptr(text) }.to_str().unwrap_or("not a text"))
}

/// Events of this process so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Written, whether or not newer ones have replaced them.
    pub recorded: u64,
    pub lost: u64,
}

pub fn counts() -> Counts {
    let mut counts = CountsOfC::default();
    unsafe { ktrace_counts(&mut counts) };
    Counts { recorded: counts.recorded, lost: counts.lost }
}

// ------------------------------------------------------------------------ registration

/// What registers at the start and at the first pass of each tracepoint, as long as this code is loaded.
struct Registered(*mut Module);
unsafe impl Send for Registered {}
static MODULES: Mutex<Vec<Registered>> = Mutex::new(Vec::new());

/// A module lives for ever; its list has one site, or none.
fn register(site: Option<&'static Site>) {
    let sites: &'static [*const SiteOfC] = Box::leak(site.map(|site| addr_of!(site.of_c)).into_iter().collect());
    let range = sites.as_ptr_range();
    let module = Box::into_raw(Box::new(Module {
        sites: range.start,
        sites_end: range.end,
        enums: null(),
        enums_end: null(),
        next: null_mut(),
    }));
    // A panic elsewhere leaves the list as it is.
    MODULES.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(Registered(module));
    unsafe { ktrace_register(module) };
}

/// So a recording begins with the program, as for one in C.
extern "C" fn begin() {
    register(None);
}

extern "C" fn end() {
    for module in MODULES.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).drain(..) {
        unsafe { ktrace_unregister(module.0) };
    }
}

#[used]
#[link_section = ".init_array"]
static BEGIN: extern "C" fn() = begin;
#[used]
#[link_section = ".fini_array"]
static END: extern "C" fn() = end;

// ------------------------------------------------------------------------ sites

/// `on` of a site that is not registered yet.
const NEW: u8 = 2;

/// One tracepoint: `ktrace!` makes it.
#[doc(hidden)]
pub struct Site {
    of_c: SiteOfC,
    once: Once,
}

unsafe impl Sync for Site {}

impl Site {
    /// `text`: provider, name, arguments and file, each with a 0.
    pub const fn new(text: &'static str, nr_args: usize, line: u32) -> Site {
        assert!(nr_args <= MAX_ARGS, "a tracepoint has at most 12 values");
        Site {
            of_c: SiteOfC {
                on: AtomicU8::new(NEW),
                nr_args: nr_args as u8,
                reserved: 0,
                short_id: AtomicU8::new(0),
                id: AtomicU32::new(0),
                line,
                text: text.as_ptr(),
                types: AtomicPtr::new(null_mut()),
            },
            once: Once::new(),
        }
    }

    #[inline(always)]
    pub fn is_off(&self) -> bool {
        self.of_c.on.load(Relaxed) == 0
    }

    /// Register it, if that was not done.  Is it on?  The closure is never called: only the types of what it returns count.
    ///
    /// While one thread registers the site, it stays NEW: so other threads wait here, and their events are not lost.
    pub fn is_on<K: Kinds, F: FnOnce() -> K>(&'static self, _: F) -> bool {
        if self.of_c.on.load(Relaxed) == NEW {
            self.once.call_once(|| {
                self.of_c.types.store(K::LIST.as_ptr() as *mut u8, Relaxed);
                register(Some(self));
                // Nobody has switched it yet: it is off. The kernel may switch it on later.
                let _ = self.of_c.on.compare_exchange(NEW, 0, Relaxed, Relaxed);
            });
        }
        self.of_c.on.load(Relaxed) == 1
    }

    #[inline(always)]
    pub fn write(&'static self, fill: impl FnOnce(&mut Words)) {
        let mut words = Words { room: MaybeUninit::uninit(), used: 0 };
        fill(&mut words);
        unsafe { ktrace_write(&self.of_c, addr_of!(words.room) as *const u32, words.used as c_uint) };
    }
}

// ------------------------------------------------------------------------ values

/// The words of an event.  Each value takes TEXT_WORDS at most.
#[doc(hidden)]
pub struct Words {
    room: MaybeUninit<[u32; MAX_ARGS * TEXT_WORDS]>,
    used: usize,
}

impl Words {
    #[inline(always)]
    fn word(&mut self, word: u32) {
        assert!(self.used < MAX_ARGS * TEXT_WORDS);
        unsafe { (self.room.as_mut_ptr() as *mut u32).add(self.used).write(word) };
        self.used += 1;
    }

    #[inline(always)]
    fn long(&mut self, long: u64) {
        let bytes = long.to_ne_bytes();
        self.word(u32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
        self.word(u32::from_ne_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]));
    }

    /// The number of bytes, which may be more than follow; and the bytes, filled up to a word with 0.
    #[inline]
    fn bytes(&mut self, bytes: &[u8]) {
        let kept = &bytes[..bytes.len().min(MAX_TEXT)];
        self.word(bytes.len().min(u32::MAX as usize) as u32);
        for part in kept.chunks(4) {
            let mut word = [0; 4];
            word[..part.len()].copy_from_slice(part);
            self.word(u32::from_ne_bytes(word));
        }
    }
}

/// A type of values: its number in ktrace/types.h.
#[doc(hidden)]
pub trait Kind {
    const NUMBER: u8;
}

/// What can be the value of a tracepoint.
pub trait Value {
    #[doc(hidden)]
    type Kind: Kind + Default;
    #[doc(hidden)]
    fn put(&self, words: &mut Words);
}

macro_rules! kinds {
    ($($kind:ident = $number:literal),*) => {
        /// The types of values.
        #[doc(hidden)]
        pub mod kind {
            $(
                #[derive(Default)]
                pub struct $kind;
                impl super::Kind for $kind {
                    const NUMBER: u8 = $number;
                }
            )*
        }
    };
}

kinds!(I8 = 1, U8 = 2, I16 = 3, U16 = 4, I32 = 5, U32 = 6, I64 = 7, U64 = 8, Bool = 9, F32 = 10, F64 = 11, Pointer = 12,
       Text = 13, Bytes = 14);

macro_rules! value {
    ($([$($generics:tt)*] $type:ty: $kind:ident, |$value:ident, $words:ident| $put:expr;)*) => {
        $(
            impl<$($generics)*> Value for $type {
                type Kind = kind::$kind;
                #[inline(always)]
                fn put(&self, $words: &mut Words) {
                    let $value = self;
                    $put
                }
            }
        )*
    };
}

value! {
    [] i8: I8, |value, words| words.word(*value as u32);
    [] u8: U8, |value, words| words.word(*value as u32);
    [] i16: I16, |value, words| words.word(*value as u32);
    [] u16: U16, |value, words| words.word(*value as u32);
    [] i32: I32, |value, words| words.word(*value as u32);
    [] u32: U32, |value, words| words.word(*value);
    [] i64: I64, |value, words| words.long(*value as u64);
    [] u64: U64, |value, words| words.long(*value);
    [] isize: I64, |value, words| words.long(*value as u64);
    [] usize: U64, |value, words| words.long(*value as u64);
    [] bool: Bool, |value, words| words.word(*value as u32);
    [] f32: F32, |value, words| words.word(value.to_bits());
    [] f64: F64, |value, words| words.long(value.to_bits());
    [] char: Text, |value, words| words.bytes(value.encode_utf8(&mut [0; 4]).as_bytes());
    [] str: Text, |value, words| words.bytes(value.as_bytes());
    [] String: Text, |value, words| words.bytes(value.as_bytes());
    [] [u8]: Bytes, |value, words| words.bytes(value);
    [] Vec<u8>: Bytes, |value, words| words.bytes(value);
    [const N: usize] [u8; N]: Bytes, |value, words| words.bytes(value);
    [T] *const T: Pointer, |value, words| words.long(*value as *const u8 as u64);
    [T] *mut T: Pointer, |value, words| words.long(*value as *const u8 as u64);
}

impl<T: Value + ?Sized> Value for &T {
    type Kind = T::Kind;
    #[inline(always)]
    fn put(&self, words: &mut Words) {
        (**self).put(words);
    }
}

impl<T: Value + ?Sized> Value for &mut T {
    type Kind = T::Kind;
    #[inline(always)]
    fn put(&self, words: &mut Words) {
        (**self).put(words);
    }
}

#[doc(hidden)]
pub fn kind_of<T: Value + ?Sized>(_: &T) -> T::Kind {
    T::Kind::default()
}

#[doc(hidden)]
#[inline(always)]
pub fn put<T: Value + ?Sized>(words: &mut Words, value: &T) {
    value.put(words);
}

/// The types of all values of a tracepoint, with a 0 at the end.
#[doc(hidden)]
pub trait Kinds {
    const LIST: &'static [u8];
}

macro_rules! lists {
    () => { lists!(@ ); };
    ($first:ident $($rest:ident)*) => { lists!(@ $first $($rest)*); lists!($($rest)*); };
    (@ $($kind:ident)*) => {
        impl<$($kind: Kind),*> Kinds for ($($kind,)*) {
            const LIST: &'static [u8] = &[$($kind::NUMBER,)* 0];
        }
    };
}

lists!(A B C D E F G H I J K L);

// ------------------------------------------------------------------------ the macro

/// `ktrace!(provider, name, field = value, ...)`: record an event.  A field alone stands for `field = field`.
#[macro_export]
macro_rules! ktrace {
    ($provider:ident, $name:ident $(,)?) => { $crate::ktrace!(@ $provider, $name, "", ) };
    ($provider:ident, $name:ident, $first:ident $(= $value:expr)? $(, $field:ident $(= $values:expr)?)* $(,)?) => {
        $crate::ktrace!(@ $provider, $name, concat!(stringify!($first) $(, ", ", stringify!($field))*),
                        ($first $(, $value)?) $(($field $(, $values)?))*)
    };
    (@ $provider:ident, $name:ident, $fields:expr, $($each:tt)*) => {{
        static SITE: $crate::Site = $crate::Site::new(
            concat!(stringify!($provider), "\0", stringify!($name), "\0", $fields, "\0", file!(), "\0"),
            <[&str]>::len(&[$(stringify!($each)),*]), line!());
        if !SITE.is_off() && SITE.is_on(|| ($($crate::kind_of(&$crate::ktrace_value!$each),)*)) {
            SITE.write(|words| {
                let _ = &words;
                $($crate::put(words, &$crate::ktrace_value!$each);)*
            });
        }
    }};
}

/// The value of a field.
#[doc(hidden)]
#[macro_export]
macro_rules! ktrace_value {
    ($field:ident) => { $field };
    ($field:ident, $value:expr) => { $value };
}
