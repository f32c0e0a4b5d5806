# SPDX-License-Identifier: GPL-2.0
"""Each advice of `raizn status` is carried out by a scenario: the calls of advise() in tools/
against the calls of tests/lib/advice.sh in tests/rig."""

import re

from . import catalog

TOOLS = catalog.TESTS.parent / "tools"
CALL = re.compile(r'\badvise\(\s*[^,;]+,\s*"([^"]*)",\s*((?:"[^"]*"\s*)+)')
FOLLOWED = re.compile(r"^\s*advice_(helps|tells|by_hand|is) \S+ ([a-z-]+)(?::([\d,]+))?", re.M)
PROGRAMS = re.compile(r"\b(raizn|dmsetup|blkzone|blockdev|mkfs\.\w+) \S")


def _given():
    """The commands of each advice, by its name, and what is wrong with how it is given."""
    given, wrong = {}, []
    for path in sorted(TOOLS.glob("*.c")):
        text = path.read_text()
        calls = CALL.findall(text)
        if path.name != "advice.c" and len(calls) != len(re.findall(r"\badvise\(", text)):
            wrong.append(f"tools/{path.name}: advise() wants a literal name and a literal text")
        if any("'" in literal for literal in re.findall(r'advice_add\([^"]*((?:"[^"]*"\s*)+)', text)):
            wrong.append(f"tools/{path.name}: advice_add() is for words, not for commands")
        for name, literal in calls:
            words = "".join(re.findall(r'"([^"]*)"', literal))
            if name in given:
                wrong.append(f"tools/{path.name}: a second advice '{name}'")
            if PROGRAMS.search(re.sub(r"'[^']*'", "", words)):
                wrong.append(f"tools/{path.name}: '{name}' has a command without quotes")
            given[name] = re.findall(r"'([^']*)'", words)
    return given, wrong


def _followed():
    """What scenarios do with each advice: names, and (name, number of a command)."""
    done = set()
    for scenario in catalog.scenarios():
        text = (catalog.RIG / f"{scenario}.sh").read_text()
        for how, name, numbers in FOLLOWED.findall(text):
            done.add((name, how if how == "is" else "all") if not numbers else (name, ""))
            done.update((name, int(number)) for number in numbers.split(",") if number)
    return done


def complaints():
    """What is missing, a line each."""
    given, wrong = _given()
    done = _followed()
    for name, commands in given.items():
        if (name, "all") in done or (not commands and (name, "is") in done):
            continue
        wrong += [f"no scenario carries out '{command}' of the advice '{name}'"
                  for number, command in enumerate(commands, 1)
                  if (name, number) not in done]
        if not commands:
            wrong.append(f"no scenario brings about the advice '{name}'")
    wrong += [f"scenarios know an advice '{name}' that is not in tools/"
              for name in sorted({name for name, _ in done} - set(given))]
    return wrong
