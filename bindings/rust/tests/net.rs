// SPDX-License-Identifier: BSD-2-Clause
//! A server with a thread for each connection.
use std::io::{Read, Write};

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
