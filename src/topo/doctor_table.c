/* SPDX-License-Identifier: MIT */
/* doctor: what each check means, what a warning does to a measurement, and what helps. */
#include "topo/doctor_check.h"

#include "topo/energy_remedies.h"

/* Shell lines that set one value in every file of a pattern. Old values go first, as commands that
 * put them back, into the file named by AM_RESTORE; the choice in brackets of files like
 * transparent_hugepage/enabled is the old value. What is already set is passed over, so that a
 * second run of the script does not bury the first one's old values. */
#define RESTORE_FILE "\"${AM_RESTORE:-archmeter-restore.sh}\""
#define SET_FILES(pattern, value)                                                                  \
    "for f in " pattern "; do\n"                                                                   \
    "    [ -e \"$f\" ] || continue\n"                                                              \
    "    old=$(sed 's/.*\\[\\(.*\\)\\].*/\\1/' \"$f\")\n"                                          \
    "    [ \"$old\" != " value " ] || continue\n"                                                  \
    "    printf 'echo %s >%s\\n' \"$old\" \"$f\" >>" RESTORE_FILE "\n"                             \
    "    echo " value " >\"$f\"\n"                                                                 \
    "done\n"

/* The same, with the value of another file of the same directory. */
#define COPY_FILES(pattern, to, from)                                                              \
    "for d in " pattern "; do\n"                                                                   \
    "    [ -e \"$d/" from "\" ] || continue\n"                                                     \
    "    old=$(cat \"$d/" to "\")\n"                                                               \
    "    [ \"$old\" != \"$(cat \"$d/" from "\")\" ] || continue\n"                                 \
    "    printf 'echo %s >%s\\n' \"$old\" \"$d/" to "\" >>" RESTORE_FILE "\n"                      \
    "    cat \"$d/" from "\" >\"$d/" to "\"\n"                                                     \
    "done\n"

/* Lets everybody read the files; modes are compared, because root can read whatever they say. */
#define OPEN_FILES(pattern)                                                                        \
    "for f in " pattern "; do\n"                                                                   \
    "    [ -e \"$f\" ] || continue\n"                                                              \
    "    old=$(stat -L -c %a \"$f\")\n"                                                            \
    "    chmod a+r \"$f\"\n"                                                                       \
    "    [ \"$old\" != \"$(stat -L -c %a \"$f\")\" ] || continue\n"                                \
    "    printf 'chmod %s %s\\n' \"$old\" \"$f\" >>" RESTORE_FILE "\n"                             \
    "done\n"

