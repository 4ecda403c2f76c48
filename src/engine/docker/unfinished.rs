//! Work that must not be cut off half-way. Who waits for an answer may be told to stop (a signal),
//! but the daemon goes on with what it was asked for: a container that is made after everything was
//! removed would stay for ever. So such work runs to its end, and cleaning up waits for that.

use std::time::Duration;

use tokio::sync::Semaphore;

use super::EngineError;

/// More than will ever run at once.
const MOST: u32 = 1_000;

/// One permit for each piece of work that is not finished.
static UNFINISHED: Semaphore = Semaphore::const_new(MOST as usize);

/// Runs `work` to its end, whether or not anybody waits for that.
pub(super) async fn to_its_end<T: Send + 'static>(
    work: impl Future<Output = Result<T, EngineError>> + Send + 'static,
) -> Result<T, EngineError> {
    let stopped = |why: String| EngineError::Refused {
        what: "work in the background".to_owned(),
        message: why,
    };
    // The permit is taken before the task exists: from here on somebody who cleans up waits.
    let permit = UNFINISHED.acquire().await.map_err(|e| stopped(e.to_string()))?;
    let task = tokio::spawn(async move {
        let done = work.await;
        drop(permit);
        done
    });
    task.await.map_err(|e| stopped(e.to_string()))?
}

/// Waits until nothing is under way any more, at most `limit`: who was interrupted calls this before
/// looking what is to be removed.
pub(super) async fn all_finished(limit: Duration) {
    // Whatever still isn't finished then is found by its label when the next sweep starts.
    let _ = tokio::time::timeout(limit, UNFINISHED.acquire_many(MOST)).await;
}
