# SPDX-License-Identifier: GPL-2.0
"""The command line that runs a User-Mode Linux guest."""

from . import build, host, setup


# Removing a drive or an array waits for several grace periods of RCU. By default the kernel
# lets some jiffies, of 10 ms each, pass before it looks whether one is over.
QUICK_RCU = ("rcutree.jiffies_till_first_fqs=0", "rcutree.jiffies_till_next_fqs=1")


def command(guest, run, options, console_fd, output_fd):
    """argv for one run; the guest's consoles are the given descriptors.

    UML runs inside the root file system it serves: it is linked against the
    libraries there, and it cannot touch anything else of the machine.
    """
    # Only with seccomp=on does UML have more than one CPU. Descriptors, not
    # ttys: pipes lose nothing.
    terminal = "fd:0,fd:1" if options.shell else f"null,fd:{output_fd}"
    linux = ["/kernel/linux", "seccomp=on", f"mem={options.mem or '3G'}",
             f"ncpus={options.cpus}", "root=/dev/root", "rootfstype=hostfs",
             "rootflags=/", "ro", "init=/ctl/uml-init", "con=null",
             f"con0=null,fd:{console_fd}", f"con1={terminal}",
             "console=tty0", "loglevel=6", "panic=0", *QUICK_RCU]
    linux += options.kernel_args.split()
    binds = build.chroot_binds(guest, run.shares["build"])
    binds["/lab"] = run.shares["lab"]
    binds["/ctl"] = run.shares["ctl"]
    return host.chroot_argv(setup.root_dir(guest), binds, linux,
                            env={"TMPDIR": "/dev/shm", "HOME": "/tmp"})
