//! Where the connections of one server wait while the other one is loaded. Single-threaded: shared
//! by the workers of one arm on one load thread.

use std::cell::Cell;
use std::time::{Duration, Instant};

use tokio::sync::Notify;

/// Opens for a slice, closes at its end, and knows who waits.
#[derive(Debug)]
pub(super) struct Gate {
    workers: usize,
    waiting: Cell<usize>,
    closes: Cell<Option<Instant>>,
    opened: Notify,
    all_waiting: Notify,
}

impl Gate {
    /// A closed gate for that many workers.
    pub(super) fn new(workers: usize) -> Self {
        Self {
            workers,
            waiting: Cell::new(0),
            closes: Cell::new(None),
            opened: Notify::new(),
            all_waiting: Notify::new(),
        }
    }

    /// Goes through when the gate is open at `now`, else waits until it opens again. Gives how long
    /// that took, which is no latency of anything.
    pub(super) async fn pass(&self, now: Instant) -> Duration {
        if self.closes.get().is_some_and(|closes| now < closes) {
            return Duration::ZERO;
        }
        let opened = self.opened.notified();
        tokio::pin!(opened);
        // Registers before the count goes up, so that no opening is missed.
        opened.as_mut().enable();
        self.waiting.set(self.waiting.get() + 1);
        if self.waiting.get() == self.workers {
            self.all_waiting.notify_one();
        }
        opened.await;
        now.elapsed()
    }

    /// Lets everyone through until `closes`, and waits until everyone is back.
    pub(super) async fn slice(&self, closes: Instant) {
        self.settled().await;
        self.waiting.set(0);
        self.closes.set(Some(closes));
        self.opened.notify_waiters();
        self.settled().await;
        self.closes.set(None);
    }

    async fn settled(&self) {
        while self.waiting.get() < self.workers {
            self.all_waiting.notified().await;
        }
    }
}
