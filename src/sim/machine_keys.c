/* SPDX-License-Identifier: MIT */
/* The format of machine descriptions, one row per key, and its reference as text. */
#include "sim/machine_keys.h"

#define AT(type, member) offsetof(struct type, member)
#define ROOM(type, member) sizeof(((struct type *)NULL)->member)

static const char *const numberings[] = {"spread", "adjacent", NULL};
static const char *const policies[] = {"lru", "coloured", "random", "best", NULL};
static const char *const fills[] = {"inclusive", "exclusive", "victim", NULL};
static const char *const page_kinds[] = {"small", "huge", "both", NULL};
static const char *const protocols[] = {"mesi", "mesif", "moesi", NULL};

#define M(member) AT(am_sim_machine, member)
static const struct am_sim_key machine_keys[] = {
    {"name", AM_SIM_TEXT, M(name), 0, 0, NULL, NULL, "what results are stamped with"},
    {"vendor", AM_SIM_TEXT, M(vendor), 0, 0, NULL, NULL, "vendor as /proc/cpuinfo says it"},
    {"model", AM_SIM_TEXT, M(model), 0, 0, NULL, NULL, "model name of the processor"},
    {"arch", AM_SIM_TEXT, M(arch), 0, 0, "x86_64", NULL, "architecture as `uname -m` says it"},
    {"features", AM_SIM_TEXT, M(features), 0, 0, "fpu sse2", NULL, "flags of /proc/cpuinfo"},
    {"family", AM_SIM_COUNT, M(family), 0, 1e6, "6", NULL, "family number"},
    {"model_number", AM_SIM_COUNT, M(model_number), 0, 1e6, "1", NULL, "model number"},
    {"stepping", AM_SIM_COUNT, M(stepping), 0, 1e6, "1", NULL, "stepping"},
    {"packages", AM_SIM_COUNT, M(packages), 1, 64, "1", NULL, "sockets"},
    {"numbering", AM_SIM_WORD, M(numbering), 0, 0, "spread", numberings,
     "CPU numbers: first threads of all cores first, or a core's threads side by side"},
    {"seed", AM_SIM_COUNT, M(seed), 0, 1e15, "1", NULL, "mixed into every launch's own"},
    {"instr", AM_SIM_INSTR, 0, 0, 1e6, "", NULL,
     "PATTERN LATENCY RECIPROCAL in cycles; the first match counts; may be repeated"},
    {0},
};

#define K(member) AT(am_sim_kind, member)
static const struct am_sim_key kind_keys[] = {
    {"cores", AM_SIM_COUNT, K(cores), 1, 1024, NULL, NULL, "cores of this kind per package"},
    {"smt", AM_SIM_COUNT, K(smt), 1, 8, "1", NULL, "hardware threads per core"},
    {"one_ghz", AM_SIM_NUMBER, K(one_ghz), 0.01, 20, NULL, NULL, "clock with one core busy"},
    {"all_ghz", AM_SIM_NUMBER, K(all_ghz), 0.01, 20, NULL, NULL, "clock with all cores busy"},
    {"stated_ghz", AM_SIM_NUMBER, K(stated_ghz), 0, 20, "0", NULL,
     "highest clock as cpufreq says; 0: that with one core busy"},
    {"capacity", AM_SIM_COUNT, K(capacity), 0, 1024, "0", NULL,
     "relative speed as Arm kernels say it (cpu_capacity); 0: not said"},
    {"fma_cycles", AM_SIM_NUMBER, K(fma_cycles), 1, 100, "4", NULL,
     "latency of floating-point products, fused or not"},
    {"add_cycles", AM_SIM_NUMBER, K(add_cycles), 0, 100, "0", NULL,
     "latency of floating-point additions; 0: as that of products"},
    {"thread_share", AM_SIM_NUMBER, K(thread_share), 0.01, 1, "1", NULL,
     "part of the pipes that one thread alone can keep busy"},
    {"add_pipes", AM_SIM_NUMBER, K(add_pipes), 0, 8, "0", NULL,
     "pipes that only add, for each that fuses"},
    {"move_bytes", AM_SIM_NUMBER, K(move_bytes), 1, 1024, "64", NULL,
     "bytes per cycle between registers and the first cache"},
    {"isa", AM_SIM_ISA, 0, 0, 65536, NULL, NULL,
     "NAME BITS PIPES ONE_GHZ ALL_GHZ: register width, fused multiply-adds per cycle, clocks "
     "under that load; rising, may be repeated"},
    {0},
};

