/* SPDX-License-Identifier: MIT */
/* What messages carry: another sender's, another seed's and another message's bytes are told from
 * those that were expected, and so is a single byte. */
#include "bench/mpi/payload.h"
#include "tap.h"

#include <stdlib.h>

enum { BYTES = 64, SENDERS = 64 };

static void check_senders(void)
{
    unsigned char *const data = am_payload_new(BYTES);
    struct am_err err = {0};
    size_t own = 0, others = 0;

    for (int a = 0; data && a < SENDERS; a++) {
        am_payload_fill(data, BYTES, 7, a);
        for (int b = 0; b < SENDERS; b++) {
            const bool same = am_payload_check(data, AM_PAYLOAD_STAMP, BYTES, 7, b, &err) == AM_OK;

            own += same && a == b;
            others += same && a != b;
        }
    }
    ok(own == SENDERS && others == 0, "%zu senders are known, %zu taken for another", own, others);
    free(data);
}

static void check_changes(void)
{
    unsigned char *const data = am_payload_new(BYTES);
    struct am_err err = {0};
    size_t noticed = 0;

    if (!data)
        abort();
    am_payload_fill(data, BYTES, 7, 3);
    ok(am_payload_check(data, 0, BYTES, 8, 3, &err) == AM_E_WRONG,
       "another seed is another content");
    for (size_t i = 0; i < BYTES; i++) {
        data[i] ^= 1;
        noticed += am_payload_check(data, 0, BYTES, 7, 3, &err) == AM_E_WRONG;
        data[i] ^= 1;
    }
    ok(noticed == BYTES, "a bit that differs is noticed in each of %zu bytes", noticed);
    am_payload_stamp(data, BYTES, 41);
    ok(am_payload_check_stamp(data, BYTES, 41, &err) == AM_OK &&
           am_payload_check_stamp(data, BYTES, 40, &err) == AM_E_WRONG,
       "a message of the turn before is one too old");
    free(data);
}

int main(void)
{
    check_senders();
    check_changes();
    return tap_done();
}
