#!/bin/sh
# SPDX-License-Identifier: MIT
# The same without a batch system: mpirun over ssh, machines in the file `hosts` beside this script.
set -eu
hosts=$(dirname -- "$0")/hosts
machines=$(grep -c '^[^#]' "$hosts")

# --enable-recovery (Open MPI 4) lets the others go on when a rank dies; --bind-to none leaves the
# placing of threads to archmeter; the timeout leaves it time to merge after Ctrl-C.
exec mpirun --hostfile "$hosts" -n "$machines" --bind-to none --enable-recovery \
    --mca odls_base_sigkill_timeout 30 \
    archmeter-mpi run --quick "$@" -o cluster.db --report
