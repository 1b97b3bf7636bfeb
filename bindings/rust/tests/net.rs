// SPDX-License-Identifier: BSD-2-Clause
//! A server with a thread for each connection.
use std::io::{ErrorKind, Read, Write};
use std::os::raw::{c_int, c_uint, c_void};
use std::os::unix::io::AsRawFd;
use std::time::{Duration, Instant};

use upcall::net::{TcpListener, TcpStream};

fn echo(address: &str) {
    let listener = TcpListener::bind(address).unwrap();
    let at = listener.as_std().local_addr().unwrap();
    upcall::spawn(move || {
        while let Ok((mut stream, _)) = listener.accept() {
            upcall::spawn(move || {
                let mut buffer = [0; 512];
                loop {
                    match stream.read(&mut buffer) {
                        Ok(n) if n > 0 => stream.write_all(&buffer[..n]).unwrap(),
                        _ => break,
                    }
                }
            });
        }
    });
    upcall::scope(|s| {
        for client in 0..50u32 {
            s.spawn(move || {
                let mut stream = TcpStream::connect(at).unwrap();
                for line in 0..20u32 {
                    let said = [client.to_le_bytes(), line.to_le_bytes()].concat();
                    let mut heard = [0; 8];
                    stream.write_all(&said).unwrap();
                    stream.read_exact(&mut heard).unwrap();
                    assert_eq!(heard, said[..]);
                }
            });
        }
    });
}

#[test]
fn echo_v4() {
    echo("127.0.0.1:0");
}

#[test]
fn echo_v6() {
    if std::net::TcpListener::bind("[::1]:0").is_ok() {
        echo("[::1]:0");
    }
}

#[test]
fn nobody_listens() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.as_std().local_addr().unwrap();
    drop(listener);
    assert_eq!(TcpStream::connect(at).err().unwrap().kind(), std::io::ErrorKind::ConnectionRefused);
}

extern "C" {
    fn setsockopt(fd: c_int, level: c_int, name: c_int, value: *const c_void, bytes: c_uint) -> c_int;
}

/// It closes with a reset.
fn set_to_reset(stream: &std::net::TcpStream) {
    const SOL_SOCKET: c_int = 1;
    const SO_LINGER: c_int = 13;
    let at_once: [c_int; 2] = [1, 0];
    let value = at_once.as_ptr().cast();
    assert_eq!(unsafe { setsockopt(stream.as_raw_fd(), SOL_SOCKET, SO_LINGER, value, 8) }, 0);
}

#[test]
fn a_client_is_gone_before_it_is_accepted() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let client = std::net::TcpStream::connect(listener.as_std().local_addr().unwrap()).unwrap();
    let at = client.local_addr().unwrap();
    set_to_reset(&client);
    drop(client);
    upcall::sleep(Duration::from_millis(20));
    let (mut stream, from) = listener.accept().unwrap();
    assert_eq!(from, at);
    assert!(stream.read(&mut [0; 8]).is_err());
}

#[test]
fn time_limits() {
    let time = Duration::from_millis(20);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let began = Instant::now();
    assert_eq!(listener.accept_for(time).err().unwrap().kind(), ErrorKind::TimedOut);

    let at = listener.as_std().local_addr().unwrap();
    let mut client = TcpStream::connect_timeout(&at, Duration::from_secs(10)).unwrap();
    let (mut stream, _) = listener.accept_for(Duration::from_secs(10)).unwrap();
    client.set_read_timeout(Some(time)).unwrap();
    client.set_write_timeout(Some(time)).unwrap();
    assert_eq!((client.read_timeout(), client.write_timeout()), (Some(time), Some(time)));
    assert_eq!(client.set_read_timeout(Some(Duration::ZERO)).unwrap_err().kind(), ErrorKind::InvalidInput);
    assert_eq!(client.read(&mut [0; 8]).unwrap_err().kind(), ErrorKind::TimedOut);

    // Nobody reads.
    let much = vec![0; 1 << 20];
    let error = loop {
        if let Err(error) = client.write(&much) {
            break error;
        }
    };
    assert_eq!(error.kind(), ErrorKind::TimedOut);
    assert!(began.elapsed() >= 3 * time);
    client.set_read_timeout(None).unwrap();
    stream.write_all(b"late").unwrap();
    let mut heard = [0; 4];
    client.read_exact(&mut heard).unwrap();
    assert_eq!(&heard, b"late");
}