#define C(member) AT(am_sim_cache, member)
static const struct am_sim_key cache_keys[] = {
    {"level", AM_SIM_COUNT, C(level), 1, 5, NULL, NULL, "1 is nearest to the core"},
    {"kind", AM_SIM_TEXT, C(kind), 0, 0, "", NULL,
     "kind of core that has it; left out: every kind"},
    {"size", AM_SIM_BYTES, C(size), 1024, 1e13, NULL, NULL, "bytes of an instance, as it is"},
    {"stated", AM_SIM_BYTES, C(stated), 0, 1e13, "0", NULL, "bytes as /sys says; 0: the same"},
    {"share", AM_SIM_SHARE, C(share), 1, 1024, "core", NULL,
     "who shares an instance: core, package, or a number of cores"},
    {"ways", AM_SIM_COUNT, C(ways), 1, 1024, "8", NULL, "associativity"},
    {"line", AM_SIM_BYTES, C(line), 16, 4096, "64", NULL, "bytes of a line"},
    {"policy", AM_SIM_WORD, C(policy), 0, 0, "lru", policies,
     "replacement: lru; coloured (lru, sets filled unevenly by page addresses); random; best "
     "(keeps what it can of too large per set)"},
    {"fill", AM_SIM_WORD, C(fill), 0, 0, "inclusive", fills,
     "exclusive and victim: capacities of this and the level before add up"},
    {"cycles", AM_SIM_NUMBER, C(cycles), 0, 10000, NULL, NULL, "load latency in core cycles"},
    {"ns", AM_SIM_NUMBER, C(ns), 0, 10000, "0", NULL, "load latency in its own clock, added"},
    {"bytes_per_cycle", AM_SIM_NUMBER, C(bytes_per_cycle), 0.01, 4096, NULL, NULL,
     "bandwidth of one core"},
    {"instance_gbs", AM_SIM_NUMBER, C(instance_gbs), 0, 1e6, "0", NULL,
     "bandwidth of an instance; 0: no limit"},
    {"share_least", AM_SIM_NUMBER, C(share_least), 0.01, 1, "1", NULL,
     "least part of an instance that a launch gets"},
    {"share_most", AM_SIM_NUMBER, C(share_most), 0.01, 1, "1", NULL,
     "most of it; drawn evenly per launch"},
    {"hidden", AM_SIM_FLAG, C(hidden), 0, 0, "no", NULL, "whether /sys does not list it"},
    {0},
};

#define T(member) AT(am_sim_tlb, member)
static const struct am_sim_key tlb_keys[] = {
    {"entries", AM_SIM_COUNT, T(entries), 1, 1e6, NULL, NULL, "translations held"},
    {"pages", AM_SIM_WORD, T(pages), 0, 0, "both", page_kinds, "pages that it serves"},
    {"miss_cycles", AM_SIM_NUMBER, T(miss_cycles), 0, 10000, NULL, NULL,
     "time of a miss: the next TLB's answer, or a walk"},
    {0},
};

