#!/bin/sh
# SPDX-License-Identifier: MIT
# The thesis's study of this machine: measures, then writes the tables of its appendix B, the figures of its chapters
# 6 and 7 and the facts of its models into a folder.
#
# usage: run.sh quick|thesis|tiny|blackscholes|fft|gemm FOLDER [OPTION of `archmeter experiment`]...
#
# FOLDER must not exist. `--energy` and `--counters l3` among the options add the tables of energy and of memory accesses.
# $ARCHMETER is the program, `archmeter` by default; $SCOPE that of the meter whose energy is tabled, `package` by default.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
archmeter=${ARCHMETER:-archmeter}
if [ $# -lt 2 ] || [ ! -f "$here/$1.spec" ]; then
    sed -n '6p' "$0" | cut -c3- >&2
    exit 2
fi
spec=$here/$1.spec
folder=$2
# A query names columns that only a run of its application has.
case $1 in
    blackscholes* | fft* | gemm* | overhead) parts=${1%-quick} ;;
    tiny) parts='blackscholes overhead' ;;
    *) parts='blackscholes fft gemm overhead' ;;
esac
shift 2
mkdir "$folder"
cd "$folder"

# As LaTeX and as Markdown.
tables() {
    for form in tex md; do
        sed "s/^\(file .*\)\.tex\$/\1.$form/; s/:package/:${SCOPE:-package}/g" "$here/$1.tab" >"$1.tab"
        "$archmeter" table "$1.tab" --db thesis.db
        rm "$1.tab"
    done
}

code=0
"$archmeter" experiment "$spec" -o thesis.db "$@" || code=$?
if [ "$code" -gt 1 ]; then # 1: some points failed, and the tables say which
    cd / && rmdir "$OLDPWD" 2>/dev/null || true # nothing was measured: the next try may have the folder
    exit "$code"
fi
for part in $parts; do
    tables "$part"
done
case " $* " in *" --energy "*) tables thesis-energy ;; esac
case " $* " in *" --counters "*) tables thesis-counters ;; esac
"$archmeter" model thesis.db --facts --format json -q >facts.json
"$archmeter" report thesis.db -o thesis.html -q
"$archmeter" export thesis.db --svg list -q | while read -r name title; do
    "$archmeter" export thesis.db --svg "$name" -o "figure-$name.svg" -q
done
ls
