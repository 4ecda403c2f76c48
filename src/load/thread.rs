//! The load threads: each is pinned to the client's CPUs and drives its share of the connections
//! with a runtime of its own. They do what [`Order`]s say and nothing in between.

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::LocalSet;

use super::counter::thread_cpu;
use super::gate::Gate;
use super::record::{Record, SliceCount};
use super::session::load_options;
use super::stream::Stream;
use super::worker::Worker;
use super::{ErrorCount, LoadError};
use crate::profile::Load;

/// What a load thread is told.
#[derive(Debug, Clone, Copy)]
enum Order {
    /// Load that server until then.
    Slice { arm: usize, closes: Instant, limit: Instant },
    /// The warm-up is over: forget what was counted.
    Reset,
    /// Hand over what was counted for that server.
    Report { arm: usize },
}

/// What a load thread answers.
enum Answer {
    Slice(Result<(SliceCount, Duration), Instant>),
    Report(Vec<Histogram<u64>>, Vec<(String, ErrorCount)>),
    Failed(LoadError),
}

/// All load threads of a pair. Dropping it ends them.
pub(super) struct Threads {
    orders: Vec<mpsc::Sender<Order>>,
    answers: UnboundedReceiver<Answer>,
}

/// What all threads together counted in a slice.
pub(super) struct Counted {
    pub(super) ops: u64,
    pub(super) errors: u64,
    pub(super) seconds: f64,
    pub(super) cpu: Duration,
}

impl Threads {
    /// Starts one thread per CPU of the load, at most one per connection.
    pub(super) fn start(
        sockets: &[PathBuf; 2],
        load: &Load,
        threads: u32,
        seed: u64,
        cpus: &[usize],
    ) -> Result<Self, LoadError> {
        let count = cpus.len().clamp(1, threads.max(1) as usize);
        let (answer, answers) = unbounded_channel();
        let mut orders = Vec::with_capacity(count);
        for number in 0..count {
            let (order, orders_in) = mpsc::channel();
            orders.push(order);
            let share: Vec<u64> = (0..u64::from(threads))
                .filter(|connection| *connection % count as u64 == number as u64)
                .collect();
            let (sockets, load, cpus) = (sockets.clone(), load.clone(), cpus.to_vec());
            let answer = answer.clone();
            std::thread::Builder::new()
                .name(format!("load-{number}"))
                .spawn(move || {
                    let run = || run(&sockets, load, &share, seed, &cpus, &orders_in, &answer);
                    if let Err(e) = run() {
                        // Nobody listens any more when the pair was given up.
                        let _ = answer.send(Answer::Failed(e));
                    }
                })
                .map_err(|e| LoadError::Generator(format!("could not start a thread: {e}")))?;
        }
        Ok(Self { orders, answers })
    }

    /// Loads one server for `length`, and says what was done. `grace` is how much longer an
    /// operation may take before the server counts as hung.
    pub(super) async fn slice(
        &mut self,
        arm: usize,
        length: Duration,
        grace: Duration,
    ) -> Result<Counted, LoadError> {
        let began = Instant::now();
        let closes = began + length;
        let limit = closes + grace;
        self.tell(Order::Slice { arm, closes, limit })?;
        let mut counted = Counted { ops: 0, errors: 0, seconds: 0.0, cpu: Duration::ZERO };
        let mut last = began;
        for _ in 0..self.orders.len() {
            match self.answer().await? {
                Answer::Slice(Ok((slice, cpu))) => {
                    counted.ops += slice.ops;
                    counted.errors += slice.errors;
                    counted.cpu += cpu;
                    last = last.max(slice.last.unwrap_or(began));
                }
                Answer::Slice(Err(_)) => {
                    return Err(LoadError::Timeout {
                        what: "an operation under load".to_owned(),
                        limit: grace,
                    });
                }
                Answer::Report(..) => return Err(out_of_step()),
                Answer::Failed(e) => return Err(e),
            }
        }
        // Without a completion the slice lasted as long as it was waited for.
        let end = if last > began { last } else { Instant::now() };
        counted.seconds = (end - began).as_secs_f64();
        Ok(counted)
    }

    /// Forgets what the warm-up counted.
    pub(super) fn reset(&self) -> Result<(), LoadError> {
        self.tell(Order::Reset)
    }

