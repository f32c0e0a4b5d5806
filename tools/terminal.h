/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Terminals: their width, their characters, their colours.
 */
#ifndef TERMINAL_H
#define TERMINAL_H

#include <stdbool.h>

#include "../raizn/core/portable.h"

/**
 * terminal_width() - columns of a line
 * @fd:		where it is written
 *
 * Return: the value of COLUMNS, else the width of the terminal, else 80.
 */
u32 terminal_width(int fd);

/**
 * terminal_takes_utf8() - the locale has UTF-8
 *
 * Return: whether it has.
 */
bool terminal_takes_utf8(void);

/**
 * terminal_takes_colour() - colour is possible and wanted
 *
 * Return: whether standard output is a terminal that knows it, and NO_COLOR is not set.
 */
bool terminal_takes_colour(void);

#endif /* TERMINAL_H */
