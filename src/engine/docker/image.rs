//! The server image: there or pulled, what server is in it, and the commands that start it. Never
//! the image's own entry point: its defaults would stand between the file and the server.

use bollard::Docker;
use bollard::query_parameters::CreateImageOptionsBuilder;
use futures_util::StreamExt as _;

use super::super::EngineError;
use super::{connect, request};
use crate::optionfile::{Product, Vendor};

/// A server image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// As the user names it.
    pub reference: String,
    /// Docker's id of it (`sha256:…`).
    pub id: String,
    /// What its server is.
    pub product: Product,
    /// What the server says to `--version`.
    pub version_line: String,
    /// The server's program, with its path.
    pub server: String,
    /// The program that makes a data directory (MariaDB); the server itself else.
    pub installer: String,
    /// Paths that the image declares as volumes.
    pub(super) volumes: Vec<String>,
}

/// Prints what [`parse_look`] reads: program, installer, version.
const LOOK: &str = "s=$(command -v mariadbd || command -v mysqld) || exit 78; \
    i=$(command -v mariadb-install-db || command -v mysql_install_db || echo \"$s\"); \
    echo \"$s\"; echo \"$i\"; \"$s\" --no-defaults --version";

impl Image {
    /// Finds the image, pulling it if it is not there, and looks what server it has. `progress` is
    /// told what goes on.
    ///
    /// # Errors
    /// When it is neither here nor to be had, or has no server in it.
    pub async fn find(
        docker: &Docker,
        reference: &str,
        progress: impl FnMut(&str),
    ) -> Result<Self, EngineError> {
        let found = match inspect(docker, reference).await? {
            Some(found) => found,
            None => {
                pull(docker, reference, progress).await?;
                inspect(docker, reference).await?.ok_or_else(|| {
                    EngineError::NoImage(format!("`{reference}` was pulled but is not there"))
                })?
            }
        };
        let looked = super::container::look(docker, &found.0, LOOK).await?;
        let no_server = || {
            EngineError::NoImage(format!(
                "image `{reference}` has no server: neither `mariadbd` nor `mysqld` is in its \
                 PATH\nhint: use an image such as `cnfsweep/mysql:9.7`, `mysql:8.4` or `mariadb:11.8`"
            ))
        };
        if looked.code != 0 {
            return Err(no_server());
        }
        // A server without a network warns before it tells its version.
        let (server, installer, version_line) = parse_look(&looked.stdout).ok_or_else(no_server)?;
        let product = product_of(&version_line).ok_or_else(|| {
            EngineError::NoImage(format!(
                "the server of image `{reference}` calls itself `{version_line}`, which is neither \
                 a MySQL nor a MariaDB version"
            ))
        })?;
        Ok(Self {
            reference: reference.to_owned(),
            id: found.0,
            product,
            version_line,
            server,
            installer,
            volumes: found.1,
        })
    }

    /// Docker's id of an image that is here; none if it is not.
    ///
    /// # Errors
    /// When the daemon does not say.
    pub async fn id_of(docker: &Docker, reference: &str) -> Result<Option<String>, EngineError> {
        Ok(inspect(docker, reference).await?.map(|(id, _)| id))
    }

    /// Makes `/tmp/data`.
    pub(super) fn initialise_command(&self, arguments: &[String]) -> String {
        let arguments = arguments.iter().map(|a| format!(" {}", quote(a))).collect::<String>();
        match self.product.vendor {
            Vendor::MySql => format!(
                "{} --no-defaults --initialize-insecure --datadir=/tmp/data --tmpdir=/tmp \
                 --secure-file-priv= --loose-mysqlx=OFF{arguments}",
                self.server
            ),
            // Its script wants a place to write; the directory has to be there already.
            Vendor::MariaDb => format!(
                "mkdir /tmp/data && {} --no-defaults --datadir=/tmp/data --tmpdir=/tmp \
                 --auth-root-authentication-method=normal --skip-test-db --skip-name-resolve{arguments}",
                self.installer
            ),
        }
    }

    /// Serves `/tmp/data` at `/s/m.sock`. `first` is the option-file argument, or empty for none.
    ///
    /// What stands here wins over the file: where things are, and what needs a path that is not
    /// there in a read-only container.
    pub(super) fn serve_command(&self, first: &str) -> String {
        let first = if first.is_empty() { "--no-defaults" } else { first };
        let own = match self.product.vendor {
            Vendor::MySql => " --secure-file-priv= --loose-mysqlx=OFF",
            Vendor::MariaDb => "",
        };
        format!(
            "{} {first} --datadir=/tmp/data --socket=/s/m.sock --pid-file=/tmp/server.pid \
             --tmpdir=/tmp{own}",
            self.server
        )
    }
}

