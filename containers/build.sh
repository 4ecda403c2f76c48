#!/usr/bin/env bash
# Makes the server images that cnfsweep measures, from Debian's packages alone:
# mmdebstrap lays out a root file system, `docker import` turns it into an image.
# What is particular to a server stands in its folder's recipe.sh.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
defaults=(mysql-9.7 mariadb-11.8 mariadb-10.11 mariadb-10.5)

# Never unpacked, whichever the server: documentation and translations.
never=(
  '/usr/share/doc/*' '/usr/share/man/*' '/usr/share/info/*' '/usr/share/locale/*'
  '/usr/share/bug/*' '/usr/share/lintian/*' '/usr/share/menu/*' '/usr/share/apport/*'
)

usage() {
  cat <<TEXT
Makes cnfsweep's server images; no image registry is needed.

usage: containers/build.sh [--force] [--verbose] [SERVER...]

  SERVER       any of: $(known)
               (default: ${defaults[*]})
  --force      build even where the image is up to date
  --verbose    show what mmdebstrap does
  --help       this text

An image is up to date when it was made from the same recipe. Needed: a Docker
daemon that answers; mmdebstrap (installed by apt-get on Debian and Ubuntu, as
root or with passwordless sudo); root, passwordless sudo or unprivileged user
namespaces to run it; about 1.5 GB in \$TMPDIR while it runs.

environment:
  CNFSWEEP_MIRROR   Debian mirror to use instead of mmdebstrap's own defaults:
                    a URL, 'deb ...' lines or a sources.list file
  DOCKER_HOST, TMPDIR, and the machine's proxy settings are respected
TEXT
}

say() { printf 'build.sh: %s\n' "$*" >&2; }

die() {
  say "error: $*"
  exit 1
}

