//! Child processes that never outlive us, even when we are killed.
//!
//! The kernel signals a child when the *thread* that started it ends. Threads of a runtime or of a test come and go, so
//! every such child is started by one thread that lasts as long as the process.

use std::ffi::OsStr;
use std::io;
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::thread;

/// The program of util-linux that asks the kernel for the signal; it replaces itself by the child, so ids stay.
pub(crate) const SETPRIV: &str = "setpriv";

struct Request {
    command: Command,
    answer: Sender<io::Result<Child>>,
}

static REQUESTS: LazyLock<Mutex<Sender<Request>>> = LazyLock::new(|| {
    let (sender, receiver) = channel();
    // Were no thread to be had, `receiver` is gone and `spawn` says so.
    let _thread = thread::Builder::new().name("keeper".to_owned()).spawn(|| keep(receiver));
    Mutex::new(sender)
});

/// A command that runs `program`, which gets `signal` (`KILL`, `INT`, …) when we end. Start it with [`spawn`].
pub fn command<Program: AsRef<OsStr>>(signal: &str, program: Program) -> Command {
    bind(Command::new(SETPRIV), signal, program)
}

/// Starts a command from the thread that lasts.
pub fn spawn(command: Command) -> io::Result<Child> {
    let gone = || io::Error::other("failed to start the thread that starts child processes");
    let (answer, answered) = channel();
    REQUESTS.lock().unwrap_or_else(PoisonError::into_inner).send(Request { command, answer }).map_err(|_| gone())?;
    answered.recv().map_err(|_| gone())?
}

/// Completes `setpriv`, a command that runs [`SETPRIV`], perhaps as another user: the wish must come after the change of
/// the user, which would undo it.
pub(crate) fn bind<Program: AsRef<OsStr>>(mut setpriv: Command, signal: &str, program: Program) -> Command {
    setpriv.args(["--pdeathsig", signal, "--"]).arg(program);
    setpriv
}

#[expect(clippy::needless_pass_by_value, reason = "the thread owns its end of the channel")]
fn keep(requests: Receiver<Request>) {
    for mut request in &requests {
        // Whoever asked and went away has no use for the child either; it ends with us.
        let _ = request.answer.send(request.command.spawn());
    }
}
