//! Which server reads the file: vendor and release series, and what follows from
//! them for the file layer (groups, line length, includes, names).
//! Knows nothing about single options.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::grammar;

/// Who makes the server. Percona Server counts as MySQL, whose reader it shares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Vendor {
    /// MySQL, Percona Server.
    MySql,
    /// MariaDB.
    MariaDb,
}

/// A server release series such as MySQL 9.7 or MariaDB 11.8.
///
/// ```
/// use cnfsweep::optionfile::{Product, Vendor};
///
/// let product: Product = "mariadb-11.8".parse()?;
/// assert_eq!(product.vendor, Vendor::MariaDb);
/// assert_eq!(Product::from_version("11.8.9-MariaDB-deb13")?, product);
/// assert_eq!(product.to_string(), "mariadb-11.8");
/// # Ok::<(), cnfsweep::optionfile::UnknownProduct>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Product {
    /// Who makes it.
    pub vendor: Vendor,
    /// First number of the version.
    pub major: u16,
    /// Second number of the version.
    pub minor: u16,
}

/// A text that names no product.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("no server product `{0}`: write it like `mysql-9.7` or `mariadb-11.8`")]
pub struct UnknownProduct(pub String);

impl Product {
    /// A MySQL series.
    pub const fn mysql(major: u16, minor: u16) -> Product {
        Product { vendor: Vendor::MySql, major, minor }
    }

    /// A MariaDB series.
    pub const fn mariadb(major: u16, minor: u16) -> Product {
        Product { vendor: Vendor::MariaDb, major, minor }
    }

    /// The product behind what `SELECT VERSION()` answers: `9.7.4-Debian`,
    /// `8.0.36-28`, `11.8.9-MariaDB-deb13`, also with the `5.5.5-` that MariaDB
    /// puts in front for replicas.
    ///
    /// # Errors
    /// When the text does not begin with two numbers.
    pub fn from_version(version: &str) -> Result<Product, UnknownProduct> {
        let trimmed = version.trim();
        let vendor =
            if contains_ignore_case(trimmed, "mariadb") { Vendor::MariaDb } else { Vendor::MySql };
        let own = match vendor {
            Vendor::MariaDb => trimmed.strip_prefix("5.5.5-").unwrap_or(trimmed),
            Vendor::MySql => trimmed,
        };
        let (major, minor) = two_numbers(own).ok_or_else(|| UnknownProduct(version.to_owned()))?;
        Ok(Product { vendor, major, minor })
    }

    /// The groups this server reads, in lower case, as its `--help` lists them.
    ///
    /// MySQL built with NDB reads `mysql_cluster` as well; whether the build has NDB
    /// can't be seen from the version, and Debian's has, so it is in the list.
    pub fn server_groups(&self) -> Vec<String> {
        let Product { major, minor, .. } = *self;
        let mut groups = Vec::new();
        match self.vendor {
            Vendor::MySql => {
                groups.extend(["mysql_cluster", "mysqld", "server"].map(String::from));
                groups.push(format!("mysqld-{major}.{minor}"));
            }
            Vendor::MariaDb => {
                groups.extend(["mysqld", "server"].map(String::from));
                groups.push(format!("mysqld-{major}.{minor}"));
                let names: &[&str] =
                    if (major, minor) >= (10, 4) { &["mariadb", "mariadbd"] } else { &["mariadb"] };
                for name in names {
                    groups.push((*name).to_owned());
                    groups.push(format!("{name}-{major}.{minor}"));
                    if major >= 11 {
                        groups.push(format!("{name}-{major}"));
                    }
                }
                groups.extend(["client-server", "galera"].map(String::from));
            }
        }
        groups
    }

    /// Whether the server reads `group` (the text between the brackets).
    ///
    /// Letter case does not matter, white space at the end neither; at the start it
    /// does: `[ mysqld]` is another group.
    pub fn reads(&self, group: &[u8]) -> bool {
        let name = grammar::trim_end(group);
        // Allocation-free, because it is asked once per header of a large file.
        let versioned = |base: &str| -> bool {
            let Some(rest) = strip_prefix_ignore_case(name, base.as_bytes()) else {
                return false;
            };
            match rest {
                [] => true,
                [b'-', version @ ..] => self.is_version(version, base != "mysqld"),
                _ => false,
            }
        };
        let exactly = |full: &str| name.eq_ignore_ascii_case(full.as_bytes());
        match self.vendor {
            Vendor::MySql => versioned("mysqld") || exactly("server") || exactly("mysql_cluster"),
            Vendor::MariaDb => {
                versioned("mysqld")
                    || exactly("server")
                    || versioned("mariadb")
                    || ((self.major, self.minor) >= (10, 4) && versioned("mariadbd"))
                    || exactly("client-server")
                    || exactly("galera")
            }
        }
    }

