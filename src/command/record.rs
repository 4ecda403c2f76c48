//! What is written down of a sweep before its first pair: `sweep.toml`, and files without their
//! secrets.

use sha2::{Digest as _, Sha256};

use super::host::list_cpus;
use super::request::{Request, redacted_command_line};
use super::sweep::Course;
use crate::cli::SweepArgs;
use crate::engine::Engine;
use crate::engine::docker::warnings;
use crate::journal::{
    BaseInfo, Design, HostFacts, ImageInfo, Placement, Redaction, ServerInfo, SweepFile, clock,
};
use crate::optionfile::{Flattened, LineKind, OptionFile, Product, is_secret, redacted_line};
use crate::plan::SCHEDULE_VERSION;
use crate::profile::hex;
use crate::stats::screen::rules::SCREEN_ROUNDS;
use crate::stats::screen::{CONFIRM_ROUNDS, Mode};
use crate::toggle::{Place, Toggles};

/// Version of the file formats of a results directory.
const FORMAT: u32 = 1;

/// A file without its secrets: what may be written into the results.
pub(super) fn redacted(cnf: &[u8]) -> Vec<u8> {
    OptionFile::parse(cnf).redacted()
}

/// What a sweep is about.
pub(super) struct About<'a> {
    pub(super) args: &'a SweepArgs,
    pub(super) request: &'a Request,
    pub(super) product: &'a Product,
    pub(super) file: &'a Flattened,
    pub(super) toggles: &'a Toggles,
    pub(super) host: HostFacts,
}

impl About<'_> {
    fn redactions(&self) -> Vec<Redaction> {
        let secrets = self.file.file.lines().filter_map(|line| match line.kind {
            LineKind::Option { name, .. } | LineKind::CommentedOption { name, .. }
                if is_secret(name) =>
            {
                let Place { included, line, .. } = Place::of(self.file, line.number);
                let option = String::from_utf8_lossy(name).into_owned();
                Some(Redaction { option, included, line })
            }
            _ => None,
        });
        secrets.collect()
    }

    /// `sweep.toml`.
    pub(super) fn file<E: Engine>(&self, engine: &E, course: &Course) -> SweepFile {
        let Self { args, request, product, toggles, .. } = self;
        let Course { probed, aa, mode, .. } = course;
        let facts_of_engine = engine.facts();
        let variable = |name: &str| probed.base.variables.get(name).cloned().unwrap_or_default();
        let load = &request.profile.load;
        SweepFile {
            format: FORMAT,
            id: request.id.clone(),
            cnfsweep: env!("CARGO_PKG_VERSION").to_owned(),
            started_at: clock::stamp(),
            command_line: redacted_command_line(),
            bench: request.profile.name.clone(),
            profile: request.profile.text.clone(),
            base: BaseInfo {
                path: request.base_path.display().to_string(),
                sha256: hex(&Sha256::digest(&request.base_bytes)),
                changed_in_both_arms: toggles.changed_in_both_arms.clone(),
                scaled: toggles.scaled.clone(),
                redacted: self.redactions(),
            },
            image: ImageInfo {
                reference: args.image.clone(),
                digest: facts_of_engine.image_digest.clone(),
            },
            server: ServerInfo {
                product: product.to_string(),
                version: probed.base.version.clone(),
                native_aio: variable("innodb_use_native_aio"),
                flush_method: variable("innodb_flush_method"),
                open_files_limit: variable("open_files_limit"),
                warnings: warnings(&probed.base.log)
                    .iter()
                    .map(|line| {
                        String::from_utf8_lossy(&redacted_line(line.as_bytes())).into_owned()
                    })
                    .collect(),
            },
            design: Design {
                kind: "pairs".to_owned(),
                seed: request.seed,
                schedule: SCHEDULE_VERSION,
                mode: match mode {
                    Mode::Adaptive => "adaptive".to_owned(),
                    Mode::Rounds(_) => "rounds".to_owned(),
                },
                rounds: match mode {
                    Mode::Adaptive => SCREEN_ROUNDS + CONFIRM_ROUNDS,
                    Mode::Rounds(rounds) => *rounds,
                },
                aa: *aa,
                delta: request.delta.exp_m1(),
                slices: load.slices,
                slice_seconds: load.slice.as_secs_f64(),
                warmup_seconds: load.warmup.as_secs_f64(),
                threads: request.threads,
            },
            placement: Placement {
                server_cpus: list_cpus(&request.cpus.server),
                client_cpus: list_cpus(&request.cpus.client),
                shared_cpus: request.cpus.shared(),
                memory_bytes: request.memory,
                data: args.data.clone(),
                transport: args.transport.clone(),
            },
            host: self.host.clone(),
        }
    }
}
