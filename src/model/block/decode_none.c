/* SPDX-License-Identifier: MIT */
/* The decoders that this program was built without (AM_NO_ZYDIS, AM_NO_CAPSTONE). */
#include "model/block/insn.h"

#ifdef AM_NO_ZYDIS
const struct am_decoder am_decoder_x86_64 = {
    .missing = "built without a decoder of x86-64 instructions (Debian: libzydis-dev)"};
#endif
#ifdef AM_NO_CAPSTONE
const struct am_decoder am_decoder_aarch64 = {
    .missing = "built without a decoder of AArch64 instructions (Debian: libcapstone-dev)"};
#endif
