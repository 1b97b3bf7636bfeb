// SPDX-License-Identifier: BSD-2-Clause
//! The process: it takes a file of its own, since threads must not have started.
#[test]
fn init_comes_first() {
    upcall::init(3).unwrap();
    assert!(upcall::vprocs() >= 1);
    assert_eq!(upcall::init(2).unwrap_err().raw_os_error(), Some(16));
}
