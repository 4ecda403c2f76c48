//! An engine without servers, for tests: a script says what the catalogue is, which options make
//! the server faster, slower, refuse or die. The rest of cnfsweep can't tell it from Docker.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::time::Duration;

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use serde::Deserialize;

use super::{
    Address, Answer, Ended, Endpoint, Engine, EngineError, Facts, Golden, GoldenRecipe,
    GoldenState, Inquiry, Question, Removal, Server, StartRequest,
};
use crate::catalog::{Argument, Catalog, Kind, OptionInfo};
use crate::optionfile::value::{IntegerType, integer};
use crate::optionfile::{MemoryLoader, NameError, Names, OptionFile, Product, effective, resolve};
use crate::stats::environment::Disturbance;

/// What a scripted server would do under load.
#[derive(Debug, Clone, PartialEq)]
pub struct Behaviour {
    /// VERSION().
    pub version: String,
    /// SHOW GLOBAL VARIABLES.
    pub variables: BTreeMap<String, String>,
    /// Operations per second.
    pub rate: f64,
    /// Standard deviation of ln(rate) over slices.
    pub slice_noise: f64,
    /// CPU per operation, µs.
    pub cpu_us_per_op: f64,
    /// Seed of its noise.
    pub seed: u64,
    /// After how many slices of the pair it fails, and how.
    pub fails: Option<(u32, Failure)>,
    /// Real time that a slice takes.
    pub pace: Duration,
}

/// How a scripted server fails under load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Failure {
    /// It dies.
    Crash,
    /// It answers with errors only.
    Errors,
    /// It stops answering.
    Hang,
}

/// The script.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// `mysql-9.7` …
    pub product: String,
    /// Operations per second of the unchanged server.
    #[serde(default = "usual_rate")]
    pub rate: f64,
    /// Standard deviation of ln(rate) over slices.
    #[serde(default)]
    pub slice_noise: f64,
    /// Standard deviation of ln(rate) over starts.
    #[serde(default)]
    pub start_noise: f64,
    /// Percent that the second server of every pair is faster, whatever its file says: what a
    /// calibration has to notice.
    #[serde(default)]
    pub bias_percent: f64,
    /// Swing of ln(rate) over the pairs, the same for both servers of a pair.
    #[serde(default)]
    pub drift: f64,
    /// Seed of all noise.
    #[serde(default)]
    pub seed: u64,
    /// Real milliseconds that a slice takes.
    #[serde(default)]
    pub pace_ms: u64,
    /// The options that the server knows.
    #[serde(default)]
    pub option: Vec<OptionScript>,
    /// What they do to the rate.
    #[serde(default)]
    pub effect: Vec<EffectScript>,
    /// What makes the server refuse to start.
    #[serde(default)]
    pub refuse: Vec<RefuseScript>,
    /// What makes it fail under load.
    #[serde(default)]
    pub fail: Vec<FailScript>,
    /// What else runs on the machine.
    #[serde(default)]
    pub disturb: Vec<DisturbScript>,
}

/// An option of the script.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OptionScript {
    /// Canonical name.
    pub name: String,
    /// `boolean`, `integer`, `text`.
    #[serde(default = "text")]
    pub kind: String,
    /// Value of a server that was given nothing.
    #[serde(default)]
    pub default: String,
    /// Whether SHOW VARIABLES has it.
    #[serde(default = "yes")]
    pub variable: bool,
}

/// An effect of the script.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EffectScript {
    /// Canonical name.
    pub option: String,
    /// At this value.
    pub value: String,
    /// Percent of the rate.
    pub percent: f64,
    /// Whether it only shows on a data directory that was made with it.
    #[serde(default)]
    pub fresh: bool,
}

/// A refusal of the script.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefuseScript {
    /// Canonical name.
    pub option: String,
    /// At this value; any value without.
    pub value: Option<String>,
    /// The server's words.
    pub message: String,
    /// Killed for its memory rather than refused.
    #[serde(default)]
    pub oom: bool,
    /// Whether only a start finds it out, no question.
    #[serde(default)]
    pub late: bool,
}

