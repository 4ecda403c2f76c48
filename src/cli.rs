//! The command line. Doc comments here are the help that users read.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::toggle::{Scale, Values};

/// Which lines of my my.cnf matter for my load, and by how much?
///
/// For every option of a my.cnf, cnfsweep starts a real MySQL or MariaDB server in a container with
/// that one option changed, loads it in turn with an unchanged one, and says faster, slower, no
/// difference or can't tell, with an interval, in CSV, charts and a report.
#[derive(Debug, Parser)]
#[command(
    name = "cnfsweep",
    version,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_long_help = EXAMPLES,
    max_term_width = 100
)]
pub struct Cli {
    /// What to do; without one: a sweep.
    #[command(subcommand)]
    pub command: Option<Command>,

    /// The sweep.
    #[command(flatten)]
    pub sweep: SweepArgs,
}

const EXAMPLES: &str = "\
Examples:
  cnfsweep plan --base /etc/mysql/my.cnf --bench churn
      what would be measured, how long it takes, what is left out and why
  cnfsweep --base my.cnf --bench churn
      every option of the file, against MySQL 9.7
  cnfsweep --base my.cnf --bench point-select --only 'innodb_*' \\
           --image cnfsweep/mariadb:11.8
      only InnoDB's options, against MariaDB 11.8
  cnfsweep --base my.cnf --bench churn --also skip_grant_tables \\
           --set thread_cache_size=0,100
      options and values that the file does not have
  cnfsweep --base my.cnf --bench churn --rounds 8 \\
           --drop query_cache_size,query_cache_type
      eight rounds, without two lines that this server does not know
  cnfsweep report results/20261201T093000Z-churn-1f3a
      charts and report again, from the CSV files

Exit codes:
  0    the sweep finished (a toggle that the server refuses is a result)
  1    it could not be carried out
  2    the command line is wrong
  130  interrupted; what was measured is kept";

/// What to do beside a sweep.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Say what a sweep would run and how long; what is left out and why
    ///
    /// Takes the options of a sweep. Starts each toggle's server once, and loads none.
    Plan(Box<PlanArgs>),
    /// Make verdicts, charts and report again, from the CSV files
    Report {
        /// The sweep's directory, `results/<id>`.
        dir: PathBuf,
        /// Print nothing but warnings and the table.
        #[arg(short, long)]
        quiet: bool,
        /// No colours on the terminal.
        #[arg(long)]
        no_color: bool,
    },
    /// List the options that the server of an image knows
    Options {
        /// Server image.
        #[arg(long, value_name = "REF", default_value = DEFAULT_IMAGE)]
        image: String,
        /// Form of the list.
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Print the arguments that a server gets from a file
    ///
    /// One per line, as my_print_defaults does, secrets included. Needs neither Docker nor a server.
    Args {
        /// The option file.
        #[arg(long, value_name = "FILE")]
        base: PathBuf,
        /// Which server reads it: `mysql-9.7`, `mariadb-11.8` …
        #[arg(long, value_name = "NAME-VERSION")]
        product: String,
        /// Print the value of `password` too, which MySQL's tool hides without `--show`.
        #[arg(long)]
        show: bool,
    },
    /// List, show or check benchmarks
    #[command(subcommand)]
    Profile(ProfileCommand),
    /// Remove what dead sweeps left behind
    ///
    /// Containers, volumes and directories; nothing of a sweep that runs.
    Clean {
        /// Remove the golden data directories too: the next sweep makes them anew.
        #[arg(long)]
        golden: bool,
    },
    /// Print shell completions
    Completions {
        /// For which shell.
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print the man page
    Man,
    /// Load a server that already runs
    #[command(hide = true)]
    Bench(Later),
    /// Say whether this machine is fit to measure on
    ///
    /// CPUs, clock, memory, disk, other people's load: what each means for a result, and what helps.
    /// Every sweep looks at the same.
    Doctor(DoctorArgs),
}

/// Benchmarks.
#[derive(Debug, Subcommand)]
pub enum ProfileCommand {
    /// List the benchmarks that come with cnfsweep
    List,
    /// Print one as TOML
    Show {
        /// Its name.
        name: String,
    },
    /// Check a benchmark of your own
    Check {
        /// The TOML file.
        file: PathBuf,
    },
    /// Start a new one
    #[command(hide = true)]
    New(Later),
    /// Change a field of one
    #[command(hide = true)]
    Set(Later),
}

/// Arguments of a command that is part of the contract and not there yet.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub struct Later {
    /// Whatever is given.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub rest: Vec<String>,
}

