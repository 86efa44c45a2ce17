#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs what is missing, builds, tests, runs and bundles archmeter; prints each step it takes.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
build=$root/build
no_install=no # yes: build with what is there
installed=no # yes: packages came, so that a folder configured before knows too little

usage() {
    cat <<'END'
usage: ./setup.sh [--no-install] COMMAND

  build        install missing packages, leave the program at build/archmeter
  run [ARG...] build, then `archmeter run --quick --report ARG...` into the current directory
  test         install missing packages, run every test and check (FUZZ_SECONDS=6 per fuzz target)
  bundle       write bundle/ and a .tar.gz of it: runs on any x86-64 Linux with glibc >= 2.36
  package      write package/archmeter_VERSION_ARCH.deb and a Containerfile that runs the quick set
  doctor-deps  say which dependencies are here and what they are for; installs nothing
  help         print this text

Missing packages are installed with apt-get (through sudo when not root), after a list of what each is for;
elsewhere they are named. --no-install installs nothing and goes on with what is there.
END
}

step() {
    printf '==> %s\n' "$*"
}

warn() {
    printf 'setup.sh: %s\n' "$*" >&2
}

die() {
    warn "$*"
    exit 1
}

# Every dependency, one per line: needed by | how it is found | Debian | Fedora | Arch | what it is for.
# `build` is needed; `engine` (what is measured besides the machine), `test` and `package` are installed where they
# can be; `peers` is only looked for.
dependencies() {
    cat <<'END'
build|command:cc|gcc|gcc|gcc|C compiler
build|command:objdump|binutils|binutils|binutils|codegen, symbol and bundle checks
build|header:stdio.h|libc6-dev|glibc-devel|glibc|C library headers
build|command:pkg-config|pkg-config|pkgconf|pkgconf|finds the libraries
build|command:python3|python3|python3|python|generates tables, runs the checks
build|command:ninja|ninja-build|ninja-build|ninja|runs the build
build|meson:1|meson|meson|meson|describes the build (version 1.0 or newer)
build|library:hwloc|libhwloc-dev|hwloc-devel|hwloc|topology and binding
build|library:sqlite3|libsqlite3-dev|sqlite-devel|sqlite|the results file
engine|command:clang|clang|clang|clang|compiles for the second OpenMP runtime
engine|openmp:clang|libomp-dev|libomp-devel|openmp|LLVM's OpenMP runtime (omp.*)
engine|command:gfortran|gfortran|gcc-gfortran|gcc-fortran|Fortran's WORKSHARE (omp.workshare)
engine|library:OpenCL|ocl-icd-opencl-dev|ocl-icd-devel|ocl-icd|OpenCL loader and headers (ocl.*)
engine|icd:pocl|pocl-opencl-icd|pocl|pocl|OpenCL on the CPU
engine|library:fftw3|libfftw3-dev|fftw-devel|fftw|Fourier transforms (app.fft)
engine|library:openblas|libopenblas-dev|openblas-devel|openblas|matrix multiply beside our own (app.gemm)
engine|header:sleef.h|libsleef-dev|sleef-devel|sleef|vector functions beside our own (app.blackscholes)
engine|header:Zydis/Zydis.h|libzydis-dev|zydis-devel|zydis|decodes instructions of x86-64 (predict)
engine|header:capstone/capstone.h|libcapstone-dev|capstone-devel|capstone|decodes instructions of AArch64 (predict)
engine|library:libavformat|libavformat-dev|ffmpeg-free-devel|ffmpeg|videos of all kinds (track)
engine|library:libswscale|libswscale-dev|ffmpeg-free-devel|ffmpeg|makes their frames grey (track)
engine|library:starpu-1.3|libstarpu-dev|starpu-devel|starpu|a further task scheduler (executor starpu:*)
engine|command:c++|g++|gcc-c++|gcc|C++ compiler, for the adapter to oneTBB
engine|library:tbb|libtbb-dev|tbb-devel|onetbb|oneTBB's loops and tasks (executor tbb:*)
engine|command:mpicc|libopenmpi-dev|openmpi-devel|openmpi|messages between machines (mpi.*, archmeter-mpi)
engine|command:mpirun|openmpi-bin|openmpi|openmpi|starts ranks
test|command:clang|clang|clang|clang|second compiler, sanitizers
test|runtime:fuzzer|libclang-rt-14-dev|compiler-rt|compiler-rt|libFuzzer and the sanitizers of clang
test|command:clang-tidy-14|clang-tidy-14|clang-tools-extra|clang14|errors of bugprone and cert (exactly 14)
test|command:clang-format-14|clang-format-14|clang-tools-extra|clang14|layout of the sources (exactly 14)
test|command:aarch64-linux-gnu-gcc|gcc-aarch64-linux-gnu|gcc-aarch64-linux-gnu|aarch64-linux-gnu-gcc|AArch64 kernels
test|file:/usr/aarch64-linux-gnu/include/stdio.h|libc6-dev-arm64-cross|sysroot-aarch64-fc40-glibc|aarch64-linux-gnu-glibc|C library for AArch64
test|command:qemu-aarch64|qemu-user|qemu-user|qemu-user|runs the AArch64 kernels
test|command:ip|iproute2|iproute|iproute2|machines in namespaces, for tests of cluster runs
test|command:ccache|ccache|ccache|ccache|stages and later runs compile only what differs
test|command:chromium|chromium|chromium|chromium|opens the report as a reader does
package|command:dpkg-shlibdeps|dpkg-dev|dpkg-dev|dpkg|writes the Debian package
package|command:lintian|lintian||lintian|says what is wrong with a package
peers|command:clpeak|clpeak|clpeak|clpeak|side-by-side runs of peers/
peers|command:likwid-bench|likwid|likwid|likwid|side-by-side runs of peers/
END
}