    /// Is `text` this product's `X.Y`, or, where allowed, its `X`?
    fn is_version(&self, text: &[u8], major_only: bool) -> bool {
        text == format!("{}.{}", self.major, self.minor).as_bytes()
            || (major_only
                && self.vendor == Vendor::MariaDb
                && self.major >= 11
                && text == self.major.to_string().as_bytes())
    }

    /// Whether option names are compared without regard to letter case.
    pub fn ignores_name_case(&self) -> bool {
        self.vendor == Vendor::MariaDb && (self.major, self.minor) >= CASE_BLIND_NAMES
    }

    /// Whether an unambiguous beginning of an option's name will do.
    pub fn accepts_abbreviations(&self) -> bool {
        self.vendor == Vendor::MariaDb
    }

    /// Longest stretch of a line, in bytes, that the server takes at once; what is
    /// behind it is read as further lines. `None`: lines of any length.
    pub fn line_limit(&self) -> Option<usize> {
        match self.vendor {
            Vendor::MySql if self.major >= 8 => None,
            Vendor::MySql | Vendor::MariaDb => Some(4094),
        }
    }

    /// Whether `?include` and `?includedir` are directives too (`?includedir` passes
    /// over a directory that it may not read). MariaDB has them since 11.4.10 and
    /// 11.8.6, and that patch level is taken for granted here; elsewhere (10.5.29 and
    /// 10.11.19 too) such a line is an unknown option.
    pub fn has_question_mark_includes(&self) -> bool {
        let series = (self.major, self.minor);
        self.vendor == Vendor::MariaDb
            && (series == (11, 4) || series == (11, 8) || series >= (12, 0))
    }

    /// How the argument of `!include` and `!includedir` is cut out of its line.
    pub(super) fn include_argument(&self) -> IncludeArgument {
        if self.vendor == Vendor::MySql && self.major >= 9 {
            IncludeArgument::Clean
        } else {
            IncludeArgument::Historic
        }
    }
}

/// First MariaDB series whose option names ignore letter case: seen in 10.5.29, not in
/// the source of older ones.
const CASE_BLIND_NAMES: (u16, u16) = (10, 5);

/// The two ways of finding the path in an `!include` line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IncludeArgument {
    /// MariaDB, MySQL 8: the last byte of the line is taken for its newline and cut
    /// off, whatever it is; a `#` is part of the path.
    Historic,
    /// MySQL 9 (seen in 9.7.4; it is not known which release began with it): a comment
    /// is cut off, and no byte too many.
    Clean,
}

impl fmt::Display for Vendor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Vendor::MySql => "mysql",
            Vendor::MariaDb => "mariadb",
        })
    }
}

impl fmt::Display for Product {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}.{}", self.vendor, self.major, self.minor)
    }
}

impl FromStr for Product {
    type Err = UnknownProduct;

    /// Reads `mysql-9.7`, `percona-8.0`, `mariadb-11.8` (any letter case, `:` for
    /// `-`), also with a patch level, or else what a server calls its version.
    fn from_str(text: &str) -> Result<Product, UnknownProduct> {
        let text = text.trim();
        let named =
            [("mysql", Vendor::MySql), ("percona", Vendor::MySql), ("mariadb", Vendor::MariaDb)]
                .into_iter()
                .find_map(|(name, vendor)| {
                    let rest = strip_prefix_ignore_case(text.as_bytes(), name.as_bytes())?;
                    let rest = std::str::from_utf8(rest).ok()?;
                    Some((vendor, rest.strip_prefix(['-', ':'])?))
                });
        match named {
            Some((vendor, version)) => two_numbers(version)
                .map(|(major, minor)| Product { vendor, major, minor })
                .ok_or_else(|| UnknownProduct(text.to_owned())),
            None => Product::from_version(text),
        }
    }
}

/// `9.7.4-x` → (9, 7). The second number must end at a `.`, `-`, `+`, `~` or the end.
fn two_numbers(text: &str) -> Option<(u16, u16)> {
    let (major, rest) = text.split_once('.')?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (minor, tail) = rest.split_at(end);
    if !major.bytes().all(|b| b.is_ascii_digit()) || !tail.chars().next().is_none_or(is_version_gap)
    {
        return None;
    }
    Some((major.parse().ok()?, minor.parse().ok()?))
}