#define Y(member) AT(am_sim_memory, member)
static const struct am_sim_key memory_keys[] = {
    {"nodes", AM_SIM_COUNT, Y(nodes), 1, 16, "1", NULL, "memory nodes per package"},
    {"size", AM_SIM_BYTES, Y(size), 1e6, 1e15, NULL, NULL, "bytes per node"},
    {"page", AM_SIM_BYTES, Y(page), 4096, 1e6, "4K", NULL, "small page"},
    {"huge", AM_SIM_BYTES, Y(huge), 65536, 2e9, "2M", NULL, "huge page"},
    {"thp", AM_SIM_FLAG, Y(thp), 0, 0, "yes", NULL, "large allocations get huge pages unasked"},
    {"latency_ns", AM_SIM_NUMBER, Y(latency_ns), 1, 100000, NULL, NULL,
     "load latency of the own node"},
    {"core_gbs", AM_SIM_NUMBER, Y(core_gbs), 0.001, 1e5, NULL, NULL, "read bandwidth of one core"},
    {"node_gbs", AM_SIM_NUMBER, Y(node_gbs), 0.001, 1e6, NULL, NULL, "read bandwidth of a node"},
    {"parallel", AM_SIM_NUMBER, Y(parallel), 1, 1000, "12", NULL, "misses under way per core"},
    {"near_ns", AM_SIM_NUMBER, Y(near_ns), 0, 100000, "0", NULL,
     "latency added by another node of the package"},
    {"far_ns", AM_SIM_NUMBER, Y(far_ns), 0, 100000, "0", NULL, "latency added by another package"},
    {"near_gbs", AM_SIM_NUMBER, Y(near_gbs), 0, 1e6, "0", NULL,
     "bandwidth from another node of the package; 0: as the own"},
    {"far_gbs", AM_SIM_NUMBER, Y(far_gbs), 0, 1e6, "0", NULL,
     "bandwidth from another package; 0: as the own"},
    {"write_share", AM_SIM_NUMBER, Y(write_share), 0.05, 1, "0.85", NULL,
     "bandwidth with writes relative to reading"},
    {"stated_channels", AM_SIM_COUNT, Y(stated_channels), 0, 64, "0", NULL,
     "channels of 64 bits as the firmware says; 0: it says nothing"},
    {"stated_mts", AM_SIM_COUNT, Y(stated_mts), 0, 65534, "0", NULL,
     "their transfers per microsecond, as the firmware says"},
    {0},
};

#define P(member) AT(am_sim_prefetch, member)
static const struct am_sim_key prefetch_keys[] = {
    {"streams", AM_SIM_FLAG, P(streams), 0, 0, "yes", NULL, "ascending walks are fetched ahead"},
    {"pairs", AM_SIM_FLAG, P(pairs), 0, 0, "no", NULL, "the neighbour of a line comes with it"},
    {"hides", AM_SIM_NUMBER, P(hides), 0, 1, "0.9", NULL, "part of the latency that it hides"},
    {"stride", AM_SIM_BYTES, P(stride), 8, 1e6, "2K", NULL, "longest step that it follows"},
    {0},
};

#define H(member) AT(am_sim_coherence, member)
static const struct am_sim_key coherence_keys[] = {
    {"protocol", AM_SIM_WORD, H(protocol), 0, 0, "mesi", protocols, "states that lines have"},
    {"sibling_ns", AM_SIM_NUMBER, H(sibling_ns), 0.1, 1e5, "5", NULL,
     "a modified line of the same core's other thread"},
    {"cluster_ns", AM_SIM_NUMBER, H(cluster_ns), 0.1, 1e5, "20", NULL,
     "of a core with a common cache below the package's"},
    {"package_ns", AM_SIM_NUMBER, H(package_ns), 0.1, 1e5, "50", NULL, "of the same package"},
    {"far_ns", AM_SIM_NUMBER, H(far_ns), 0.1, 1e5, "150", NULL, "of another package"},
    {"clean_share", AM_SIM_NUMBER, H(clean_share), 0.05, 2, "0.9", NULL,
     "time of a clean line relative to a modified one"},
    {0},
};

#define O(member) AT(am_sim_openmp, member)
static const struct am_sim_key openmp_keys[] = {
    {"fork_ns", AM_SIM_NUMBER, O(fork_ns), 0, 1e9, "400", NULL, "parallel region of one thread"},
    {"fork_log_ns", AM_SIM_NUMBER, O(fork_log_ns), 0, 1e9, "250", NULL,
     "added per doubling of threads"},
    {"barrier_ns", AM_SIM_NUMBER, O(barrier_ns), 0, 1e9, "50", NULL, "barrier of one thread"},
    {"barrier_log_ns", AM_SIM_NUMBER, O(barrier_log_ns), 0, 1e9, "200", NULL,
     "added per doubling of threads"},
    {"lock_ns", AM_SIM_NUMBER, O(lock_ns), 0, 1e9, "20", NULL, "lock without contention"},
    {"atomic_ns", AM_SIM_NUMBER, O(atomic_ns), 0, 1e9, "6", NULL, "atomic update, uncontended"},
    {"chunk_ns", AM_SIM_NUMBER, O(chunk_ns), 0, 1e9, "25", NULL, "chunk of a dynamic schedule"},
    {"task_ns", AM_SIM_NUMBER, O(task_ns), 0, 1e9, "150", NULL, "task on the thread that made it"},
    {"steal_ns", AM_SIM_NUMBER, O(steal_ns), 0, 1e9, "400", NULL, "added when another runs it"},
    {"start_us", AM_SIM_NUMBER, O(start_us), 0, 1e9, "30", NULL, "first region, per thread"},
    {"libomp", AM_SIM_NUMBER, O(libomp), 0.01, 100, "0.8", NULL,
     "libomp's times relative to libgomp's"},
    {0},
};

