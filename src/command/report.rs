//! `cnfsweep report`: verdicts, charts and report, from the CSV files. Needs neither Docker nor a
//! server.

use std::path::Path;

use super::failure::Failure;
use super::output::{self, Look, counted};
use crate::journal::{SweepDir, write_effects};
use crate::report::{CalibrationArm, Findings, Gate, Model, NoiseFloor, Records, table, write_all};
use crate::verdicts::{self, Assessment, assess};

pub(super) fn run(dir: &Path, quiet: bool, no_colour: bool) -> Result<(), Failure> {
    let dir = SweepDir::new(dir);
    if !dir.sweep_toml().exists() {
        return Err(Failure::carrying_out(no_sweep(dir.root())));
    }
    conclude(&dir, quiet, no_colour)
}

/// What is wrong with a directory that is no sweep's, and which one may be meant.
fn no_sweep(dir: &Path) -> String {
    let shown = dir.display();
    if !dir.exists() {
        return format!("`{shown}`: no such directory\nhint: sweeps are in `results/<id>`");
    }
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let inside = entries.map(|entry| entry.path());
    let mut sweeps: Vec<_> =
        inside.filter(|path| SweepDir::new(path).sweep_toml().exists()).collect();
    sweeps.sort();
    let hint = match sweeps.last() {
        Some(last) => format!(
            "it holds {}; the last is `{}`",
            counted(sweeps.len() as u64, "sweep"),
            last.display()
        ),
        None => "name one such as `results/<id>`".to_owned(),
    };
    format!("`{shown}`: no sweep's directory: it has no `sweep.toml`\nhint: {hint}")
}

/// Writes `effects.csv`, charts and reports of a sweep, prints the table, and fails where the A/A
/// arms allow no verdicts.
pub(super) fn conclude(dir: &SweepDir, quiet: bool, no_colour: bool) -> Result<(), Failure> {
    let sweep = dir.sweep()?;
    let toggles = dir.toggles()?;
    let trials = dir.trials()?;
    let (slices, status) = (dir.slices()?, dir.status()?);
    let assessment = assess(&verdicts::Records {
        sweep: &sweep,
        toggles: &toggles,
        trials: &trials,
        slices: &slices,
        status: &status,
    })
    .map_err(|e| Failure::carrying_out(format!("`{}`: {e}", dir.trials_csv().display())))?;
    write_effects(dir, &assessment.effects)?;
    let gate_failed = assessment.gate_failed.clone();
    let finished = assessment.finished;
    let cnfs = dir.cnfs(&toggles)?;
    let mut model = Model::gather(Records { sweep, toggles, trials, cnfs }, findings(assessment));
    model.interrupted = !finished;
    write_all(&model, dir).map_err(|e| Failure::carrying_out(e.to_string()))?;
    let look = Look::of_stdout(no_colour);
    output::text(&table(&model, look.width, look.colour, look.charset))?;
    if !quiet {
        output::text(&format!("\nreport: {}\n", dir.report_html().display()))?;
    }
    match gate_failed {
        None => Ok(()),
        Some(why) => Err(Failure::carrying_out(format!(
            "calibration failed, no verdicts: {why}\nhint: something else uses this machine; see \
             the timeline in the report, and measure again on a quieter one"
        ))),
    }
}

fn findings(assessment: Assessment) -> Findings {
    let calibration = assessment
        .calibration
        .into_iter()
        .filter_map(|arm| {
            let [effect_pct, ci_low_pct, ci_high_pct] = arm.effect_pct?;
            let (name, pairs) = (arm.name, arm.pairs);
            Some(CalibrationArm { name, pairs, effect_pct, ci_low_pct, ci_high_pct })
        })
        .collect();
    Findings {
        effects: assessment.effects,
        calibration,
        noise: assessment.noise.map(|n| NoiseFloor {
            low_pct: n.band_pct[0],
            high_pct: n.band_pct[1],
            pair_sd_pct: n.pair_sd_pct,
            pairs: n.pairs,
        }),
        gate: assessment.gate_failed.map_or(Gate::Passed, Gate::Failed),
    }
}
