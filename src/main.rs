//! Arguments → command → exit code.

fn main() -> std::process::ExitCode {
    cnfsweep::command::run()
}