/// `doctor`.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Also find this server image, or pull it.
    #[arg(long, value_name = "REF")]
    pub image: Option<String>,
    /// CPUs of the servers; default: all but the load's.
    #[arg(long, value_name = "LIST")]
    pub server_cpus: Option<String>,
    /// CPUs of the load; default: one in four.
    #[arg(long, value_name = "LIST")]
    pub client_cpus: Option<String>,
    /// Exit with 1 where anything is wrong.
    #[arg(long)]
    pub strict: bool,
    /// No colours on the terminal.
    #[arg(long)]
    pub no_color: bool,
}

/// `plan`.
#[derive(Debug, Args)]
pub struct PlanArgs {
    /// The sweep.
    #[command(flatten)]
    pub sweep: SweepArgs,
    /// Form of the plan.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Form of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Table,
    /// For scripts.
    Csv,
}

/// The image of a sweep that names none.
pub const DEFAULT_IMAGE: &str = "cnfsweep/mysql:9.7";

/// The options of a sweep.
#[derive(Debug, Args, Clone)]
pub struct SweepArgs {
    /// The option file (my.cnf) to take apart
    #[arg(long, value_name = "FILE", required = true)]
    pub base: Option<PathBuf>,

    /// Benchmark: a name (`cnfsweep profile list`) or a TOML file
    #[arg(long, value_name = "NAME|FILE.toml", required = true)]
    pub bench: Option<String>,

    /// Server image; pulled if it is not there
    #[arg(long, value_name = "REF", default_value = DEFAULT_IMAGE)]
    pub image: String,

    /// Only options that match, `innodb_*,max_*`
    #[arg(long, value_name = "GLOB,…", value_delimiter = ',', help_heading = TOGGLES)]
    pub only: Vec<String>,

    /// No options that match
    #[arg(long, value_name = "GLOB,…", value_delimiter = ',', help_heading = TOGGLES)]
    pub skip: Vec<String>,

    /// Further values of an option, in the file or not: `thread_cache_size=0,100`
    #[arg(long, value_name = "NAME=V1,V2", help_heading = TOGGLES)]
    pub set: Vec<String>,

    /// Further toggles that are not in the file: `skip_grant_tables,sync_binlog=0`
    #[arg(long, value_name = "NAME[=V],…", value_delimiter = ',', help_heading = TOGGLES)]
    pub also: Vec<String>,

    /// Options that are given to both servers of every pair
    #[arg(long, value_name = "NAME[=V],…", value_delimiter = ',', help_heading = TOGGLES)]
    pub both: Vec<String>,

    /// Lines that are left out of both servers, such as those this server does not know
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', help_heading = TOGGLES)]
    pub drop: Vec<String>,

    /// Leave out of both servers every line that this server does not know
    #[arg(long, help_heading = TOGGLES)]
    pub drop_unknown: bool,

    /// Values per option: `default` (comment out, flip, enable), `few` or `all`
    ///
    /// `few` adds values that are known to make a difference, or else half and twice the line's and
    /// each other word of an enumeration; `all` adds a quarter and four times, too.
    #[arg(long, value_name = "LEVEL", default_value = "default", help_heading = TOGGLES)]
    pub values: Values,

    /// Storage engines to compare
    #[arg(long, value_name = "E1,E2", value_delimiter = ',', hide = true)]
    pub engines: Vec<String>,

    /// Shrink the sizes of a bigger machine's file, in both servers, where they don't fit
    #[arg(long, value_name = "auto|off", default_value = "auto", help_heading = TOGGLES)]
    pub scale: Scale,

