// SPDX-License-Identifier: MIT
//! Find libktrace: in KTRACE_LIB_DIR, or where pkg-config says.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-env-changed=KTRACE_LIB_DIR");
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
    let dir = env::var("KTRACE_LIB_DIR").ok().or_else(|| {
        let out = Command::new("pkg-config").args(["--variable=libdir", "ktrace"]).output().ok()?;
        String::from_utf8(out.stdout).ok()
    });
    match dir.as_deref().map(str::trim) {
        Some(dir) if !dir.is_empty() => println!("cargo:rustc-link-search=native={}", dir),
        _ => println!("cargo:warning=pkg-config does not know ktrace: set KTRACE_LIB_DIR if libktrace is not found"),
    }
}
