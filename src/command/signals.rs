//! SIGINT, SIGTERM and SIGHUP, listened to from the first moment on, so that none is lost between
//! two steps.

use futures_util::future::select_all;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Someone who says stop.
#[derive(Debug)]
pub(super) struct Signals(Vec<Signal>);

impl Signals {
    /// Begins to listen; must be called inside a runtime.
    pub(super) fn listen() -> Self {
        let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
        // Without a handler the signal ends the process, and the next start cleans up.
        Self(kinds.into_iter().filter_map(|kind| signal(kind).ok()).collect())
    }

    /// What `work` gives; none when a signal came first.
    pub(super) async fn or<T>(&mut self, work: impl Future<Output = T>) -> Option<T> {
        if self.0.is_empty() {
            return Some(work.await);
        }
        let caught = select_all(self.0.iter_mut().map(|signal| Box::pin(signal.recv())));
        tokio::select! {
            biased;
            _ = caught => None,
            done = work => Some(done),
        }
    }
}