/// One word for the shell.
pub(super) fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

fn parse_look(out: &str) -> Option<(String, String, String)> {
    let mut lines = out.lines().map(str::trim).filter(|line| !line.is_empty());
    let (server, installer) = (lines.next()?.to_owned(), lines.next()?.to_owned());
    let version = lines.find(|line| line.contains("Ver "))?.to_owned();
    Some((server, installer, version))
}

/// `/usr/sbin/mysqld  Ver 9.7.4-Debian for Linux …`, `mariadbd  Ver 11.8.9-MariaDB-… for …`.
fn product_of(version_line: &str) -> Option<Product> {
    Product::from_version(version_line.split("Ver ").nth(1)?.split_whitespace().next()?).ok()
}

async fn inspect(
    docker: &Docker,
    reference: &str,
) -> Result<Option<(String, Vec<String>)>, EngineError> {
    let what = format!("looking for image `{reference}`");
    match tokio::time::timeout(super::REQUEST, docker.inspect_image(reference)).await {
        Ok(Ok(image)) => {
            let id = image.id.unwrap_or_default();
            Ok(Some((id, image.config.and_then(|c| c.volumes).unwrap_or_default())))
        }
        Ok(Err(bollard::errors::Error::DockerResponseServerError { status_code: 404, .. })) => {
            Ok(None)
        }
        other => request(&what, async { other.unwrap_or(Err(timeout())) }).await.map(|_| None),
    }
}

fn timeout() -> bollard::errors::Error {
    bollard::errors::Error::RequestTimeoutError
}

async fn pull(
    docker: &Docker,
    reference: &str,
    mut progress: impl FnMut(&str),
) -> Result<(), EngineError> {
    /// The longest silence in a pull.
    const SILENCE: std::time::Duration = std::time::Duration::from_secs(120);
    let not_there = |why: &str| {
        let hint = if reference.starts_with("cnfsweep/") {
            "make it with `containers/build.sh` (it needs no image registry)".to_owned()
        } else {
            "make an image here with `containers/build.sh` and use `--image cnfsweep/mysql:9.7`"
                .to_owned()
        };
        EngineError::NoImage(format!(
            "there is no image `{reference}` and it can't be pulled: {why}\nhint: {hint}"
        ))
    };
    if reference.starts_with("cnfsweep/") {
        return Err(not_there("`cnfsweep/…` images are made on this machine"));
    }
    progress(&format!("pulling {reference}"));
    let tagged = match reference.rsplit('/').next().is_some_and(|last| last.contains([':', '@'])) {
        true => reference.to_owned(),
        // Without a tag Docker would fetch every one of them.
        false => format!("{reference}:latest"),
    };
    let options = CreateImageOptionsBuilder::default().from_image(&tagged).build();
    let mut steps = Box::pin(docker.create_image(Some(options), None, None));
    loop {
        match tokio::time::timeout(SILENCE, steps.next()).await {
            Ok(Some(Ok(step))) => {
                let id = step.id.unwrap_or_default();
                let status = step.status.unwrap_or_default();
                progress(format!("{reference}: {status} {id}").trim_end());
            }
            Ok(Some(Err(e))) => {
                return Err(match connect::explain("", &e) {
                    EngineError::Refused { message, .. } => not_there(&message),
                    other => other,
                });
            }
            Ok(None) => return Ok(()),
            Err(_) => return Err(not_there("the registry said nothing for two minutes")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_says_of_itself_becomes_a_product() {
        let of = |line| product_of(line).map(|p| p.to_string());
        let mysql = "/usr/sbin/mysqld  Ver 9.7.4-Debian for Linux on x86_64 ((Debian))";
        assert_eq!(of(mysql).as_deref(), Some("mysql-9.7"));
        let maria = "mariadbd  Ver 11.8.9-MariaDB-0+deb13u1 for debian-linux-gnu on x86_64";
        assert_eq!(of(maria).as_deref(), Some("mariadb-11.8"));
        assert_eq!(of("no version here"), None);
    }

    #[test]
    fn a_word_stays_one_word_in_the_shell() {
        assert_eq!(quote("a b'c$d"), r"'a b'\''c$d'");
    }
}