# found HOW: true when the dependency is usable.
found() {
    name=${1#*:}
    case ${1%%:*} in
    command) command -v "$name" >/dev/null 2>&1 ;;
    file) [ -e "$name" ] ;;
    icd) [ -e "${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}/$name.icd" ] ;;
    header) printf '#include <%s>\n' "$name" | cc -E - >/dev/null 2>&1 ;;
    openmp) echo 'int main(void) { return 0; }' | "$name" -fopenmp -x c -o /dev/null - >/dev/null 2>&1 ;;
    library) pkg-config --exists "$name" 2>/dev/null ;;
    meson)
        major=$(meson --version 2>/dev/null | cut -d. -f1)
        [ "${major:-0}" -ge "$name" ]
        ;;
    runtime)
        resources=$(clang -print-resource-dir 2>/dev/null) &&
            [ -n "$(find "$resources/lib" -name "libclang_rt.$name*.a" 2>/dev/null)" ]
        ;;
    esac
}

# version_of HOW: what a person wants to see of a dependency that was found.
version_of() {
    case $1 in
    command:* | meson:*)
        name=${1#command:}
        "${name%%:*}" --version 2>/dev/null | head -n 1
        ;;
    library:*) pkg-config --modversion "${1#*:}" ;;
    *) echo found ;;
    esac
}

# missing COLUMN SET...: that column (3 Debian, 4 Fedora, 5 Arch) of every absent dependency.
missing() {
    column=$1
    shift
    dependencies | while IFS='|' read -r set how debian fedora arch _; do
        case " $* " in
        *" $set "*) found "$how" || printf '%s|%s|%s|%s|%s\n' "$set" "$how" "$debian" "$fedora" "$arch" ;;
        esac
    done | cut -d'|' -f"$column" | sort -u | tr '\n' ' '
}

# explain SET...: what is missing, and what for.
explain() {
    dependencies | while IFS='|' read -r set how debian _ _ purpose; do
        case " $* " in
        *" $set "*) found "$how" || printf '    %-24s %s\n' "$debian" "$purpose" ;;
        esac
    done
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null 2>&1; then
        sudo "$@"
    else
        die "not root and no sudo: run as root: $*"
    fi
}

apt() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 "$@" </dev/null
}

# Packages one by one: another release may lack one of them, which must not cost the others.
install_debian() {
    step "installing: $*"
    apt update || warn "apt-get update failed, going on with the lists at hand"
    apt install -y --no-install-recommends "$@" && return
    for package in "$@"; do
        apt install -y --no-install-recommends "$package" || warn "cannot install $package"
    done
}

# need SET...: the sets are present afterwards, or the build set's absence ends the script.
need() {
    packages=$(missing 3 "$@")
    [ -n "$packages" ] || return 0
    if [ "$no_install" = yes ]; then
        step "not installed, as told; going on without:"
        explain "$@"
    elif command -v apt-get >/dev/null 2>&1; then
        step "will install:"
        explain "$@"
        # shellcheck disable=SC2086 # a list of package names
        install_debian $packages
        installed=yes
    else
        step "no apt-get here; please install what is missing"
        printf '    Debian: %s\n    Fedora: %s\n    Arch:   %s\n' \
            "$packages" "$(missing 4 "$@")" "$(missing 5 "$@")"
    fi
    absent=$(missing 2 build)
    [ -z "$absent" ] || die "cannot build without: $absent"
    absent=$(missing 2 "$@")
    [ -z "$absent" ] || warn "going on without: $absent"
}

# A build folder that was configured for another place (a moved or copied clone) is made anew.
configure() {
    info=$build/meson-info/meson-info.json
    if [ -f "$build/build.ninja" ] && grep -qF "\"$root\"" "$info" 2>/dev/null; then
        [ "$installed" = no ] || meson setup --reconfigure "$build" "$root"
        return
    fi
    step "configuring $build"
    if [ -e "$build/meson-private" ]; then
        meson setup --wipe "$build" "$root"
    else
        meson setup "$build" "$root"
    fi
}

build() {
    need build engine
    configure
    step "building $build/archmeter"
    ninja -C "$build" programs
}

run() {
    build
    step "archmeter run --quick --report $*"
    "$build/archmeter" run --quick --report "$@"
}

run_tests() {
    need build engine test package
    step "testing"
    exec python3 "$root/tools/run_tests.py"
}

bundle() {
    need build engine
    step "bundling into $root/bundle"
    exec python3 "$root/tools/bundle.py" --build "$root/build-bundle" --output "$root/bundle"
}

package() {
    need build engine package
    configure
    ninja -C "$build" programs
    exec python3 "$root/tools/package.py" --build "$build" --output "$root/package"
}

doctor_deps() {
    printf '%-6s %-22s %-40s %s\n' 'for' 'Debian package' 'found' 'what it does'
    dependencies | {
        bad=0
        while IFS='|' read -r set how debian _ _ purpose; do
            if found "$how"; then
                state=$(version_of "$how")
            else
                state=MISSING
                [ "$set" != build ] || bad=1
            fi
            printf '%-6s %-22s %-40.40s %s\n' "$set" "$debian" "${state:-found}" "$purpose"
        done
        exit "$bad"
    }
}

if [ "${1:-}" = --no-install ]; then
    no_install=yes
    shift
fi
command=${1:-help}
[ $# -eq 0 ] || shift
case $command in
build) build ;;
run) run "$@" ;;
test) run_tests ;;
bundle) bundle ;;
package) package ;;
doctor-deps) doctor_deps ;;
help | -h | --help) usage ;;
*)
    usage >&2
    warn "unknown command \"$command\""
    exit 2
    ;;
esac
