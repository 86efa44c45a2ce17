/* SPDX-License-Identifier: MIT */
/* Is this a virtual machine, is this a container: from the traces each leaves in files. */
#include "topo/probe.h"

#include "base/text.h"

#include <string.h>

struct trace {
    const char *word, *name;
};

/* Firmware strings of virtual machines. EC2's and Google's own names stand for KVM only together
 * with the CPU's hypervisor flag: their bare-metal machines carry them too. */
static const struct trace firmware[] = {
    {"KVM", "kvm"},
    {"QEMU", "qemu"},
    {"VMware", "vmware"},
    {"VMW", "vmware"},
    {"innotek GmbH", "virtualbox"},
    {"VirtualBox", "virtualbox"},
    {"Xen", "xen"},
    {"Bochs", "bochs"},
    {"Parallels", "parallels"},
    {"BHYVE", "bhyve"},
    {"Hyper-V", "hyper-v"},
    {"Virtual Machine", "hyper-v"},
    {"OpenStack", "kvm"},
    {"Apple Virtualization", "apple"},
};
static const struct trace clouds[] = {
    {"Amazon EC2", "kvm (ec2)"},
    {"Google", "kvm (google)"},
    {"DigitalOcean", "kvm (digitalocean)"},
    {"Alibaba", "kvm (alibaba)"},
};
static const char *const firmware_files[] = {
    "sys/class/dmi/id/product_name",
    "sys/class/dmi/id/sys_vendor",
    "sys/class/dmi/id/board_vendor",
    "sys/class/dmi/id/bios_vendor",
};
static const struct trace group_words[] = {
    {"/docker", "docker"}, {"kubepods", "kubernetes"},   {"/lxc", "lxc"},
    {"libpod", "podman"},  {"containerd", "containerd"},
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char *match(const struct trace *traces, size_t n, const char *text)
{
    for (size_t i = 0; i < n; i++) {
        if (strstr(text, traces[i].word))
            return traces[i].name;
    }
    return NULL;
}

/* Returns the name or NULL; `any` tells whether there was firmware information at all. */
static const char *by_firmware(const struct am_fsroot *root, const struct trace *traces, size_t n,
                               bool *any)
{
    for (size_t i = 0; i < COUNT(firmware_files); i++) {
        char text[AM_PROBE_CAP];
        const char *name;

        if (!am_probe_line(root, firmware_files[i], text, sizeof(text)))
            continue;
        *any = true;
        name = match(traces, n, text);
        if (name)
            return name;
    }
    return NULL;
}

/* True when the CPU's flags name a hypervisor; `x86` when flags of that kind exist at all. */
static bool hypervisor_flag(const struct am_fsroot *root, bool *x86)
{
    char flags[4096];
    const char *at;

    *x86 = am_probe_cpuinfo(root, "flags", flags, sizeof(flags));
    at = *x86 ? strstr(flags, "hypervisor") : NULL;
    return at && (at == flags || at[-1] == ' ');
}

void am_probe_virtualisation(const struct am_fsroot *root, char *buf, size_t cap)
{
    bool x86, dmi = false;
    const bool flag = hypervisor_flag(root, &x86);
    const char *name = by_firmware(root, firmware, COUNT(firmware), &dmi);

    if (!name && flag)
        name = by_firmware(root, clouds, COUNT(clouds), &dmi);
    if (!name && am_probe_line(root, "sys/hypervisor/type", buf, cap))
        return;
    if (!name && am_fsroot_exists(root, "proc/device-tree/hypervisor"))
        name = "hypervisor";
    if (!name)
        name = flag ? "hypervisor" : (x86 || dmi ? "none" : "unknown");
    (void)am_str_copy(buf, cap, name);
}

void am_probe_container(const struct am_fsroot *root, char *buf, size_t cap)
{
    char text[4096];
    const char *name = NULL;

    if (am_fsroot_exists(root, ".dockerenv"))
        name = "docker";
    else if (am_fsroot_exists(root, "run/.containerenv"))
        name = "podman";
    else if (am_probe_line(root, "run/systemd/container", buf, cap))
        return;
    if (!name && am_fsroot_read(root, "proc/self/cgroup", text, sizeof(text)) > 0)
        name = match(group_words, COUNT(group_words), text);
    if (!name)
        name = am_fsroot_exists(root, "proc/self/cgroup") ? "none" : "unknown";
    (void)am_str_copy(buf, cap, name);
}
