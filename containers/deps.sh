#!/usr/bin/env bash
# What `make deps` runs: is everything here that building cnfsweep and sweeping
# with it needs? Installs and starts what it may (root on Debian or Ubuntu),
# says so on stderr, and otherwise says exactly what is missing and how to get it.
set -euo pipefail

# Seconds for a daemon just started to answer.
patience=60
log=/var/log/cnfsweep-dockerd.log

usage() {
  cat <<TEXT
Checks for cargo, a C linker, and a Docker daemon that answers.

usage: containers/deps.sh [--help]

As root on Debian or Ubuntu it installs what Debian packages (gcc, docker.io)
and starts the daemon where none answers. Anywhere else it changes nothing and
says what is missing. DOCKER_HOST is respected. Exit: 0 all there, 1 not.
TEXT
}

say() { printf 'deps.sh: %s\n' "$*" >&2; }

missing=0
lacking() {
  say "error: $*"
  missing=1
}

root_on_debian() {
  [[ $EUID -eq 0 ]] && command -v apt-get >/dev/null &&
    grep -qE '^ID(_LIKE)?=.*(debian|ubuntu)' /etc/os-release 2>/dev/null
}

# apt-get install, with a fresh package list only where the one at hand doesn't do.
install() {
  local command=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends --no-remove install "$@") reason
  say "installing $* with apt-get"
  if ! "${command[@]}" >/dev/null 2>&1; then
    apt-get -qq update >/dev/null 2>&1 || :
    if ! reason=$("${command[@]}" 2>&1 >/dev/null); then
      say "apt-get could not install $*: $(grep -m1 '^E:' <<<"$reason" || echo 'it gave no reason')"
      return 1
    fi
  fi
  hash -r
}

check_cargo() {
  command -v cargo >/dev/null && return
  if [[ -x ${CARGO_HOME:-$HOME/.cargo}/bin/cargo ]]; then
    lacking "cargo is installed but not in PATH: run '. \"${CARGO_HOME:-$HOME/.cargo}/env\"'"
  else
    lacking "no cargo: install Rust with rustup (Cargo.toml's rust-version says how new; a distribution's own is mostly too old)"
  fi
}

check_linker() {
  command -v cc >/dev/null && return
  if root_on_debian && install gcc libc6-dev && command -v cc >/dev/null; then return; fi
  lacking "no C linker 'cc': install a C compiler (Debian, Ubuntu: sudo apt-get install gcc libc6-dev)"
}

docker_answers() { docker version --format '{{.Server.Version}}' >/dev/null 2>&1; }

# Waits for the daemon: at most $1 seconds, never past `deadline`, and not for
# one that we started ourselves and that has ended.
daemon=''
await_docker() {
  local until=$((SECONDS + $1))
  while ((SECONDS < until && SECONDS < deadline)); do
    docker_answers && return
    if [[ -n $daemon ]] && ! kill -0 "$daemon" 2>/dev/null; then return 1; fi
    sleep 0.3
  done
  return 1
}

# The ways to start a daemon, the machine's own first.
start_docker() {
  deadline=$((SECONDS + patience))
  if [[ -d /run/systemd/system ]] && command -v systemctl >/dev/null; then
    say "starting the Docker daemon with systemctl"
    timeout "$patience" systemctl start docker >/dev/null 2>&1 && await_docker 20 && return
  fi
  if [[ -x /etc/init.d/docker ]] && command -v service >/dev/null; then
    say "starting the Docker daemon with service"
    timeout "$patience" service docker start >/dev/null 2>&1 </dev/null && await_docker 20 && return
  fi
  if ! pidof dockerd >/dev/null 2>&1; then
    say "starting dockerd in the background, log in $log"
    setsid dockerd >"$log" 2>&1 </dev/null &
    daemon=$!
  fi
  await_docker "$patience"
}

check_docker() {
  local local_daemon=yes by_hand
  case ${DOCKER_HOST:-} in
    '' | unix:///var/run/docker.sock | unix:///run/docker.sock) ;;
    *) local_daemon='' ;;
  esac
  by_hand="install Docker Engine and start it (Debian, Ubuntu: sudo apt-get install docker.io, or run this as root)"

  if ! command -v docker >/dev/null; then
    root_on_debian || { lacking "no 'docker' command: $by_hand"; return; }
    local packages=(docker.io)
    # From Debian trixie on, the client is a package of its own.
    if apt-cache show docker-cli >/dev/null 2>&1; then packages+=(docker-cli); fi
    install "${packages[@]}" || { lacking "no 'docker' command: $by_hand"; return; }
    # Its start script may still be at it.
    deadline=$((SECONDS + patience))
    await_docker 5 && return
  fi

  local answer
  answer=$(docker version --format '{{.Server.Version}}' 2>&1) && return
  if [[ $answer == *'permission denied'* ]]; then
    lacking "not allowed to use the Docker socket: run as root, or 'sudo usermod -aG docker $(id -un)' and log in again"
  elif [[ -z $local_daemon ]]; then
    lacking "no Docker daemon answers at DOCKER_HOST=$DOCKER_HOST: correct it, or unset it to use this machine's own"
  elif ! command -v dockerd >/dev/null && ! { root_on_debian && install docker.io; }; then
    lacking "there is a Docker client but no daemon: $by_hand"
  elif ! root_on_debian; then
    lacking "no Docker daemon answers: start it with 'sudo systemctl start docker' (or 'sudo service docker start')"
  elif start_docker; then
    say "the Docker daemon answers"
  else
    local why=''
    if [[ -s $log ]]; then why=" ($(tail -n1 "$log"))"; fi
    lacking "the Docker daemon was started but does not answer$why: see 'journalctl -u docker' or the logs below /var/log"
  fi
}

case ${1:-} in
  '') ;;
  -h | --help) usage; exit 0 ;;
  *) say "error: unknown argument '$1' (see --help)"; exit 2 ;;
esac

check_cargo
check_linker
check_docker
exit "$missing"