    /// Connections of the load; default: the benchmark's
    #[arg(long, value_name = "N", value_delimiter = ',', help_heading = DESIGN)]
    pub threads: Vec<u32>,

    /// That many rounds for every toggle, instead of screening and confirming
    #[arg(long, value_name = "N", help_heading = DESIGN, conflicts_with_all = ["budget", "until"])]
    pub rounds: Option<u32>,

    /// As many rounds as fit into this time: `45m`, `2h`
    #[arg(long, value_name = "TIME", help_heading = DESIGN, conflicts_with = "until")]
    pub budget: Option<String>,

    /// As many rounds as fit until this time of day: `06:00`
    #[arg(long, value_name = "HH:MM", help_heading = DESIGN)]
    pub until: Option<String>,

    /// A/A arms, pairs of two unchanged servers, per round; default: 4, or 5 % of
    /// the toggles
    #[arg(long, value_name = "N", help_heading = DESIGN)]
    pub aa: Option<u32>,

    /// The smallest difference of interest
    #[arg(long, value_name = "PERCENT", default_value = "5%", help_heading = DESIGN)]
    pub delta: String,

    /// Seed of every draw; the same seed gives the same schedule
    #[arg(long, value_name = "N", help_heading = DESIGN, value_parser = clap::value_parser!(u64).range(..=MOST_SEED))]
    pub seed: Option<u64>,

    /// How clients reach the servers
    #[arg(long, value_name = "socket|tcp", default_value = "socket", hide = true)]
    pub transport: String,

    /// Encrypt the connections
    #[arg(long, hide = true)]
    pub tls: bool,

    /// CPUs of both servers, `0-3`; default: all but the load's
    #[arg(long, value_name = "CPUS", help_heading = PLACEMENT)]
    pub server_cpus: Option<String>,

    /// CPUs of the load, `4-5`; default: the last one in four
    #[arg(long, value_name = "CPUS", help_heading = PLACEMENT)]
    pub client_cpus: Option<String>,

    /// Memory of each server, `4g`; default: two fifths of what is free
    #[arg(long, value_name = "SIZE", help_heading = PLACEMENT)]
    pub memory: Option<String>,

    /// Where data directories are
    #[arg(long, value_name = "volume|tmpfs", default_value = "volume", help_heading = PLACEMENT)]
    pub data: String,

    /// Where the results' directory is made
    #[arg(long, value_name = "DIR", default_value = "results", help_heading = OUTPUT)]
    pub out: PathBuf,

    /// Name of the results' directory; default: time, benchmark and a random part
    #[arg(long, value_name = "NAME", help_heading = OUTPUT)]
    pub name: Option<String>,

    /// Go on with a sweep that was interrupted
    #[arg(long, value_name = "DIR", hide = true)]
    pub resume: Option<PathBuf>,

    /// The same as `plan`
    #[arg(long, help_heading = OUTPUT)]
    pub dry_run: bool,

    /// Wait while another sweep runs on this machine, instead of giving up
    #[arg(long, help_heading = OUTPUT)]
    pub wait: bool,

    /// End with 1, and measure nothing, where this machine has warnings (`cnfsweep doctor`)
    #[arg(long, help_heading = DESIGN)]
    pub strict: bool,

    /// Print nothing but warnings and the table
    #[arg(short, long, help_heading = OUTPUT)]
    pub quiet: bool,

    /// Print more: each pair's number as it comes
    #[arg(short, long, help_heading = OUTPUT)]
    pub verbose: bool,

    /// No colours on the terminal
    #[arg(long, help_heading = OUTPUT)]
    pub no_color: bool,

    /// Instead of Docker, an engine that follows a script (for tests)
    #[arg(long, value_name = "FILE", hide = true)]
    pub fake_engine: Option<PathBuf>,
}

/// TOML has no larger whole number, and `sweep.toml` holds the seed.
const MOST_SEED: u64 = i64::MAX as u64;

const TOGGLES: &str = "What is toggled";
const DESIGN: &str = "How it is measured";
const PLACEMENT: &str = "Where it runs";
const OUTPUT: &str = "What comes out";