/// A failure of the script.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FailScript {
    /// Canonical name.
    pub option: String,
    /// At this value.
    pub value: String,
    /// How.
    pub how: Failure,
    /// After how many slices of the pair.
    #[serde(default)]
    pub after: u32,
}

/// Something else that runs on the machine.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DisturbScript {
    /// Beside these pairs, by number.
    pub pairs: Vec<u32>,
    /// Part of the CPU time that was stolen.
    #[serde(default)]
    pub steal: f64,
    /// What other processes used of the servers' CPUs, in cores.
    #[serde(default)]
    pub others: f64,
}

fn usual_rate() -> f64 {
    5_000.0
}

fn text() -> String {
    "text".to_owned()
}

fn yes() -> bool {
    true
}

/// The engine.
#[derive(Debug)]
pub struct FakeEngine {
    script: Script,
    product: Product,
    facts: Facts,
    names: Names,
    noise: RefCell<ChaCha8Rng>,
}

/// A server that is none.
#[derive(Debug)]
pub struct FakeServer {
    endpoint: Endpoint,
    ended: Option<Ended>,
    /// How often it was asked whether it has ended.
    asked: Cell<u32>,
    /// Whether it dies under load.
    dies: bool,
    log: String,
}

impl FakeEngine {
    /// Reads a script.
    ///
    /// # Errors
    /// When it is not TOML of that form.
    pub fn parse(text: &str) -> Result<Self, EngineError> {
        let fail = |message: String| EngineError::File(format!("fake engine: {message}"));
        let script: Script = toml_edit::de::from_str(text).map_err(|e| fail(e.to_string()))?;
        let product: Product = script.product.parse().map_err(|e| fail(format!("{e}")))?;
        let facts = Facts {
            image_digest: format!("fake:{}", script.product),
            version_line: format!("Ver {}", version(&product)),
            engine_version: "fake".to_owned(),
            storage_driver: "none".to_owned(),
            cgroup: "none".to_owned(),
        };
        let names = script.option.iter().map(|o| o.name.as_str()).collect();
        let noise = RefCell::new(ChaCha8Rng::seed_from_u64(script.seed));
        Ok(Self { script, product, facts, names, noise })
    }

    /// What the server is.
    pub fn product(&self) -> Product {
        self.product
    }

    /// The values that a server has with this file: the last argument of each option counts.
    fn values(&self, cnf: &[u8]) -> Result<BTreeMap<String, String>, String> {
        let mut values: BTreeMap<String, String> =
            self.script.option.iter().map(|o| (o.name.clone(), o.default.clone())).collect();
        let file = OptionFile::parse(cnf);
        let arguments = file
            .arguments(&self.product, &MemoryLoader::default())
            .map_err(|e| format!("[ERROR] {e}"))?
            .list;
        let (options, unknown) = effective(&self.product, &arguments, &self.names);
        let loose = |error: &NameError| matches!(error, NameError::Unknown { is_loose: true, .. });
        if let Some((_, error)) = unknown.iter().find(|(_, error)| !loose(error)) {
            return Err(format!("[ERROR] [Server] {error}"));
        }
        for option in options {
            let Some(argument) = option.counting.last().and_then(|i| arguments.get(*i)) else {
                continue;
            };
            let value = argument.value.as_deref();
            let resolved = resolve(&self.product, &argument.name, value, &self.names)
                .map_err(|e| format!("[ERROR] {e}"))?;
            let text = match resolved.value.as_deref() {
                None => "ON".to_owned(),
                Some(value) => String::from_utf8_lossy(value).into_owned(),
            };
            values.insert(option.name.clone(), self.as_shown(&option.name, text));
        }
        Ok(values)
    }