    /// Latencies (merged over threads) and failures of one server.
    pub(super) async fn report(
        &mut self,
        arm: usize,
    ) -> Result<(Vec<Histogram<u64>>, Vec<(String, ErrorCount)>), LoadError> {
        self.tell(Order::Report { arm })?;
        let (mut merged, mut errors): (Vec<Histogram<u64>>, _) = (Vec::new(), Vec::new());
        for _ in 0..self.orders.len() {
            match self.answer().await? {
                Answer::Report(histograms, failed) => {
                    errors.extend(failed);
                    if merged.is_empty() {
                        merged = histograms;
                    } else {
                        for (into, from) in merged.iter_mut().zip(&histograms) {
                            into.add(from)
                                .map_err(|e| LoadError::Generator(format!("histogram: {e:?}")))?;
                        }
                    }
                }
                Answer::Slice(_) => return Err(out_of_step()),
                Answer::Failed(e) => return Err(e),
            }
        }
        Ok((merged, errors))
    }

    fn tell(&self, order: Order) -> Result<(), LoadError> {
        self.orders.iter().try_for_each(|to| to.send(order)).map_err(|_| ended())
    }

    async fn answer(&mut self) -> Result<Answer, LoadError> {
        self.answers.recv().await.ok_or_else(ended)
    }
}

fn ended() -> LoadError {
    LoadError::Generator("a load thread ended early".to_owned())
}

fn out_of_step() -> LoadError {
    LoadError::Generator("a load thread answered another question".to_owned())
}

fn run(
    sockets: &[PathBuf; 2],
    load: Load,
    share: &[u64],
    seed: u64,
    cpus: &[usize],
    orders: &mpsc::Receiver<Order>,
    answer: &UnboundedSender<Answer>,
) -> Result<(), LoadError> {
    pin(cpus)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|e| LoadError::Generator(format!("could not start a runtime: {e}")))?;
    let local = LocalSet::new();
    let load = Rc::new(load);
    let mut arms = Vec::with_capacity(sockets.len());
    for socket in sockets {
        let gate = Rc::new(Gate::new(share.len()));
        let record = Rc::new(RefCell::new(Record::new(load.statements.len())?));
        for connection in share {
            let worker = Worker {
                load: Rc::clone(&load),
                options: load_options(socket, load.statements.len()),
                gate: Rc::clone(&gate),
                record: Rc::clone(&record),
                stream: Stream::new(seed, *connection, &load.statements),
            };
            local.spawn_local(worker.run());
        }
        arms.push((gate, record));
    }
    // The sender is dropped when the pair is over or given up.
    while let Ok(order) = orders.recv() {
        let answered = match order {
            Order::Slice { arm, closes, limit } => {
                let (gate, record) = &arms[arm];
                record.borrow_mut().slice = SliceCount::default();
                let before = thread_cpu();
                // Inside of the runtime, since a timer needs it to be made.
                let slice =
                    async { tokio::time::timeout_at(limit.into(), gate.slice(closes)).await };
                let ended = local.block_on(&runtime, slice);
                let used = thread_cpu().saturating_sub(before);
                let count = record.borrow().slice;
                answer.send(Answer::Slice(ended.map(|()| (count, used)).map_err(|_| limit)))
            }
            Order::Reset => {
                arms.iter().for_each(|(_, record)| record.borrow_mut().reset());
                Ok(())
            }
            Order::Report { arm } => {
                let record = arms[arm].1.borrow();
                let errors = record.errors.clone().into_iter().collect();
                answer.send(Answer::Report(record.latencies.clone(), errors))
            }
        };
        if answered.is_err() {
            break;
        }
    }
    Ok(())
}

/// Keeps the calling thread on these CPUs.
fn pin(cpus: &[usize]) -> Result<(), LoadError> {
    if cpus.is_empty() {
        return Ok(());
    }
    let mut set = rustix::thread::CpuSet::new();
    cpus.iter().for_each(|cpu| set.set(*cpu));
    rustix::thread::sched_setaffinity(None, &set)
        .map_err(|e| LoadError::Generator(format!("could not pin to CPUs {cpus:?}: {e}")))
}