#define D(member) AT(am_sim_device, member)
static const struct am_sim_key device_keys[] = {
    {"gpu", AM_SIM_FLAG, D(gpu), 0, 0, "yes", NULL, "no: an OpenCL driver on the host's cores"},
    {"units", AM_SIM_COUNT, D(units), 1, 4096, NULL, NULL, "compute units"},
    {"lanes", AM_SIM_COUNT, D(lanes), 1, 4096, NULL, NULL,
     "single-precision fused multiply-adds per unit and cycle"},
    {"width", AM_SIM_COUNT, D(width), 1, 1024, "32", NULL, "work-items in lockstep"},
    {"ghz", AM_SIM_NUMBER, D(ghz), 0.01, 20, NULL, NULL, "clock"},
    {"double_share", AM_SIM_NUMBER, D(double_share), 0, 1, "0.5", NULL,
     "double precision relative to single; 0: none"},
    {"latency_cycles", AM_SIM_NUMBER, D(latency_cycles), 1, 1000, "4", NULL, "of one operation"},
    {"memory", AM_SIM_BYTES, D(memory), 1e6, 1e13, NULL, NULL, "bytes of its memory"},
    {"memory_gbs", AM_SIM_NUMBER, D(memory_gbs), 0.1, 1e5, NULL, NULL, "bandwidth of its memory"},
    {"memory_ns", AM_SIM_NUMBER, D(memory_ns), 1, 1e5, "500", NULL, "latency of its memory"},
    {"cache", AM_SIM_BYTES, D(cache), 0, 1e12, "4M", NULL, "last-level cache"},
    {"cache_gbs", AM_SIM_NUMBER, D(cache_gbs), 0.1, 1e6, "1000", NULL, "its bandwidth"},
    {"local_gbs", AM_SIM_NUMBER, D(local_gbs), 0.1, 1e6, "5000", NULL, "of all local memories"},
    {"link_gbs", AM_SIM_NUMBER, D(link_gbs), 0.01, 1e5, "12", NULL, "to and from the host, pinned"},
    {"pageable_share", AM_SIM_NUMBER, D(pageable_share), 0.01, 1, "0.5", NULL,
     "of that from pageable memory"},
    {"link_us", AM_SIM_NUMBER, D(link_us), 0, 1e6, "8", NULL, "beginning of a transfer"},
    {"launch_us", AM_SIM_NUMBER, D(launch_us), 0, 1e6, "10", NULL, "kernel start to end, empty"},
    {"enqueue_us", AM_SIM_NUMBER, D(enqueue_us), 0, 1e6, "3", NULL, "of it on the host"},
    {"build_ms", AM_SIM_NUMBER, D(build_ms), 0, 1e6, "20", NULL, "compiling per program"},
    {"open_ms", AM_SIM_NUMBER, D(open_ms), 0, 1e6, "50", NULL, "opening it for a point"},
    {0},
};

#define N(member) AT(am_sim_network, member)
static const struct am_sim_key network_keys[] = {
    {"latency_us", AM_SIM_NUMBER, N(latency_us), 0.01, 1e6, "1.5", NULL, "message between nodes"},
    {"gbs", AM_SIM_NUMBER, N(gbs), 0.001, 1e4, "12", NULL, "bandwidth between nodes"},
    {"shared_us", AM_SIM_NUMBER, N(shared_us), 0.01, 1e6, "0.4", NULL, "message within a node"},
    {"shared_gbs", AM_SIM_NUMBER, N(shared_gbs), 0.001, 1e4, "8", NULL, "bandwidth within a node"},
    {"eager", AM_SIM_BYTES, N(eager), 0, 1e9, "8K", NULL,
     "longest message without a handshake, which costs two messages"},
    {0},
};

