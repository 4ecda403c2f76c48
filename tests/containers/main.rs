//! Real servers in real containers: what cnfsweep promises of isolation, cleaning up, counting and
//! measuring, seen from outside of it. Needs a Docker daemon and the images of `containers/build.sh`
//! (`make deps images`); a test that lacks them fails and says so.
//!
//! Each test has its own lock and its own place for sockets, and removes nothing but its own; only
//! golden data directories are shared and stay. No test asserts a time or a rate.

#![expect(clippy::expect_used, reason = "tests")]

/// Runs an async test on each of the servers named, as tests of their own.
macro_rules! on {
    ($body:ident: $($server:ident),+) => {
        mod $body {
            $(
                #[test]
                fn $server() {
                    $crate::lab::run(super::$body, $crate::servers::$server);
                }
            )+
        }
    };
}

mod binary;
mod catalogue;
mod clones;
mod counts;
mod docker;
mod doctor;
mod goldens;
mod isolation;
mod lab;
mod memory;
mod oracle;
mod pair;
mod questions;
mod refusals;
mod servers;
mod signals;
mod start;
mod sweeps;
mod together;
mod users;
