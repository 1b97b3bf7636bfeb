// SPDX-License-Identifier: BSD-2-Clause
//! TCP sockets on which a thread waits without a kernel thread.
//!
//! ```
//! use std::io::{Read, Write};
//! use upcall::net::{TcpListener, TcpStream};
//!
//! let listener = TcpListener::bind("127.0.0.1:0")?;
//! let address = listener.as_std().local_addr()?;
//! let server = upcall::spawn(move || {
//!     let (mut stream, _) = listener.accept().unwrap();
//!     stream.write_all(b"hello").unwrap();
//! });
//! let mut heard = String::new();
//! TcpStream::connect(address)?.read_to_string(&mut heard)?;
//! assert_eq!(heard, "hello");
//! server.join().unwrap();
//! # std::io::Result::Ok(())
//! ```

use std::io::{self, Read, Write};
use std::mem::ManuallyDrop;
use std::net::{SocketAddr, ToSocketAddrs};
use std::os::raw::{c_int, c_uint};
use std::os::unix::io::{AsRawFd, FromRawFd, RawFd};
use std::ptr;

use crate::ffi;

const AF_INET: c_int = 2;
const AF_INET6: c_int = 10;
const SOCK_STREAM: c_int = 1;
const SOCK_CLOEXEC: c_int = 0o2_000_000;
const MSG_NOSIGNAL: c_int = 0x4000;

/// The kernel's form of an address, and how long it is.
fn raw_address(address: &SocketAddr) -> ([u8; 28], c_uint) {
    let mut raw = [0; 28];
    raw[2..4].copy_from_slice(&address.port().to_be_bytes());
    match address {
        SocketAddr::V4(v4) => {
            raw[..2].copy_from_slice(&(AF_INET as u16).to_ne_bytes());
            raw[4..8].copy_from_slice(&v4.ip().octets());
            (raw, 16)
        }
        SocketAddr::V6(v6) => {
            raw[..2].copy_from_slice(&(AF_INET6 as u16).to_ne_bytes());
            raw[4..8].copy_from_slice(&v6.flowinfo().to_be_bytes());
            raw[8..24].copy_from_slice(&v6.ip().octets());
            raw[24..].copy_from_slice(&v6.scope_id().to_ne_bytes());
            (raw, 28)
        }
    }
}

/// A connection.
pub struct TcpStream(ManuallyDrop<std::net::TcpStream>);

impl TcpStream {
    /// Connects to the first of the addresses that answers.
    ///
    /// # Errors
    ///
    /// Why the last one did not.
    pub fn connect<A: ToSocketAddrs>(address: A) -> io::Result<TcpStream> {
        let mut last = io::Error::new(io::ErrorKind::InvalidInput, "no address");
        for one in address.to_socket_addrs()? {
            match TcpStream::connect_one(&one) {
                Ok(stream) => return Ok(stream),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    fn connect_one(address: &SocketAddr) -> io::Result<TcpStream> {
        let family = if address.is_ipv4() { AF_INET } else { AF_INET6 };
        let fd = unsafe { ffi::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        let stream = unsafe { TcpStream::from_raw_fd(fd) };
        let (raw, bytes) = raw_address(address);
        ffi::check(unsafe { ffi::upcall_connect(fd, raw.as_ptr().cast(), bytes) } as isize)?;
        Ok(stream)
    }

    /// For its options and addresses; what waits there keeps a kernel thread.
    pub fn as_std(&self) -> &std::net::TcpStream {
        &self.0
    }
}

impl FromRawFd for TcpStream {
    unsafe fn from_raw_fd(fd: RawFd) -> TcpStream {
        TcpStream(ManuallyDrop::new(std::net::TcpStream::from_raw_fd(fd)))
    }
}

impl AsRawFd for TcpStream {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

impl Drop for TcpStream {
    fn drop(&mut self) {
        unsafe { ffi::upcall_close(self.as_raw_fd()) };
    }
}

impl Read for &TcpStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        ffi::check(unsafe { ffi::upcall_recv(self.as_raw_fd(), buffer.as_mut_ptr().cast(), buffer.len(), 0) })
    }
}

impl Write for &TcpStream {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        ffi::check(unsafe {
            ffi::upcall_send(self.as_raw_fd(), buffer.as_ptr().cast(), buffer.len(), MSG_NOSIGNAL)
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for TcpStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (&*self).read(buffer)
    }
}

impl Write for TcpStream {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        (&*self).write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A socket that connections come in at.
pub struct TcpListener(ManuallyDrop<std::net::TcpListener>);

impl TcpListener {
    /// Listens at an address; port 0 is any that is free.
    ///
    /// # Errors
    ///
    /// As `std`'s.
    pub fn bind<A: ToSocketAddrs>(address: A) -> io::Result<TcpListener> {
        std::net::TcpListener::bind(address).map(|inner| TcpListener(ManuallyDrop::new(inner)))
    }

    /// Waits for a connection; says where it comes from.
    ///
    /// # Errors
    ///
    /// As `accept(2)`.
    pub fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        let fd = unsafe { ffi::upcall_accept(self.as_raw_fd(), ptr::null_mut(), ptr::null_mut(), SOCK_CLOEXEC) };
        ffi::check(fd as isize)?;
        let stream = unsafe { TcpStream::from_raw_fd(fd) };
        let from = stream.as_std().peer_addr()?;
        Ok((stream, from))
    }

    /// For its options and its address; what waits there keeps a kernel thread.
    pub fn as_std(&self) -> &std::net::TcpListener {
        &self.0
    }
}

impl AsRawFd for TcpListener {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

impl Drop for TcpListener {
    fn drop(&mut self) {
        unsafe { ffi::upcall_close(self.as_raw_fd()) };
    }
}
