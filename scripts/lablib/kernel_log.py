# SPDX-License-Identifier: GPL-2.0
"""What a guest's kernel log tells about a run."""

import re

START = "lab: command starts, boot "

SPLAT = re.compile(
    r"\bBUG: |kernel BUG|WARNING: |KASAN: |UBSAN: |\bOops\b|"
    r"possible recursive locking|inconsistent lock state|"
    r"circular locking|suspicious RCU|lock held when returning|"
    r"sleeping function called|scheduling while atomic|ODEBUG: |"
    r"INFO: task .* blocked|INFO: rcu|self-detected stall|soft lockup|"
    r"general protection fault|unable to handle|refcount_t: |"
    r"(list_add|list_del) corruption|workqueue lockup|"
    r"kmemleak: [1-9]\d* new suspected|Objects remaining|"
    r"Slab cache still has objects")
# kmemleak frees its first object on a UML CPU that is not online yet.
KNOWN_AT_BOOT = "Callback enqueued on offline CPU"
# User-Mode Linux walks the mappings of a process without the lock that this needs,
# when a ring of asynchronous I/O is freed after the process.
KNOWN_OF_UML = ("suspicious RCU", "flush_tlb_mm", "free_ioctx")
# QEMU without KVM sometimes reports the flags of a processor wrongly: the kernel
# then finds itself in a single step that nothing asked for. Bits 22 to 31 of
# EFLAGS are always 0 on a processor, so they tell such a mistake from a real one.
KNOWN_OF_QEMU = "exc_debug_kernel"
IMPOSSIBLE_FLAGS = re.compile(r"RSP: .* EFLAGS: (?!00[0-3])[0-9a-f]{8}\b")
PANIC = re.compile(r"Kernel panic - not syncing")


def lines_of(text):
    return text.replace("\r", "").splitlines()


def of_commands(lines):
    """The lines logged while the command ran, without those of booting."""
    kept, running = [], False
    for line in lines:
        if START in line:
            running = True
        elif "Linux version " in line:
            running = False     # it booted again
        if running:
            kept.append(line)
    return kept


def first(pattern, lines):
    """The number of the first line that matches, or None."""
    for number, line in enumerate(lines):
        if pattern.search(line):
            return number
    return None


def _is_of_uml(line, found):
    return KNOWN_OF_UML[0] in line and \
        all(word in "\n".join(found) for word in KNOWN_OF_UML)


def _is_of_qemu(line, found):
    return KNOWN_OF_QEMU in line and \
        any(IMPOSSIBLE_FLAGS.search(other) for other in found)


def splat(lines, length=60, known=()):
    """The first complaint in the lines and what follows it, or None. Lines with a
    known word are no complaints."""
    for number, line in enumerate(lines):
        if not SPLAT.search(line) or any(word in line for word in known):
            continue
        found = lines[max(0, number - 2):number + length]
        if not _is_of_uml(line, found) and not _is_of_qemu(line, found):
            return found
    return None
