//! Stopping: asked for once, done in order, over within a stated time.

use std::io;
use std::process;
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::{info, warn};

/// What a shell reports for a program that was interrupted.
const EXIT_CODE_INTERRUPTED: i32 = 130;

/// The program's wish to stop, and the tasks that must end before it may. Clones are the same.
#[derive(Clone, Debug, Default)]
pub struct Shutdown {
    token: CancellationToken,
    tasks: TaskTracker,
}

impl Shutdown {
    /// Listens for SIGTERM and SIGINT from now on. The first asks for a stop; the second ends the process at once.
    pub fn on_signals() -> io::Result<Self> {
        let shutdown = Self::default();
        let terminate = signal(SignalKind::terminate())?;
        let interrupt = signal(SignalKind::interrupt())?;
        // Not one of the tasks: nobody waits for it.
        tokio::spawn(listen(shutdown.token.clone(), terminate, interrupt));
        Ok(shutdown)
    }

    /// Cancelled when the program is to stop. Hand children of it to whoever may be stopped alone.
    pub fn token(&self) -> CancellationToken {
        self.token.clone()
    }

    /// Asks for a stop, as a signal would.
    pub fn request(&self) {
        self.token.cancel();
    }

    /// Starts a task the stop waits for. It must end by itself after the token is cancelled.
    pub fn spawn<Work>(&self, work: Work) -> JoinHandle<Work::Output>
    where
        Work: Future + Send + 'static,
        Work::Output: Send + 'static,
    {
        self.tasks.spawn(work)
    }

    /// Waits for the wish to stop, then for the tasks, for at most `grace`. Says whether all of them ended.
    pub async fn finish(&self, grace: Duration) -> bool {
        self.token.cancelled().await;
        self.tasks.close();
        let finished = tokio::time::timeout(grace, self.tasks.wait()).await.is_ok();
        if !finished {
            let tasks = self.tasks.len();
            warn!(tasks, grace_seconds = grace.as_secs(), "stopping although tasks still run");
        }
        finished
    }
}

#[expect(clippy::disallowed_methods, reason = "whoever asks twice does not want to wait for what is open")]
async fn listen(token: CancellationToken, mut terminate: Signal, mut interrupt: Signal) {
    either(&mut terminate, &mut interrupt).await;
    info!("stopping; a second signal ends the program at once");
    token.cancel();
    either(&mut terminate, &mut interrupt).await;
    warn!("ending at once");
    process::exit(EXIT_CODE_INTERRUPTED);
}

async fn either(terminate: &mut Signal, interrupt: &mut Signal) {
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}
