//! The servers that tests run on.

use crate::docker;

/// An image, and what differs between its server and the others.
#[derive(Debug, Clone, Copy)]
pub struct Server {
    pub image: &'static str,
    /// The recipe that makes it.
    pub recipe: &'static str,
    pub product: &'static str,
    pub is_mysql: bool,
}

#[expect(non_upper_case_globals, reason = "they name tests")]
mod all {
    use super::Server;

    pub const mysql_9_7: Server = Server {
        image: "cnfsweep/mysql:9.7",
        recipe: "mysql-9.7",
        product: "mysql-9.7",
        is_mysql: true,
    };
    pub const mariadb_11_8: Server = Server {
        image: "cnfsweep/mariadb:11.8",
        recipe: "mariadb-11.8",
        product: "mariadb-11.8",
        is_mysql: false,
    };
    pub const mariadb_10_11: Server = Server {
        image: "cnfsweep/mariadb:10.11",
        recipe: "mariadb-10.11",
        product: "mariadb-10.11",
        is_mysql: false,
    };
    pub const mariadb_10_5: Server = Server {
        image: "cnfsweep/mariadb:10.5",
        recipe: "mariadb-10.5",
        product: "mariadb-10.5",
        is_mysql: false,
    };
}
pub use all::*;

impl Server {
    /// Fails with what to do when the image is not there.
    pub fn must_be_there(&self) {
        let (there, said) = docker::try_docker(&["image", "inspect", "--format", "ok", self.image]);
        assert!(
            there,
            "image `{}` is not there: make it with `make deps images`, or with \
             `containers/build.sh {}` (docker says: {})",
            self.image,
            self.recipe,
            said.trim()
        );
    }
}
