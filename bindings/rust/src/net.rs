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
use std::net::{Ipv6Addr, SocketAddr, SocketAddrV6, ToSocketAddrs};
use std::os::raw::{c_int, c_uint};
use std::os::unix::io::{AsRawFd, FromRawFd, RawFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

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

/// The other way round; an address of no such family is an error.
fn address_of(raw: &[u8; 28]) -> io::Result<SocketAddr> {
    let port = u16::from_be_bytes([raw[2], raw[3]]);
    let word = |at: usize| [raw[at], raw[at + 1], raw[at + 2], raw[at + 3]];
    match c_int::from(u16::from_ne_bytes([raw[0], raw[1]])) {
        AF_INET => Ok(SocketAddr::from((word(4), port))),
        AF_INET6 => {
            let mut ip = [0; 16];
            ip.copy_from_slice(&raw[8..24]);
            let (flow, scope) = (u32::from_be_bytes(word(4)), u32::from_ne_bytes(word(24)));
            Ok(SocketAddrV6::new(Ipv6Addr::from(ip), port, flow, scope).into())
        }
        _ => Err(io::Error::new(io::ErrorKind::InvalidInput, "not an IP address")),
    }
}

/// How long a call may wait: nanoseconds, or `NEVER` for as long as it takes.
struct Limit(AtomicU64);

impl Limit {
    fn none() -> Limit {
        Limit(AtomicU64::new(ffi::NEVER))
    }

    fn set(&self, time: Option<Duration>) -> io::Result<()> {
        if time == Some(Duration::ZERO) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a time limit of 0"));
        }
        self.0.store(time.map_or(ffi::NEVER, ffi::nanoseconds), Ordering::Relaxed);
        Ok(())
    }

    fn get(&self) -> Option<Duration> {
        Some(self.0.load(Ordering::Relaxed)).filter(|ns| *ns != ffi::NEVER).map(Duration::from_nanos)
    }

    fn deadline(&self) -> u64 {
        self.get().map_or(ffi::NEVER, ffi::deadline)
    }
}

/// A connection.
pub struct TcpStream {
    inner: ManuallyDrop<std::net::TcpStream>,
    read_limit: Limit,
    write_limit: Limit,
}

impl TcpStream {
    /// Connects to the first of the addresses that answers.
    ///
    /// # Errors
    ///
    /// Why the last one did not.
    pub fn connect<A: ToSocketAddrs>(address: A) -> io::Result<TcpStream> {
        let mut last = io::Error::new(io::ErrorKind::InvalidInput, "no address");
        for one in address.to_socket_addrs()? {
            match TcpStream::connect_until(&one, ffi::NEVER) {
                Ok(stream) => return Ok(stream),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    /// Connects, and waits no longer than `time`.
    ///
    /// # Errors
    ///
    /// `TimedOut` when that was over, or why it is not possible.
    pub fn connect_timeout(address: &SocketAddr, time: Duration) -> io::Result<TcpStream> {
        TcpStream::connect_until(address, ffi::deadline(time))
    }

    fn connect_until(address: &SocketAddr, deadline_ns: u64) -> io::Result<TcpStream> {
        let family = if address.is_ipv4() { AF_INET } else { AF_INET6 };
        let fd = unsafe { ffi::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        let stream = unsafe { TcpStream::from_raw_fd(fd) };
        let (raw, bytes) = raw_address(address);
        ffi::check(unsafe { ffi::upcall_connect_until(fd, raw.as_ptr().cast(), bytes, deadline_ns) } as isize)?;
        Ok(stream)
    }

    /// How long each read waits from now on; `None`: as long as it takes. Then it fails with `TimedOut`.
    ///
    /// # Errors
    ///
    /// `InvalidInput`: a limit of 0.
    pub fn set_read_timeout(&self, time: Option<Duration>) -> io::Result<()> {
        self.read_limit.set(time)
    }

    /// The same of each write, which fails so when nothing went in that time.
    ///
    /// # Errors
    ///
    /// `InvalidInput`: a limit of 0.
    pub fn set_write_timeout(&self, time: Option<Duration>) -> io::Result<()> {
        self.write_limit.set(time)
    }

    /// What `set_read_timeout` said.
    pub fn read_timeout(&self) -> Option<Duration> {
        self.read_limit.get()
    }

    /// What `set_write_timeout` said.
    pub fn write_timeout(&self) -> Option<Duration> {
        self.write_limit.get()
    }

    /// For its options and addresses, but the time limits; what waits there keeps a kernel thread.
    pub fn as_std(&self) -> &std::net::TcpStream {
        &self.inner
    }
}

impl FromRawFd for TcpStream {
    unsafe fn from_raw_fd(fd: RawFd) -> TcpStream {
        TcpStream {
            inner: ManuallyDrop::new(std::net::TcpStream::from_raw_fd(fd)),
            read_limit: Limit::none(),
            write_limit: Limit::none(),
        }
    }
}

impl AsRawFd for TcpStream {
    fn as_raw_fd(&self) -> RawFd {
        self.inner.as_raw_fd()
    }
}

impl Drop for TcpStream {
    fn drop(&mut self) {
        unsafe { ffi::upcall_close(self.as_raw_fd()) };
    }
}

impl Read for &TcpStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (to, limit) = (buffer.as_mut_ptr().cast(), self.read_limit.deadline());
        ffi::check(unsafe { ffi::upcall_recv_until(self.as_raw_fd(), to, buffer.len(), 0, limit) })
    }
}

impl Write for &TcpStream {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let (from, limit) = (buffer.as_ptr().cast(), self.write_limit.deadline());
        ffi::check(unsafe { ffi::upcall_send_until(self.as_raw_fd(), from, buffer.len(), MSG_NOSIGNAL, limit) })
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
        self.accept_until(ffi::NEVER)
    }

    /// As `accept`, but no longer than `time`.
    ///
    /// # Errors
    ///
    /// `TimedOut` when that was over, or as `accept`.
    pub fn accept_for(&self, time: Duration) -> io::Result<(TcpStream, SocketAddr)> {
        self.accept_until(ffi::deadline(time))
    }

    /// The address comes with the connection: one that has been reset since has a peer no more.
    fn accept_until(&self, deadline_ns: u64) -> io::Result<(TcpStream, SocketAddr)> {
        let mut raw = [0; 28];
        let mut bytes = raw.len() as c_uint;
        let to = raw.as_mut_ptr().cast();
        let fd = unsafe { ffi::upcall_accept_until(self.as_raw_fd(), to, &mut bytes, SOCK_CLOEXEC, deadline_ns) };
        ffi::check(fd as isize)?;
        let stream = unsafe { TcpStream::from_raw_fd(fd) };
        Ok((stream, address_of(&raw)?))
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
