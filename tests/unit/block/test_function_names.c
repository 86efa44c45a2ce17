/* SPDX-License-Identifier: MIT */
/* Names of functions as their author wrote them, from the symbols of compilers. */
#include "model/block/names.h"
#include "tap.h"

#include <string.h>

static const struct {
    const char *symbol, *name; /* NULL: not read */
} readings[] = {
    {"_Z3accRKSt6vectorIdSaIdEE", "acc"},
    {"_ZNK2ns1SIfE5totalEv", "ns::S::total"},
    {"_ZN2ns1SILi12EE5totalEv", "ns::S::total"},
    {"_ZN1AIA3_iN1BIiE1CEE1fEv", "A::f"},
    {"_ZSt4sortIN9__gnu_cxx17__normal_iteratorIPiSt6vectorIiSaIiEEEEEvT_S7_", "std::sort"},
    {"_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector::push_back"},
    {"main", NULL},
    {"_Z", NULL},
    {"_ZN", NULL},
    {"_ZN3ab", NULL},
    {"_Z99short", NULL},
    {"_Z99999999999999999999f", NULL},
    {"_ZN1AIiEv", NULL},
    {"_ZN1AI", NULL},
};

static const struct {
    const char *wanted, *symbol;
    bool meant;
} meanings[] = {
    {"total", "_ZNK2ns1SIfE5totalEv", true},
    {"S::total", "_ZNK2ns1SIfE5totalEv", true},
    {"ns::S<float>::total() const", "_ZNK2ns1SIfE5totalEv", true},
    {"otal", "_ZNK2ns1SIfE5totalEv", false},
    {"ns", "_ZNK2ns1SIfE5totalEv", false},
    {"", "_ZNK2ns1SIfE5totalEv", false},
    {"f", "f.isra.0", true},
    {"f", "f.isra.0.cold", false},
    {"f", "g.isra.0", false},
    {"f", ".f", false},
    {"acc", "_Z3accv.part.0", true},
};

int main(void)
{
    char name[64];

    for (size_t i = 0; i < sizeof(readings) / sizeof(readings[0]); i++) {
        const bool read = am_name_read(readings[i].symbol, name, sizeof(name));

        ok(read == (readings[i].name != NULL) && (!read || strcmp(name, readings[i].name) == 0),
           "%s is read as %s", readings[i].symbol, read ? name : "nothing");
    }
    ok(!am_name_read("_ZNK2ns1SIfE5totalEv", name, 8), "a name that does not fit is not read");
    for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
        ok(am_name_is_meant(meanings[i].wanted, meanings[i].symbol) == meanings[i].meant,
           "'%s' %s %s", meanings[i].wanted, meanings[i].meant ? "means" : "does not mean",
           meanings[i].symbol);
    return tap_done();
}