#define S(member) AT(am_sim_noise, member)
static const struct am_sim_key noise_keys[] = {
    {"sample", AM_SIM_NUMBER, S(sample), 0, 1, "0.005", NULL,
     "relative standard deviation within a launch"},
    {"launch", AM_SIM_NUMBER, S(launch), 0, 1, "0.005", NULL, "the same between launches"},
    {"tail_chance", AM_SIM_NUMBER, S(tail_chance), 0, 1, "0.01", NULL, "samples slowed further"},
    {"tail", AM_SIM_NUMBER, S(tail), 0, 100, "0.1", NULL, "by an exponential of this mean"},
    {"mode_chance", AM_SIM_NUMBER, S(mode_chance), 0, 1, "0", NULL, "launches in a second mode"},
    {"mode", AM_SIM_NUMBER, S(mode), 0.1, 100, "1.3", NULL, "its relative time"},
    {"drift", AM_SIM_NUMBER, S(drift), -0.5, 10, "0", NULL, "relative time gained in the run"},
    {"drift_s", AM_SIM_NUMBER, S(drift_s), 0.001, 1e6, "60", NULL, "until it has been gained"},
    {"clock_ns", AM_SIM_NUMBER, S(clock_ns), 1, 1e5, "20", NULL, "time of reading the clock"},
    {"clock_step_ns", AM_SIM_NUMBER, S(clock_step_ns), 1, 1e6, "1", NULL, "its resolution"},
    {"cycle_error", AM_SIM_NUMBER, S(cycle_error), -0.9, 9, "0", NULL,
     "relative error of the core clock, and so of every count of cycles"},
    {0},
};

#define B(member) AT(am_sim_neighbour, member)
static const struct am_sim_key neighbour_keys[] = {
    {"on_s", AM_SIM_NUMBER, B(on_s), 0, 1e6, "0", NULL, "mean length of a visit; 0: nobody comes"},
    {"off_s", AM_SIM_NUMBER, B(off_s), 0.001, 1e6, "1", NULL, "mean length of an absence"},
    {"slow", AM_SIM_NUMBER, B(slow), 1, 1000, "1", NULL, "factor on time during a visit"},
    {"cache", AM_SIM_NUMBER, B(cache), 0, 0.99, "0", NULL, "part of shared caches that it takes"},
    {"memory", AM_SIM_NUMBER, B(memory), 0, 0.99, "0", NULL, "part of memory bandwidth"},
    {"steal", AM_SIM_FLAG, B(steal), 0, 0, "no", NULL, "the lost time is seen as stolen"},
    {"switches", AM_SIM_FLAG, B(switches), 0, 0, "no", NULL, "seen as involuntary switches"},
    {0},
};

#define G(member) AT(am_sim_system, member)
static const struct am_sim_key system_keys[] = {
    {"load", AM_SIM_NUMBER, G(load), 0, 1e5, "0.05", NULL, "load average when nobody visits"},
    {"pressure", AM_SIM_NUMBER, G(pressure), 0, 100, "0", NULL, "CPU pressure in per cent"},
    {"siblings", AM_SIM_FLAG, G(siblings), 0, 0, "yes", NULL,
     "whether /sys tells which threads share a core; no: each looks like a core"},
    {"governor", AM_SIM_TEXT, G(governor), 0, 0, "", NULL, "of cpufreq; left out: no cpufreq"},
    {"hypervisor", AM_SIM_TEXT, G(hypervisor), 0, 0, "", NULL,
     "vendor of the virtual machine; left out: bare metal"},
    {0},
};

#define W(member) AT(am_sim_power, member)
static const struct am_sim_key power_keys[] = {
    {"static_w", AM_SIM_NUMBER, W(static_w), 0, 1e5, "0", NULL,
     "at rest, W; 0: the machine has no energy meter"},
    {"core_w", AM_SIM_NUMBER, W(core_w), 0, 1e4, "5", NULL, "added by a core that works, W"},
    {"flop_pj", AM_SIM_NUMBER, W(flop_pj), 0, 1e6, "20", NULL, "added by an operation, pJ"},
    {"byte_pj", AM_SIM_NUMBER, W(byte_pj), 0, 1e6, "50", NULL, "added by a byte, pJ"},
    {0},
};