    fn as_shown(&self, name: &str, text: String) -> String {
        let is = |kind| self.script.option.iter().any(|o| o.name == name && o.kind == kind);
        if is("integer")
            && let Ok(read) = integer(&self.product, text.as_bytes(), IntegerType::ULong)
        {
            return read.value.to_string();
        }
        let boolean = is("boolean");
        match text.to_ascii_lowercase().as_str() {
            "1" | "true" | "on" if boolean => "ON".to_owned(),
            "0" | "false" | "off" if boolean => "OFF".to_owned(),
            _ => text,
        }
    }

    fn behaviour(
        &self,
        role: &str,
        values: &BTreeMap<String, String>,
        golden: &Golden,
    ) -> Behaviour {
        let has = |option: &str, value: &str| values.get(option).is_some_and(|v| v == value);
        let effects: f64 = self
            .script
            .effect
            .iter()
            .filter(|e| has(&e.option, &e.value))
            .filter(|e| {
                let argument = format!("--{}={}", e.option.replace('_', "-"), e.value);
                !e.fresh || golden.volume.split(' ').any(|word| word == argument)
            })
            .map(|e| (e.percent / 100.0).ln_1p())
            .sum();
        let fails =
            self.script.fail.iter().find(|f| has(&f.option, &f.value)).map(|f| (f.after, f.how));
        // Both servers of a pair, `p12-base` and `p12-toggle`, share the machine's mood.
        let (pair, arm) = role.split_once('-').unwrap_or((role, ""));
        let pair: u32 = pair.trim_start_matches('p').parse().unwrap_or(0);
        let mood = self.script.drift * (f64::from(pair) * 0.37).sin();
        let bias = if arm == "toggle" { (self.script.bias_percent / 100.0).ln_1p() } else { 0.0 };
        let mut noise = self.noise.borrow_mut();
        // The sum of twelve uniform draws less six is normal enough, with variance one.
        let normal = (0..12).map(|_| noise.random::<f64>()).sum::<f64>() - 6.0;
        let shown = self.script.option.iter().filter(|o| o.variable);
        Behaviour {
            version: version(&self.product),
            variables: shown
                .filter_map(|o| Some((o.name.clone(), values.get(&o.name)?.clone())))
                .collect(),
            rate: self.script.rate
                * (effects + mood + bias + self.script.start_noise * normal).exp(),
            slice_noise: self.script.slice_noise,
            cpu_us_per_op: 150.0 / effects.exp(),
            seed: noise.random(),
            fails,
            pace: Duration::from_millis(self.script.pace_ms),
        }
    }

    /// What refuses a server with these values.
    fn refusal(&self, values: &BTreeMap<String, String>) -> Option<&RefuseScript> {
        self.script.refuse.iter().find(|r| {
            let now = values.get(&r.option);
            match &r.value {
                Some(value) => now == Some(value),
                None => now.is_some(),
            }
        })
    }

    fn serve(&self, role: &str, cnf: &[u8], golden: &Golden) -> FakeServer {
        let values = self.values(cnf);
        let refused = values.as_ref().ok().and_then(|values| self.refusal(values));
        let ended = match (&values, refused) {
            (Err(reason), _) => Some(Ended { code: 1, oom: false, reason: reason.clone() }),
            (_, Some(r)) => Some(Ended { code: 1, oom: r.oom, reason: r.message.clone() }),
            _ => None,
        };
        let behaviour = self.behaviour(role, &values.unwrap_or_default(), golden);
        FakeServer {
            asked: Cell::new(0),
            dies: matches!(behaviour.fails, Some((_, Failure::Crash))),
            log: ended.as_ref().map(|e| e.reason.clone()).unwrap_or_default(),
            ended,
            endpoint: Endpoint {
                address: Address::Script(Box::new(behaviour)),
                cpu: None,
                process: None,
            },
        }
    }
}

fn version(product: &Product) -> String {
    format!("{}.{}.0-fake", product.major, product.minor)
}