fn is_version_gap(c: char) -> bool {
    matches!(c, '.' | '-' | '+' | '~')
}

fn contains_ignore_case(haystack: &str, needle: &str) -> bool {
    haystack
        .as_bytes()
        .windows(needle.len())
        .any(|window| window.eq_ignore_ascii_case(needle.as_bytes()))
}

fn strip_prefix_ignore_case<'a>(text: &'a [u8], prefix: &[u8]) -> Option<&'a [u8]> {
    let (head, tail) = text.split_at_checked(prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then_some(tail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_read_from_names_and_from_version_strings() {
        for (text, want) in [
            ("mysql-9.7", Product::mysql(9, 7)),
            ("mysql-8.4", Product::mysql(8, 4)),
            ("MySQL:8.0.36", Product::mysql(8, 0)),
            ("percona-8.0", Product::mysql(8, 0)),
            ("mariadb-11.8", Product::mariadb(11, 8)),
            ("9.7.4-Debian", Product::mysql(9, 7)),
            ("8.0.36-28", Product::mysql(8, 0)),
            ("8.0.36-0ubuntu0.22.04.1", Product::mysql(8, 0)),
            ("5.7.44-log", Product::mysql(5, 7)),
            ("11.8.9-MariaDB-deb13", Product::mariadb(11, 8)),
            ("5.5.5-10.11.6-MariaDB-log", Product::mariadb(10, 11)),
            ("10.5.29-MariaDB-0+deb11u1", Product::mariadb(10, 5)),
        ] {
            assert_eq!(text.parse(), Ok(want), "{text}");
        }
        for text in [
            "",
            "mysql",
            "mysql-",
            "mysql-9",
            "mariadb-11",
            "postgres-16.1",
            "mysql-9.7x",
            "-1.2",
            "9",
        ] {
            assert!(text.parse::<Product>().is_err(), "{text}");
        }
    }

    #[test]
    fn names_of_products_read_back() {
        for product in [Product::mysql(9, 7), Product::mariadb(10, 11)] {
            assert_eq!(product.to_string().parse(), Ok(product));
        }
    }

    #[test]
    fn every_listed_group_is_read_and_the_lists_are_those_of_the_servers() {
        let mysql = Product::mysql(9, 7).server_groups();
        assert_eq!(mysql, ["mysql_cluster", "mysqld", "server", "mysqld-9.7"]);
        assert_eq!(
            Product::mariadb(11, 8).server_groups(),
            [
                "mysqld",
                "server",
                "mysqld-11.8",
                "mariadb",
                "mariadb-11.8",
                "mariadb-11",
                "mariadbd",
                "mariadbd-11.8",
                "mariadbd-11",
                "client-server",
                "galera",
            ]
        );
        for product in [
            Product::mysql(8, 0),
            Product::mysql(9, 7),
            Product::mariadb(10, 3),
            Product::mariadb(10, 5),
            Product::mariadb(11, 8),
        ] {
            for group in product.server_groups() {
                assert!(product.reads(group.as_bytes()), "{product} {group}");
                assert!(product.reads(group.to_uppercase().as_bytes()));
                assert!(product.reads(format!("{group} \t").as_bytes()));
                assert!(!product.reads(format!(" {group}").as_bytes()));
                assert!(!product.reads(format!("{group}1").as_bytes()));
            }
        }
    }

    #[test]
    fn groups_of_others_are_not_read() {
        let (mysql, maria) = (Product::mysql(8, 4), Product::mariadb(10, 11));
        for group in [
            "",
            "client",
            "mysql",
            "mysqldump",
            "mysqld_safe",
            "mysqld1",
            "mysqld_multi",
            "embedded",
            "mariadb-server",
            "sst",
            "mysqld-5.7",
            "mysqld-",
            "mysqld-8",
            "mariadb-10",
            "mysqld-8.4.1",
        ] {
            assert!(!mysql.reads(group.as_bytes()), "{group}");
            assert!(!maria.reads(group.as_bytes()), "{group}");
        }
        assert!(!mysql.reads(b"mariadb") && !mysql.reads(b"client-server"));
        assert!(!maria.reads(b"mysql_cluster") && !maria.reads(b"mysqld-8.4"));
        assert!(!Product::mariadb(10, 3).reads(b"mariadbd"));
    }
}
