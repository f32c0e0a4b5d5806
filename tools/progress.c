// SPDX-License-Identifier: GPL-2.0
/*
 * One line on standard error that shows how far a command is, written over and over.
 */
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "clock.h"
#include "progress.h"
#include "terminal.h"
#include "tool.h"

/* Milliseconds: what is done sooner is not shown, unless that is asked for; from one line
 * to the next on a terminal; the same elsewhere.
 */
#define PATIENCE	1000
#define REFRESH		500
#define REFRESH_LOG	10000

static enum { ON_TERMINAL, SHOW, HIDE } wish;

/* The work that is shown now, or NULL. */
static struct progress *current;

/* Standard error is a terminal; valid while there is work. */
static bool terminal;

/* Columns of the line that the cursor stands behind. */
static size_t columns;

bool progress_option(int option)
{
	if (option == PROGRESS_SHOW)
		wish = SHOW;
	else if (option == PROGRESS_HIDE)
		wish = HIDE;
	else
		return false;
	return true;
}

bool progress_is_shown(void)
{
	return wish != HIDE && (wish == SHOW || isatty(STDERR_FILENO));
}

/* ---- signals ------------------------------------------------------------------ */

static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
static struct sigaction before[ARRAY_SIZE(signals)];
static char last_words[400];

/* Only what is safe in a handler; a newline keeps what the line says. */
static void tell_end(int signal)
{
	/* A terminal throws away what is written while it takes Ctrl-C. */
	const struct timespec moment = { .tv_nsec = 20000000 };
	size_t len = strlen(last_words);
	u32 i;

	nanosleep(&moment, NULL);
	if (terminal && write(STDERR_FILENO, "\n", 1) < 0)
		len = 0;
	if (len && write(STDERR_FILENO, last_words, len) < 0)
		len = 0;
	for (i = 0; i < ARRAY_SIZE(signals); i++)
		if (signals[i] == signal)
			sigaction(signal, &before[i], NULL);
	raise(signal);
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = tell_end };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(signals); i++)
		sigaddset(&action.sa_mask, signals[i]);
	for (i = 0; i < ARRAY_SIZE(signals); i++) {
		sigaction(signals[i], NULL, &before[i]);
		/* nohup(1), for one, has them ignored. */
		if (before[i].sa_handler == SIG_DFL)
			sigaction(signals[i], &action, NULL);
	}
}

static void leave_signals(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &before[i], NULL);
}

void progress_on_signal(const char *format, ...)
{
	char text[sizeof(last_words) - 10];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	snprintf(last_words, sizeof(last_words), "raizn: %s\n", text);
}

/* ---- the line ------------------------------------------------------------------ */

/* A shell may have this process in the background, where it must not write over others. */
static bool in_foreground(void)
{
	pid_t group = terminal ? tcgetpgrp(STDERR_FILENO) : -1;

	return group < 0 || group == getpgrp();
}

/* In one piece; a shorter line than before is filled up, as not all terminals can clear one. */
static void write_line(const char *line, const char *end)
{
	char text[LINE_MAX];
	size_t width = terminal_width(STDERR_FILENO), len = strlen(line);
	size_t blanks = columns > len ? columns - len : 0;

	if (!terminal) {
		fprintf(stderr, "%s\n", line);
		return;
	}
	/* A line that goes on in the next row could not be written over. */
	if (len >= width)
		len = width - 1;
	if (blanks >= width - len)
		blanks = width - 1 - len;
	snprintf(text, sizeof(text), "\r%.*s%*s%s", (int)len, line,
		 (int)blanks, "", end);
	fputs(text, stderr);
	columns = *end ? 0 : len;
}

/* A message comes where the line is; that is written again below it. */
static void make_room(void)
{
	if (columns)
		write_line("", "\r");
}

static void show(struct progress *progress, bool last)
{
	const struct amount *amount = &progress->amount;
	char line[sizeof(progress->what) + sizeof(struct amount_text) + 48];
	u64 seconds = (progress->shown - progress->begun) / 1000;

	if (amount->unit == AMOUNT_UNKNOWN)
		snprintf(line, sizeof(line), "%s, %s", progress->what,
			 duration_text(seconds).s);
	else if (last)
		snprintf(line, sizeof(line), "%s: %s, took %s", progress->what,
			 amount_end_text(amount).s, duration_text(seconds).s);
	else
		snprintf(line, sizeof(line), "%s: %s", progress->what,
			 amount_text(amount).s);
	fflush(stdout);
	write_line(line, last ? "\n" : "");
}

static bool is_time_to_show(const struct progress *progress, u64 now)
{
	u64 patience = wish == SHOW ? 0 : PATIENCE;

	if (!progress->shown)
		return now - progress->begun >= patience && in_foreground();
	return now - progress->shown >= (terminal ? REFRESH : REFRESH_LOG) &&
	       in_foreground();
}

static void look(struct progress *progress)
{
	u64 now;

	if (progress != current)
		return;
	now = now_ms();
	meter_update(&progress->meter, progress->amount.done, now);
	if (!is_time_to_show(progress, now))
		return;
	progress->amount.rate_known = meter_rate(&progress->meter,
						 &progress->amount.rate);
	progress->shown = now;
	show(progress, false);
}

void progress_begin(struct progress *progress, struct amount amount,
		    const char *format, ...)
{
	va_list args;

	memset(progress, 0, sizeof(*progress));
	if (current || !progress_is_shown() ||
	    (!amount.total && amount.unit != AMOUNT_UNKNOWN))
		return;
	va_start(args, format);
	vsnprintf(progress->what, sizeof(progress->what), format, args);
	va_end(args);
	progress->amount = amount;
	progress->begun = now_ms();
	meter_begin(&progress->meter, amount.done, progress->begun);
	current = progress;
	terminal = isatty(STDERR_FILENO);
	*last_words = '\0';
	complaints_prepare(make_room);
	catch_signals();
	look(progress);
}

void progress_update(struct progress *progress, u64 done)
{
	progress->amount.done = done;
	look(progress);
}

void progress_add(struct progress *progress, u64 more)
{
	progress_update(progress, progress->amount.done + more);
}

void progress_take(struct progress *progress, struct amount amount)
{
	progress->amount = amount;
	/* The time of a pause says nothing of the rate. */
	if (progress == current && amount.paused)
		meter_begin(&progress->meter, amount.done, now_ms());
	look(progress);
}

void progress_end(struct progress *progress)
{
	if (progress != current)
		return;
	if (progress->shown && in_foreground()) {
		progress->shown = now_ms();
		meter_update(&progress->meter, progress->amount.done,
			     progress->shown);
		progress->amount.rate_known = meter_mean(&progress->meter,
							 &progress->amount.rate);
		show(progress, true);
	}
	leave_signals();
	complaints_prepare(NULL);
	current = NULL;
}
