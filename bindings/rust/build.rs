// SPDX-License-Identifier: BSD-2-Clause
//! Finds libupcall.so: where UPCALL_LIB_DIR says, else where pkg-config does.
use std::env;
use std::process::Command;

fn by_pkg_config() -> Option<String> {
    let output = Command::new("pkg-config").args(["--variable=libdir", "upcall"]).output().ok()?;
    let dir = String::from_utf8(output.stdout).ok()?;
    Some(dir.trim().to_string()).filter(|dir| output.status.success() && !dir.is_empty())
}

fn main() {
    println!("cargo:rerun-if-env-changed=UPCALL_LIB_DIR");
    println!("cargo:rerun-if-env-changed=PKG_CONFIG_PATH");
    if let Some(dir) = env::var("UPCALL_LIB_DIR").ok().or_else(by_pkg_config) {
        println!("cargo:rustc-link-search=native={dir}");
    }
    println!("cargo:rustc-link-lib=dylib=upcall");
}
