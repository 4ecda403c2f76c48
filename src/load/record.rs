//! What the workers of one arm on one thread count: operations of the slice, latencies of the pair.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer as _, V2Serializer};

use super::{ErrorCount, KindLoad, LoadError};

/// Latencies are kept in ns, from 100 ns to ten minutes, to three digits.
pub(super) fn new_histogram() -> Result<Histogram<u64>, LoadError> {
    Histogram::new_with_bounds(100, 600_000_000_000, 3)
        .map_err(|e| LoadError::Generator(format!("histogram: {e:?}")))
}

/// Counts and latencies of one arm on one thread.
#[derive(Debug)]
pub(super) struct Record {
    /// Index 0 is `all`, 1 `connect`, then the statements in their order.
    pub(super) latencies: Vec<Histogram<u64>>,
    pub(super) errors: BTreeMap<String, ErrorCount>,
    pub(super) slice: SliceCount,
}

/// Counts of the slice that runs.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SliceCount {
    pub(super) ops: u64,
    pub(super) errors: u64,
    pub(super) last: Option<Instant>,
}

/// Index of `all` in [`Record::latencies`].
pub(super) const ALL: usize = 0;
/// Index of `connect`.
pub(super) const CONNECT: usize = 1;
/// Index of the first statement.
pub(super) const STATEMENTS: usize = 2;

impl Record {
    pub(super) fn new(statements: usize) -> Result<Self, LoadError> {
        let latencies =
            (0..STATEMENTS + statements).map(|_| new_histogram()).collect::<Result<_, _>>()?;
        Ok(Self { latencies, errors: BTreeMap::new(), slice: SliceCount::default() })
    }

    pub(super) fn latency(&mut self, kind: usize, took: Duration) {
        let ns = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        if let Some(histogram) = self.latencies.get_mut(kind) {
            histogram.saturating_record(ns);
        }
    }

    pub(super) fn counted(&mut self, ops: u64, at: Instant) {
        self.slice.ops += ops;
        self.slice.last = Some(at);
    }

    pub(super) fn failed(&mut self, code: String, message: String) {
        self.slice.errors += 1;
        self.errors.entry(code).or_insert(ErrorCount { count: 0, message }).count += 1;
    }

    /// Forgets what the warm-up saw.
    pub(super) fn reset(&mut self) {
        self.latencies.iter_mut().for_each(Histogram::reset);
        self.errors.clear();
        self.slice = SliceCount::default();
    }
}

/// A merged histogram as a result.
pub(super) fn summary(name: &str, histogram: &Histogram<u64>) -> Result<KindLoad, LoadError> {
    let mut bytes = Vec::new();
    V2Serializer::new()
        .serialize(histogram, &mut bytes)
        .map_err(|e| LoadError::Generator(format!("histogram: {e}")))?;
    let us = |ns: u64| ns as f64 / 1e3;
    Ok(KindLoad {
        name: name.to_owned(),
        count: histogram.len(),
        mean_us: histogram.mean() / 1e3,
        p50_us: us(histogram.value_at_quantile(0.5)),
        p95_us: us(histogram.value_at_quantile(0.95)),
        p99_us: us(histogram.value_at_quantile(0.99)),
        max_us: us(histogram.max()),
        hdr: STANDARD.encode(bytes),
    })
}

/// Reads a histogram back from [`KindLoad::hdr`].
///
/// # Errors
/// When the text is not base64 of an HDR V2 histogram.
pub fn decode_histogram(hdr: &str) -> Result<Histogram<u64>, String> {
    let bytes = STANDARD.decode(hdr).map_err(|e| e.to_string())?;
    Deserializer::new().deserialize(&mut bytes.as_slice()).map_err(|e| format!("{e:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_histogram_survives_its_encoding() {
        let mut record = Record::new(1).expect("bounds");
        for us in 1..=1_000 {
            record.latency(ALL, Duration::from_micros(us));
        }
        let kind = summary("all", &record.latencies[ALL]).expect("encodes");
        assert_eq!(kind.count, 1_000);
        assert!((kind.p50_us - 500.0).abs() < 1.0, "{}", kind.p50_us);
        assert!((kind.max_us - 1_000.0).abs() < 1.0, "{}", kind.max_us);
        let back = decode_histogram(&kind.hdr).expect("decodes");
        assert_eq!(back.len(), 1_000);
        assert_eq!(back.value_at_quantile(0.99), record.latencies[ALL].value_at_quantile(0.99));
        assert!(decode_histogram("no base64!").is_err());
    }
}