const struct am_check am_checks[AM_CHECK_COUNT] = {
    [AM_CHECK_freq_driver] =
        {
            .area = "Frequency",
            .run = am_check_freq_driver,
            .explain = "The kernel driver that sets core frequencies. It decides what a governor's "
                       "name means: under intel_pstate and amd_pstate in active mode 'powersave' "
                       "still raises the clock, only later. Recorded with every run; never a "
                       "warning by itself.",
        },
    [AM_CHECK_freq_governor] =
        {
            .area = "Frequency",
            .run = am_check_freq_governor,
            .effect = "The core clock follows the load: short batches run slower than long ones, "
                      "and the first ones slowest.",
            .remedy = "Set the performance governor on every policy.",
            .explain =
                "Any governor but 'performance' raises the clock only after it has seen load "
                "for some milliseconds. Worker processes are young and short, so a ramp "
                "falls into their first samples. archmeter measures the core clock around "
                "every batch and labels drift, but it cannot give back the time.",
            .fix = SET_FILES("/sys/devices/system/cpu/cpufreq/policy*/scaling_governor",
                             "performance"),
        },
    [AM_CHECK_freq_preference] =
        {
            .area = "Frequency",
            .run = am_check_freq_preference,
            .effect = "The hardware weighs energy against speed and may hold the clock down.",
            .remedy = "Set the energy performance preference to 'performance' on every policy.",
            .explain = "With hardware-managed frequency (HWP, CPPC) the processor itself chooses "
                       "the clock between the limits, led by this hint. Under the performance "
                       "governor the kernel already sets it to 'performance'.",
            .fix =
                SET_FILES("/sys/devices/system/cpu/cpufreq/policy*/energy_performance_preference",
                          "performance"),
        },
    [AM_CHECK_freq_range] =
        {
            .area = "Frequency",
            .run = am_check_freq_range,
            .effect = "The highest frequency is capped below what the processor can do: peaks will "
                      "be too low.",
            .remedy = "Raise scaling_max_freq to cpuinfo_max_freq, or keep the cap and say so "
                      "beside the results.",
            .explain = "A cap is a legitimate way to make results repeatable, and a trap when it "
                       "was forgotten. The value gives the highest cap and the mean over all "
                       "policies.",
            .fix = COPY_FILES("/sys/devices/system/cpu/cpufreq/policy*", "scaling_max_freq",
                              "cpuinfo_max_freq"),
        },
    [AM_CHECK_freq_boost] =
        {
            .area = "Frequency",
            .run = am_check_freq_boost,
            .explain = "Boost (turbo) lets cores exceed their nominal clock while power and heat "
                       "allow. It is recorded as a factor of the experiment and not called wrong: "
                       "with it the machine is measured as it is used, without it results repeat "
                       "better.",
        },
    [AM_CHECK_freq_measured] =
        {
            .area = "Frequency",
            .run = am_check_freq_measured,
            .live = true,
            .effect =
                "The core clock changes between short probes: times of equal work will differ "
                "as much.",
            .remedy = "Fix the frequency (governor, boost), or wait until the machine is idle and "
                      "cool.",
            .explain = "A chain of dependent one-cycle additions is timed five times with pauses. "
                       "No counter or permission is needed, so this works inside virtual machines, "
                       "where the kernel's frequency files are missing or made up.",
        },
    [AM_CHECK_throttle_thermal] =
        {
            .area = "Throttling",
            .run = am_check_throttle_thermal,
            .effect = "Cores have been slowed down by heat since boot; long runs may be again.",
            .remedy = "Improve cooling, lower the room's temperature, or run shorter pieces with "
                      "pauses.",
            .explain = "The kernel counts the times a core or package passed its critical "
                       "temperature. A count that stands still is history; one that grows during a "
                       "run explains samples that became slower.",
        },
    [AM_CHECK_throttle_power_limit] =
        {
            .area = "Throttling",
            .run = am_check_throttle_power_limit,
            .effect = "The long-term power limit is set below the vendor's: sustained vector work "
                      "will be throttled.",
            .remedy = "Restore the limit (constraint_0_max_power_uw) or record it as part of the "
                      "machine.",
            .explain = "RAPL enforces an average power. Below the vendor's maximum, wide vector "
                       "code meets the limit after some seconds, and its frequency falls.",
        },
    [AM_CHECK_throttle_battery] =
        {
            .area = "Throttling",
            .run = am_check_throttle_battery,
            .effect = "On battery the firmware lowers power limits and clocks.",
            .remedy = "Connect the mains supply and wait until charging no longer heats the "
                      "machine.",
            .explain = "Laptops change power limits, governors and boost at the moment the supply "
                       "is pulled. Results taken on battery are comparable with nothing else.",
        },
    [AM_CHECK_load_average] =
        {
            .area = "Interference",
            .run = am_check_load_average,
            .effect = "Other programs compete for CPUs, caches, memory bandwidth and boost.",
            .remedy = "Stop other work, or wait; the figure is a one-minute average and falls "
                      "slowly.",
            .explain =
                "The load average counts threads that run or want to run. Above 0.5, or "
                "above 5 % of the CPUs where there are many, a measuring thread is likely to "
                "share its core or its memory with somebody.",
        },
    [AM_CHECK_load_pressure] =
        {
            .area = "Interference",
            .run = am_check_load_pressure,
            .effect = "Threads wait for CPUs: batches are interrupted.",
            .remedy = "Stop other work; inside a container or virtual machine ask what runs beside "
                      "it.",
            .explain = "Pressure stall information gives the share of time in which at least one "
                       "thread waited for a CPU. It reacts within seconds, where the load average "
                       "takes minutes.",
        },
    [AM_CHECK_load_runnable] =
        {
            .area = "Interference",
            .run = am_check_load_runnable,
            .effect = "Other threads want CPUs at this very moment.",
            .remedy = "Stop other work.",
            .explain = "A snapshot of the threads that run or could run, without the one that "
                       "looks. A single one on a machine with many CPUs is harmless; more than one "
                       "for eight CPUs is not.",
        },
    [AM_CHECK_load_steal] =
        {
            .area = "Interference",
            .run = am_check_load_steal,
            .effect =
                "The hypervisor runs something else on our CPUs: times contain pauses that no "
                "file inside the guest explains.",
            .remedy = "Ask for dedicated CPUs, or repeat at a quieter time. Samples with steal are "
                      "labelled.",
            .explain = "Steal is time in which a virtual CPU wanted to run and was not let. It is "
                       "read since boot and over a quarter of a second now; the counter's grain is "
                       "one tick, usually 10 ms.",
        },
    [AM_CHECK_limits_quota] =
        {
            .area = "CPU limits",
            .run = am_check_limits_quota,
            .effect = "The quota is smaller than the number of CPUs: with that many threads the "
                      "kernel stops all of them for the rest of each period, and times grow by "
                      "multiples.",
            .remedy = "Raise the quota of the container (docker: --cpus, kubernetes: limits.cpu), "
                      "or run with at most as many threads as the quota has CPUs (-p threads=...).",
            .explain = "Control groups limit CPU time per period (cpu.max, cpu.cfs_quota_us), for "
                       "the group and all its ancestors. OpenMP runtimes size their teams by the "
                       "CPUs they see and ignore the quota; a collapse by a factor of 45 has been "
                       "reported.",
        },
    [AM_CHECK_limits_throttled] =
        {
            .area = "CPU limits",
            .run = am_check_limits_throttled,
            .effect = "This control group has been stopped by its quota before and will be again "
                      "under load.",
            .remedy = "Raise the quota, or use fewer threads.",
            .explain = "nr_throttled of cpu.stat counts the periods in which the group used up its "
                       "quota. The largest count of the group and its ancestors is shown.",
        },
    [AM_CHECK_limits_cpuset] =
        {
            .area = "CPU limits",
            .run = am_check_limits_cpuset,
            .effect = "Only some of the machine's CPUs may be used: whole-machine results are "
                      "results of this part.",
            .remedy = "Widen the cpuset, or name the part beside the results.",
            .explain = "A cpuset confines processes to some CPUs. archmeter places threads inside "
                       "it; caches and memory are still shared with whatever runs outside.",
        },
    [AM_CHECK_limits_affinity] =
        {
            .area = "CPU limits",
            .run = am_check_limits_affinity,
            .live = true,
            .effect = "The process was started with some CPUs only (taskset, a job system).",
            .remedy = "Start archmeter without an affinity mask, or name the mask beside the "
                      "results.",
            .explain = "archmeter intersects the machine's CPUs with the mask it was given and "
                       "never leaves it.",
        },
    [AM_CHECK_limits_offline] =
        {
            .area = "CPU limits",
            .run = am_check_limits_offline,
            .effect = "Some CPUs are switched off: the machine measured is smaller than the one "
                      "built.",
            .remedy = "Switch them on (echo 1 > /sys/devices/system/cpu/cpuN/online) if that was "
                      "not intended.",
            .explain = "Present CPUs against online ones. Switching SMT off this way is a common "
                       "and legitimate choice; it is shown so that nobody forgets it.",
        },
    [AM_CHECK_topology_smt] =
        {
            .area = "Topology",
            .run = am_check_topology_smt,
            .explain = "Hardware threads of one core share its execution units and its first "
                       "caches. archmeter places one thread per core before it uses siblings, and "
                       "records which CPUs were used.",
        },
    [AM_CHECK_topology_packages] =
        {
            .area = "Topology",
            .run = am_check_topology_packages,
            .explain = "Threads of different packages talk over the interconnect. Placement fills "
                       "one package before the next.",
        },
    [AM_CHECK_topology_numa] =
        {
            .area = "Topology",
            .run = am_check_topology_numa,
            .explain = "Memory belongs to nodes; remote access is slower. Workers touch their "
                       "memory first on the CPU that uses it.",
        },
    [AM_CHECK_topology_isolated] =
        {
            .area = "Topology",
            .run = am_check_topology_isolated,
            .explain =
                "CPUs kept free of other threads (isolcpus) or of the timer tick (nohz_full) "
                "measure with less noise. They are used when the affinity mask names them.",
        },
    [AM_CHECK_topology_kinds] =
        {
            .area = "Topology",
            .run = am_check_topology_kinds,
            .effect =
                "Cores of different kinds: a thread's speed depends on where it runs, and one "
                "slow core holds up a whole parallel loop.",
            .remedy = "Compare like with like: restrict runs to one kind of core with taskset.",
            .explain = "Hybrid machines mix fast and frugal cores. archmeter uses the fastest kind "
                       "first; results with more threads than such cores mix kinds.",
        },
    [AM_CHECK_memory_thp] =
        {
            .area = "Memory",
            .run = am_check_memory_thp,
            .effect = "Large buffers get huge pages or not, depending on how memory happens to be "
                      "fragmented: latency and bandwidth differ between launches.",
            .remedy = "Set transparent huge pages to 'madvise': programs then get them only when "
                      "they ask.",
            .explain = "With 'always' the kernel also merges pages in the background while a "
                       "measurement runs. 'madvise' and 'never' are both repeatable.",
            .fix = SET_FILES("/sys/kernel/mm/transparent_hugepage/enabled", "madvise"),
        },
    [AM_CHECK_memory_hugepages] =
        {
            .area = "Memory",
            .run = am_check_memory_hugepages,
            .explain = "Pages of the reserved pool serve only programs that ask for them by name; "
                       "they are missing from free memory.",
        },
    [AM_CHECK_memory_numa_balancing] =
        {
            .area = "Memory",
            .run = am_check_memory_numa_balancing,
            .effect = "The kernel unmaps pages to see who touches them and moves them between "
                      "nodes: faults fall into timed regions.",
            .remedy = "Switch automatic NUMA balancing off while measuring.",
            .explain = "Useful for programs that do not place their memory, harmful for those that "
                       "do. With one node it has nothing to do.",
            .fix = SET_FILES("/proc/sys/kernel/numa_balancing", "0"),
        },
    [AM_CHECK_memory_swap] =
        {
            .area = "Memory",
            .run = am_check_memory_swap,
            .effect = "Memory has been swapped out: touching it again costs milliseconds, in the "
                      "middle of a sample.",
            .remedy = "Free memory, then swapoff and swapon; or choose smaller sizes.",
            .explain = "Swap space in use above 1 % of memory. Swap that exists and is not used "
                       "does no harm.",
        },
    [AM_CHECK_memory_free] =
        {
            .area = "Memory",
            .run = am_check_memory_free,
            .effect = "Little memory is available: large sizes will be refused or will push other "
                      "data out.",
            .remedy = "Stop programs that hold memory, or bound the sizes (-p size=...).",
            .explain = "The kernel's estimate of what can be had without swapping, against all "
                       "memory; below a quarter is a warning.",
        },
    [AM_CHECK_memory_nodes] =
        {
            .area = "Memory",
            .run = am_check_memory_nodes,
            .effect = "A node is full: new pages come from another one and are slower, without any "
                      "sign in the program.",
            .remedy = "Drop the page cache (sync; echo 1 > /proc/sys/vm/drop_caches) before "
                      "measuring.",
            .explain =
                "Free memory of the fullest node. The page cache fills nodes unevenly; local "
                "allocation then overflows silently.",
        },
    [AM_CHECK_memory_zone_reclaim] =
        {
            .area = "Memory",
            .run = am_check_memory_zone_reclaim,
            .effect = "Allocations clean up the local node before they use another: pauses fall "
                      "into timed regions.",
            .remedy = "Set vm.zone_reclaim_mode to 0 while measuring.",
            .explain = "Off by default for years; some vendors' tuning guides switch it on.",
            .fix = SET_FILES("/proc/sys/vm/zone_reclaim_mode", "0"),
        },
    [AM_CHECK_layout_aslr] =
        {
            .area = "Address layout",
            .run = am_check_layout_aslr,
            .explain =
                "Address randomisation changes alignments and cache conflicts from process "
                "to process. Some guides switch it off, which only fixes one unknown layout "
                "for all results. archmeter starts many processes and lets the launch be the "
                "unit of its statistics, so that layouts are averaged; the state is recorded "
                "and never called wrong.",
        },
    [AM_CHECK_kernel_perf] =
        {
            .area = "Kernel",
            .run = am_check_kernel_perf,
            .effect = "Hardware counters cannot be opened by this user.",
            .remedy =
                "sysctl kernel.perf_event_paranoid=2 (own processes, user space), or give the "
                "worker CAP_PERFMON.",
            .explain = "Up to 2 a process may count its own user-space events. Debian and others "
                       "ship 3 or 4, which forbids even that.",
            .fix = SET_FILES("/proc/sys/kernel/perf_event_paranoid", "2"),
        },
    [AM_CHECK_kernel_watchdog] =
        {
            .area = "Kernel",
            .run = am_check_kernel_watchdog,
            .effect = "The NMI watchdog holds one hardware counter and interrupts every CPU "
                      "regularly.",
            .remedy = "sysctl kernel.nmi_watchdog=0 while measuring.",
            .explain = "It finds hard lock-ups of the kernel with a cycle counter of each CPU. "
                       "Groups of events that need all counters are then multiplexed.",
            .fix = SET_FILES("/proc/sys/kernel/nmi_watchdog", "0"),
        },
    [AM_CHECK_kernel_mitigations] =
        {
            .area = "Kernel",
            .run = am_check_kernel_mitigations,
            .explain =
                "Mitigations of processor weaknesses make system calls, context switches and "
                "indirect branches slower. Benches that stay in user space barely notice. "
                "Recorded as a factor; switching them off is a decision about security and "
                "not advised for the sake of a measurement.",
        },
    [AM_CHECK_kernel_clock_source] =
        {
            .area = "Kernel",
            .run = am_check_kernel_clock_source,
            .effect = "Reading the clock is slow or coarse: short batches carry an error.",
            .remedy = "Boot with clocksource=tsc where the processor's counter is stable "
                      "(constant_tsc, nonstop_tsc).",
            .explain = "The time-stamp counter is read in some 20 ns without a system call. hpet "
                       "and acpi_pm take a microsecond; a kernel that chose them distrusted the "
                       "counter, often for a good reason.",
        },
    [AM_CHECK_kernel_timer] =
        {
            .area = "Kernel",
            .run = am_check_kernel_timer,
            .live = true,
            .effect = "One reading of the clock takes long: the sampler must use longer batches.",
            .remedy = "See kernel.clock_source.",
            .explain = "The median cost of a reading and the smallest step, measured here and now. "
                       "Above 200 ns the vDSO is not used and each reading is a system call.",
        },
    [AM_CHECK_virt_machine] =
        {
            .area = "Virtualisation",
            .run = am_check_virt_machine,
            .effect = "A virtual machine: frequencies, caches, topology and energy may be "
                      "fictitious, and neighbours invisible.",
            .remedy = "Compare results of the same machine and hour only, or measure on hardware.",
            .explain = "Found by the processor's hypervisor flag, firmware strings or the device "
                       "tree. Cache sizes and core numbers are what the hypervisor chose to say; "
                       "archmeter's own measurements are the better witness.",
        },
    [AM_CHECK_virt_container] =
        {
            .area = "Virtualisation",
            .run = am_check_virt_container,
            .effect =
                "A container: limits may apply, other containers share the machine, and files "
                "of the host are hidden.",
            .remedy = "Look at the CPU limits above; measure on the host where that is possible.",
            .explain = "A container costs a computation nothing by itself. What disturbs is what "
                       "comes with it: quotas, cpusets, and neighbours on the same machine.",
        },
    [AM_CHECK_energy_powercap] =
        {
            .area = "Energy",
            .run = am_check_energy_powercap,
            .effect = "The energy counters exist but may not be read: no energy results.",
            .remedy = AM_REMEDY_POWERCAP,
            .explain = "powercap shows RAPL's counters in microjoules, readable by root only since "
                       "Linux 5.10. Zones overlap (psys contains package contains core) and may be "
                       "shown twice, by MSR and by MMIO; they are never added up.",
            .fix = OPEN_FILES("/sys/class/powercap/*/energy_uj"),
        },
    [AM_CHECK_energy_perf] =
        {
            .area = "Energy",
            .run = am_check_energy_perf,
            .effect = "The energy events of perf exist but may not be opened: no energy results "
                      "from them.",
            .remedy = AM_REMEDY_PERF,
            .explain = "The power PMU counts energy with 64 bits and for the whole system, so it "
                       "needs more permission than a process's own events.",
        },
    [AM_CHECK_energy_msr] =
        {
            .area = "Energy",
            .run = am_check_energy_msr,
            .explain =
                "The processor's own energy registers, where neither perf nor powercap shows them: "
                "archmeter reads them with --meter-msr, as root with the kernel's module msr "
                "(modprobe msr).",
        },
    [AM_CHECK_energy_hwmon] =
        {
            .area = "Energy",
            .run = am_check_energy_hwmon,
            .effect = "Power sensors exist but may not be read.",
            .remedy = AM_REMEDY_HWMON,
            .explain = "Boards and power supplies show power or energy through hwmon. Many average "
                       "over seconds; the interval is read and kept with the results.",
        },
    [AM_CHECK_energy_nvml] =
        {
            .area = "Energy",
            .run = am_check_energy_nvml,
            .effect = "An NVIDIA driver is loaded, but its device file may not be opened, or its "
                      "library is missing: no GPU power.",
            .remedy = AM_REMEDY_NVML,
            .explain = "NVML reads a GPU's energy counter and power through this device file. The "
                       "library is loaded at run time and not needed to build.",
        },
    [AM_CHECK_build_optimisation] =
        {
            .area = "Build",
            .run = am_check_build_optimisation,
            .effect = "Compiled without optimisation: nothing measured with this program means "
                      "anything.",
            .remedy = "meson configure -Dbuildtype=release, then build again.",
            .explain =
                "The compiler itself says whether it optimised. Kernels carry flags of their "
                "own, but the engine around them would be slow.",
        },
    [AM_CHECK_build_assertions] =
        {
            .area = "Build",
            .run = am_check_build_assertions,
            .explain = "Assertions stand outside timed regions and cost a measurement nothing. "
                       "Recorded with the build.",
        },
    [AM_CHECK_build_sanitizers] =
        {
            .area = "Build",
            .run = am_check_build_sanitizers,
            .effect = "Built with sanitizers: every memory access is checked, times are several "
                      "times too long.",
            .remedy = "meson configure -Db_sanitize=none, then build again.",
            .explain = "Sanitizer builds are for tests. A run is possible, its results are not "
                       "comparable with anything.",
        },
    [AM_CHECK_build_environment] =
        {
            .area = "Build",
            .run = am_check_build_environment,
            .live = true,
            .effect = "Variables in the environment steer runtimes: threads, binding or allocation "
                      "differ from the defaults.",
            .remedy = "Unset them, unless they are what you want to measure; they are stored with "
                      "the run.",
            .explain =
                "OMP_NUM_THREADS, GOMP_CPU_AFFINITY, LD_PRELOAD, GLIBC_TUNABLES and their "
                "kin outlive the session in which somebody set them. The conductor sets what "
                "a bench needs by itself.",
        },
    [AM_CHECK_noise_detour] =
        {
            .area = "Noise",
            .run = am_check_noise_detour,
            .live = true,
            .effect = "The CPU is taken away for more than 1 % of the time: interrupts, other "
                      "threads or the hypervisor.",
            .remedy =
                "Look at load and steal above; stop services, or measure on CPUs kept free of "
                "them.",
            .explain = "Half of the probe repeats a fixed quantum of work (0.1 ms) and sums what "
                       "exceeds the median quantum; half reads the clock without pause and sums "
                       "gaps above one microsecond. Both are given as shares of the time.",
        },
    [AM_CHECK_store_writable] =
        {
            .area = "Store",
            .run = am_check_store_writable,
            .live = true,
            .effect = "The results file cannot be written.",
            .remedy = "Choose another place with -o, or correct the permissions.",
            .explain =
                "The directory must exist and be writable: SQLite keeps a journal beside the "
                "file.",
        },
    [AM_CHECK_store_space] =
        {
            .area = "Store",
            .run = am_check_store_space,
            .live = true,
            .effect = "Little space is left: a long run may not be kept to its end.",
            .remedy = "Free some space or choose another place with -o.",
            .explain = "A run takes a few MiB. Below 1 GiB is a warning, below 16 MiB an error.",
        },
    [AM_CHECK_store_filesystem] =
        {
            .area = "Store",
            .run = am_check_store_filesystem,
            .live = true,
            .effect = "A network, user-space or memory file system: locks and flushes may be slow "
                      "or missing, or the file is gone after a restart.",
            .remedy = "Write the run to a local disk with -o and copy it afterwards.",
            .explain = "One writer and a rollback journal are the most cautious way to use SQLite, "
                       "but some shared file systems promise locks and durability that they do not "
                       "keep. tmpfs is fast and forgets.",
        },
    [AM_CHECK_store_locks] =
        {
            .area = "Store",
            .run = am_check_store_locks,
            .live = true,
            .effect = "File locks do not work here: two programs could write one results file at "
                      "once.",
            .remedy = "Choose a local directory with -o.",
            .explain = "A nameless file is made and locked twice through two descriptors; the "
                       "second lock must be refused. Nothing is left behind.",
        },
};