#define ONE(member, keys, help)                                                                    \
    {                                                                                              \
#member, false, M(member), 0, ROOM(am_sim_machine, member), 1, keys, help                  \
    }
#define MANY(word, member, most, keys, help)                                                       \
    {                                                                                              \
        word, true, M(member), M(n_##member), ROOM(am_sim_machine, member[0]), most, keys, help    \
    }

const struct am_sim_section am_sim_sections[] = {
    {"machine", false, 0, 0, sizeof(struct am_sim_machine), 1, machine_keys,
     "The processor as the system names it, and what belongs to no part."},
    MANY("kind", kinds, AM_SIM_KINDS_MAX, kind_keys,
         "A kind of core, the fastest first; at least one."),
    MANY("cache", caches, AM_SIM_CACHES_MAX, cache_keys, "A cache, from the nearest outwards."),
    MANY("tlb", tlbs, AM_SIM_TLBS_MAX, tlb_keys, "A level of address translation."),
    ONE(memory, memory_keys, "Memory and its pages."),
    ONE(prefetch, prefetch_keys, "What is fetched before it is asked for."),
    ONE(coherence, coherence_keys, "Lines in other cores' caches, by relation."),
    ONE(openmp, openmp_keys, "Costs of libgomp's constructs."),
    MANY("device", devices, AM_SIM_DEVICES_MAX, device_keys, "An OpenCL device."),
    ONE(network, network_keys, "Messages of MPI."),
    ONE(noise, noise_keys, "How times scatter."),
    ONE(neighbour, neighbour_keys, "Somebody else on the same hardware who comes and goes."),
    ONE(system, system_keys, "What the kernel says of its state."),
    ONE(power, power_keys, "Power of the package, which an energy meter shows."),
};
const size_t am_sim_section_count = sizeof(am_sim_sections) / sizeof(am_sim_sections[0]);

double am_sim_power_watts(const struct am_sim_power *power, double cores, double flops_s,
                          double bytes_s)
{
    return power->static_w + cores * power->core_w +
           1e-12 * (flops_s * power->flop_pj + bytes_s * power->byte_pj);
}

static void document_value(struct am_text *out, const struct am_sim_key *key)
{
    static const char *const names[] = {
        [AM_SIM_TEXT] = "text",     [AM_SIM_COUNT] = "count", [AM_SIM_BYTES] = "bytes",
        [AM_SIM_NUMBER] = "number", [AM_SIM_WORD] = "word",   [AM_SIM_FLAG] = "yes, no",
        [AM_SIM_SHARE] = "sharing", [AM_SIM_ISA] = "row",     [AM_SIM_INSTR] = "row"};

    if (key->value == AM_SIM_WORD) {
        for (size_t i = 0; key->choices[i]; i++)
            am_text_addf(out, "%s%s", i ? ", " : "", key->choices[i]);
    } else if (key->value == AM_SIM_COUNT || key->value == AM_SIM_BYTES ||
               key->value == AM_SIM_NUMBER) {
        am_text_addf(out, "%s %g to %g", names[key->value], key->least, key->most);
    } else {
        am_text_add(out, names[key->value]);
    }
}

void am_sim_machine_document(struct am_text *out)
{
    for (size_t i = 0; i < am_sim_section_count; i++) {
        const struct am_sim_section *const s = &am_sim_sections[i];

        am_text_addf(out, "### `[%s%s]`\n\n%s\n\n| key | value | left out | meaning |\n", s->name,
                     s->named ? " NAME" : "", s->help);
        am_text_add(out, "| --- | --- | --- | --- |\n");
        for (const struct am_sim_key *k = s->keys; k->name; k++) {
            am_text_addf(out, "| `%s` | ", k->name);
            document_value(out, k);
            am_text_addf(out, " | %s | %s |\n",
                         !k->dflt   ? "refused"
                         : *k->dflt ? k->dflt
                                    : "nothing",
                         k->help);
        }
        am_text_add(out, "\n");
    }
}