impl Engine for FakeEngine {
    type Server = FakeServer;

    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn known_catalog(&self) -> Option<Catalog> {
        let options = self
            .script
            .option
            .iter()
            .map(|o| {
                let info = OptionInfo {
                    argument: match o.kind.as_str() {
                        "integer" => Argument::Required,
                        _ => Argument::Optional,
                    },
                    kind: match o.kind.as_str() {
                        "boolean" => Kind::Boolean,
                        "integer" => Kind::Integer,
                        _ => Kind::Text,
                    },
                    default: Some(o.default.clone()),
                    min: None,
                    max: None,
                    block: None,
                    values: Vec::new(),
                    dynamic: None,
                    variable: o.variable,
                };
                (o.name.clone(), info)
            })
            .collect();
        Some(Catalog { version: version(&self.product), options })
    }

    async fn help(&self) -> Result<String, EngineError> {
        Ok(String::new())
    }

    async fn ask(&self, inquiries: &[Inquiry]) -> Result<Option<Vec<Answer>>, EngineError> {
        let answer = |inquiry: &Inquiry| match (self.values(&inquiry.cnf), &inquiry.question) {
            (Err(refused), _) => Answer { refused: Some(refused), values: BTreeMap::new() },
            (Ok(values), question) => Answer {
                refused: self
                    .refusal(&values)
                    .filter(|r| !(r.late || r.oom))
                    .map(|r| r.message.clone()),
                values: match question {
                    Question::Takes => BTreeMap::new(),
                    Question::Values(names) => {
                        values.into_iter().filter(|(name, _)| names.contains(name)).collect()
                    }
                },
            },
        };
        Ok(Some(inquiries.iter().map(answer).collect()))
    }

    async fn start_scratch(&self) -> Result<FakeServer, EngineError> {
        Ok(self.serve("scratch", b"", &Golden { volume: String::new() }))
    }

    /// Named after its arguments; one that the script refuses can't be made.
    async fn golden(&self, recipe: &GoldenRecipe) -> Result<GoldenState<FakeServer>, EngineError> {
        let named = |r: &&RefuseScript| {
            recipe.initialise.iter().any(|argument| {
                let (name, value) = argument.split_once('=').unwrap_or((argument, "ON"));
                let name = name.trim_start_matches('-').replace('-', "_");
                name == r.option && r.value.as_ref().is_none_or(|v| v == value)
            })
        };
        let refused = self.script.refuse.iter().find(named).map(|r| r.message.clone());
        let what = || "making the golden data directory".to_owned();
        match refused {
            Some(reason) => Err(EngineError::Ended { what: what(), reason }),
            None => {
                let volume = format!("fake {}", recipe.initialise.join(" "));
                Ok(GoldenState::Ready(Golden { volume }))
            }
        }
    }

    async fn seal(&self, _: FakeServer) -> Result<Golden, EngineError> {
        Ok(Golden { volume: "fake".to_owned() })
    }

    async fn start(&self, request: &StartRequest<'_>) -> Result<FakeServer, EngineError> {
        Ok(self.serve(request.role, request.cnf, request.golden))
    }

    async fn settle(&self) -> Result<(), EngineError> {
        Ok(())
    }

    fn made_up_disturbance(&self, pair: u32) -> Option<Disturbance> {
        let scripted = self.script.disturb.iter().find(|d| d.pairs.contains(&pair));
        Some(scripted.map_or(Disturbance::default(), |d| Disturbance {
            steal: d.steal,
            others_on_server: d.others,
            ..Disturbance::default()
        }))
    }

    fn remove(&self, _: FakeServer) -> Removal {
        Removal::done()
    }

    async fn clean_up(&self) -> Result<(), EngineError> {
        Ok(())
    }
}

impl Server for FakeServer {
    fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    async fn ended(&self) -> Ended {
        match &self.ended {
            Some(ended) => ended.clone(),
            // Asked while it starts, while it is loaded, and when the load has failed: then it is
            // dead, if that is what it died of. Else it runs as long as it is asked.
            None if self.dies && self.asked.replace(self.asked.get() + 1) >= 2 => {
                let reason = "[ERROR] mysqld got signal 11 (scripted)".to_owned();
                Ended { code: 139, oom: false, reason }
            }
            None => std::future::pending().await,
        }
    }

    async fn log(&self) -> String {
        self.log.clone()
    }
}
