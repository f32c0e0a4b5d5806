/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Asking before something is done that cannot be taken back.
 */
#ifndef CONFIRM_H
#define CONFIRM_H

#include <stdbool.h>

/**
 * confirm() - may it be done?
 * @force:	the user said so in advance
 * @format:	what is going to happen, without a question mark
 *
 * On a terminal the user is asked; elsewhere the answer is no.
 *
 * Return: TOOL_OK, or TOOL_REFUSED after a message.
 */
[[gnu::format(printf, 2, 3)]]
int confirm(bool force, const char *format, ...);

#endif /* CONFIRM_H */
