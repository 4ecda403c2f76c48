//! The one place that looks at the wall clock, for stamps that people read. Durations never come
//! from here: they are differences of `std::time::Instant`.

use jiff::Timestamp;

/// Now, in UTC, to the millisecond, as RFC 3339 (`2026-12-01T09:30:00.125Z`).
pub fn stamp() -> String {
    format!("{:.3}", now())
}

/// Now, in UTC, as the first part of a sweep's id (`20261201T093000Z`).
pub fn id_stamp() -> String {
    now().strftime("%Y%m%dT%H%M%SZ").to_string()
}

#[expect(clippy::disallowed_methods, reason = "the one place that may")]
fn now() -> Timestamp {
    Timestamp::now()
}

/// How long it is until the next time of day `HH:MM` on this machine's clock.
pub fn until(time: &str) -> Option<std::time::Duration> {
    let time: jiff::civil::Time = format!("{}:00", time.trim()).parse().ok()?;
    let zone = jiff::tz::TimeZone::system();
    let today = zone.to_datetime(now()).date();
    let at = |day: jiff::civil::Date| zone.to_timestamp(day.to_datetime(time)).ok();
    let next = at(today).filter(|at| *at > now()).or_else(|| at(today.tomorrow().ok()?))?;
    std::time::Duration::try_from(next.duration_since(now())).ok()
}