known() {
  local recipe names=()
  for recipe in "$here"/*/recipe.sh; do
    names+=("$(basename -- "$(dirname -- "$recipe")")")
  done
  printf '%s' "${names[*]}"
}

# What must be left of an interrupted or failed build: nothing.
work='' child='' imported=''
clean_up() {
  trap '' INT TERM HUP
  if [[ -n $child ]]; then
    # mmdebstrap unmounts and removes its tree when its whole group is signalled.
    kill -TERM -- "-$child" 2>/dev/null || sudo -n kill -TERM -- "-$child" 2>/dev/null || :
    wait "$child" 2>/dev/null || :
  fi
  if [[ -n $imported ]]; then docker image rm "$imported" >/dev/null 2>&1 || :; fi
  if [[ -n $work ]]; then rm -rf -- "$work"; fi
}
trap clean_up EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

require_docker() {
  command -v docker >/dev/null ||
    die "no 'docker' command: install Docker (Debian, Ubuntu: apt-get install docker.io), or run containers/deps.sh as root"
  local answer
  answer=$(docker version --format '{{.Server.Version}}' 2>&1) && return
  case $answer in
    *'permission denied'*)
      die "not allowed to use the Docker socket: run as root, or 'sudo usermod -aG docker $(id -un)' and log in again" ;;
    *)
      die "no Docker daemon answers at ${DOCKER_HOST:-the default socket}: start it ('sudo systemctl start docker', or containers/deps.sh as root)${DOCKER_HOST:+, or correct DOCKER_HOST}" ;;
  esac
}

# Sets as_root to the words to put before a command that needs root; false where there is no way.
as_root=()
can_be_root() {
  as_root=()
  [[ $EUID -eq 0 ]] && return
  as_root=(sudo -n)
  sudo -n true 2>/dev/null
}

on_debian() {
  command -v apt-get >/dev/null && grep -qE '^ID(_LIKE)?=.*(debian|ubuntu)' /etc/os-release 2>/dev/null
}

require_mmdebstrap() {
  local wanted=(mmdebstrap debian-archive-keyring)
  if ! command -v mmdebstrap >/dev/null || [[ ! -e /usr/share/keyrings/debian-archive-keyring.gpg ]]; then
    on_debian ||
      die "mmdebstrap or Debian's archive keys are missing: install the packages 'mmdebstrap' and 'debian-archive-keyring' of your distribution, or name an official image with cnfsweep --image"
    can_be_root ||
      die "mmdebstrap or Debian's archive keys are missing: run 'sudo apt-get install ${wanted[*]}', then this again"
    say "installing ${wanted[*]} with apt-get"
    local install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install "${wanted[@]}")
    if ! "${install[@]}" >/dev/null 2>&1; then
      "${as_root[@]}" apt-get -qq update >/dev/null 2>&1 || :
      local reason
      reason=$("${install[@]}" 2>&1 >/dev/null) ||
        die "apt-get could not install ${wanted[*]}: $(grep -m1 '^E:' <<<"$reason" || echo 'it gave no reason')"
    fi
    hash -r
  fi
  # How to run it: as root, else in a user namespace of the caller's, else with sudo.
  if [[ $EUID -ne 0 ]] && unshare --user --map-root-user true 2>/dev/null &&
    command -v newuidmap >/dev/null && grep -q "^$(id -un):" /etc/subuid 2>/dev/null; then
    as_root=()
    mode=unshare
  elif can_be_root; then
    mode=root
  else
    die "mmdebstrap needs root: run this with sudo, or install 'uidmap' and allow unprivileged user namespaces"
  fi
}

# The apt settings of this machine that decide whether its mirrors can be
# reached at all; not part of the image.
machine_options=()
read_machine_options() {
  machine_options=()
  command -v apt-config >/dev/null || return 0
  local name value
  for name in Acquire::http::Proxy Acquire::https::Proxy Acquire::Check-Valid-Until Acquire::Check-Date; do
    value=''
    eval "$(apt-config shell value "$name")"
    if [[ -n $value ]]; then machine_options+=("--aptopt=$name \"$value\""); fi
  done
}

# Reads a recipe into variables, and from them works out what decides the
# image's content: `recipe_options` for mmdebstrap, `recipe_changes` for
# docker import, `recipe_hash` of both.
read_recipe() {
  suite='' image='' version='' server='' expired='' customize=':'
  tools=() packages=() extract=() exclude=()
  # shellcheck source=/dev/null
  source "$here/$1/recipe.sh"

  local path entry package files
  recipe_options=(--variant=essential)
  if [[ -n $expired ]]; then recipe_options+=('--aptopt=Acquire::Check-Valid-Until "false"'); fi
  for path in "${never[@]}" "${exclude[@]}"; do recipe_options+=("--dpkgopt=path-exclude=$path"); done
  recipe_options+=("--include=$(IFS=,; echo "${packages[*]}")")

  # Some files out of a package, without what that package depends on.
  for entry in "${extract[@]}"; do
    package=${entry%% *}
    files="'${entry#* }'"
    files=${files// /\' \'}
    recipe_options+=("--customize-hook=set -eu
      mkdir \"\$1/extract\" && cd \"\$1/extract\"
      APT_CONFIG=\"\$MMDEBSTRAP_APT_CONFIG\" apt-get -qq -o APT::Sandbox::User=root download $package
      dpkg-deb --fsys-tarfile ./*.deb | tar -x -C \"\$1\" --wildcards $files
      rm -r \"\$1/extract\"")
  done
  recipe_options+=("--customize-hook=set -eu
$customize")

  recipe_hash=$(printf '%s\n' "$(uname -m)" "$suite" "${recipe_options[@]}" "$final_hook" | sha256sum)
  recipe_hash=${recipe_hash:0:16}
  recipe_changes=(--change "LABEL cnfsweep.recipe=$recipe_hash")
}

# Nothing of this machine stays in the image, nothing that apt left, and not
# the full Perl, which only bookworm's installation needs (perl-base stays).
# shellcheck disable=SC2016 # $1 is the hook's own argument
final_hook='rm -rf "$1"/var/cache/apt/* "$1"/var/cache/debconf/*-old "$1"/var/log/* "$1"/var/lib/dpkg/*-old
rm -f "$1"/etc/hostname "$1"/etc/resolv.conf "$1"/etc/apt/sources.list \
  "$1"/etc/apt/apt.conf.d/99mmdebstrap "$1"/etc/dpkg/dpkg.cfg.d/99mmdebstrap
rm -rf "$1"/usr/share/perl/* "$1"/usr/lib/*/perl/* "$1"/usr/lib/*/libperl.so*'

up_to_date() {
  [[ $(docker image inspect --format '{{index .Config.Labels "cnfsweep.recipe"}}' "$image" 2>/dev/null) == "$recipe_hash" ]]
}

# One line out of mmdebstrap's log, and what to do about it.
explain() {
  local log=$1 line hint
  if [[ -n $verbose ]]; then
    printf "mmdebstrap failed; its reason stands above"
    return
  fi
  line=$(grep -m1 -E '^(E|dpkg-deb|tar|sh|sudo): ' "$log" || tail -n1 "$log")
  case $(<"$log") in
    *NO_PUBKEY* | *'is not signed'* | *EXPKEYSIG*)
      hint="the archive keys of '$suite' are missing or too old: install a newer 'debian-archive-keyring'" ;;
    *'Unable to locate package'* | *'no installation candidate'*)
      hint="'$suite' does not have these packages (any more): see the recipe, or set CNFSWEEP_MIRROR to a mirror that does" ;;
    *'does not have a Release file'* | *' 404 '*)
      hint="this mirror has no '$suite' (any more): set CNFSWEEP_MIRROR to one that does, such as Debian's archive of old releases" ;;
    *'Could not resolve'* | *'Could not connect'* | *'Unable to connect'* | *'Connection failed'*)
      hint="no Debian mirror can be reached: check network and proxy, or set CNFSWEEP_MIRROR" ;;
    *'No space left'*)
      hint="${TMPDIR:-/tmp} is full: set TMPDIR to a place with 1.5 GB free" ;;
    *newuidmap* | *newgidmap* | *unshare*)
      hint="user namespaces don't work here: run this with sudo" ;;
    *)
      hint="--verbose shows all of it" ;;
  esac
  printf '%s; %s' "${line#E: }" "$hint"
}

# The image must be able to do what a sweep asks of it, under a sweep's restrictions.
check_image() {
  # shellcheck disable=SC2016 # expanded in the container
  docker run --rm --network none --read-only --cap-drop ALL --user 61234:61234 \
    --entrypoint /bin/sh "$1" -c '
      for name in sh cp sed grep my_print_defaults "$@"; do
        command -v "$name" >/dev/null || { echo "no $name in it"; exit 1; }
        ! ldd "$(command -v "$name")" 2>&1 | grep "not found" || { echo "$name lacks a library"; exit 1; }
      done
      exec "$1" --version' check "$server" "${tools[@]}" 2>&1
}

build() {
  local name=$1 began=$SECONDS answer old
  read_recipe "$name"
  # Two builds of the same server: the second waits, then finds the work done.
  exec 9<"$here/$name/recipe.sh"
  if ! flock -n 9; then
    say "$name: waiting for another build of it"
    flock 9
  fi
  if [[ -z $force ]] && up_to_date; then
    say "$name: $image is up to date"
    return
  fi

  require_mmdebstrap
  read_machine_options
  work=$(mktemp -d "${TMPDIR:-/tmp}/cnfsweep-build.XXXXXX" 2>/dev/null) ||
    die "can't write to ${TMPDIR:-/tmp}: set TMPDIR to a directory with 1.5 GB free"
  say "$name: building $image from Debian $suite, which takes a minute or so"
  local mirror=()
  if [[ -n ${CNFSWEEP_MIRROR:-} ]]; then mirror=("$CNFSWEEP_MIRROR"); fi

  if [[ -n $verbose ]]; then exec 8>&2; else exec 8>"$work/log"; fi
  # A process group of its own, so that clean_up can end all of it.
  set -m
  "${as_root[@]}" mmdebstrap --mode="$mode" "${machine_options[@]}" "${recipe_options[@]}" \
    --customize-hook="$final_hook" --format=tar "$suite" - "${mirror[@]}" \
    </dev/null >"$work/root.tar" 2>&8 8>&- 9<&- &
  child=$!
  set +m
  local status=0
  wait "$child" || status=$?
  child=''
  [[ $status -eq 0 ]] || die "$name: $(explain "$work/log")"

  imported=$(docker import "${recipe_changes[@]}" - <"$work/root.tar" 2>"$work/log") ||
    die "$name: docker import failed: $(tail -n1 "$work/log")"
  answer=$(check_image "$imported") || die "$name: the image made is not usable: ${answer##*$'\n'}"
  answer=$(grep -oE 'Ver [^ ]+' <<<"$answer" | tail -n1)
  [[ ${answer#Ver } == "$version".* ]] || die "$name: expected version $version, but '$suite' has ${answer#Ver }"

  old=$(docker image inspect --format '{{.Id}}' "$image" 2>/dev/null || :)
  docker tag "$imported" "$image" || die "$name: docker tag failed"
  imported=''
  # Refused while a container uses it, which is right.
  if [[ -n $old ]]; then docker image rm "$old" >/dev/null 2>&1 || :; fi
  rm -rf -- "$work"
  work=''
  local bytes
  bytes=$(docker image inspect --format '{{.Size}}' "$image")
  say "$name: $image made in $((SECONDS - began)) s, $(((bytes + 500000) / 1000000)) MB, version ${answer#Ver }"
}

force='' verbose='' names=()
while [[ $# -gt 0 ]]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --force) force=yes ;;
    --verbose | -v) verbose=yes ;;
    -*) say "error: unknown option '$1' (see --help)"; exit 2 ;;
    *)
      if [[ $1 == */* || ! -f $here/$1/recipe.sh ]]; then
        say "error: unknown server '$1'; known are: $(known)"
        exit 2
      fi
      names+=("$1") ;;
  esac
  shift
done
if [[ ${#names[@]} -eq 0 ]]; then names=("${defaults[@]}"); fi

require_docker
for name in "${names[@]}"; do build "$name"; done
