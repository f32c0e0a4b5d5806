// SPDX-License-Identifier: GPL-2.0
/*
 * What is known of the zones: accounts of active and open ones, failing.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "zonemodel.h"

struct zone *zones;
u32 nr_zones;
struct thread threads[MAX_THREADS];
pthread_rwlock_t world;
_Atomic u64 data_sectors;
u64 nr_active;
u64 nr_explicit;

static pthread_mutex_t account = PTHREAD_MUTEX_INITIALIZER;

const char * const state_name[] = {
	"empty", "implicit-open", "explicit-open", "closed", "full",
};

/* ---- failing ------------------------------------------------------------ */

static void print_history(const struct zone *z)
{
	unsigned int i = z->nr_history > HISTORY ? z->nr_history - HISTORY : 0;

	fprintf(stderr, "zone %u by the model: %s, write pointer %" PRIu64
		" of %" PRIu64 ", %" PRIu64 " resets; last operations:\n",
		z->number, state_name[z->state], z->wp, z->cap, z->gen);
	for (; i < z->nr_history; i++)
		fprintf(stderr, "  %s\n", z->history[i % HISTORY]);
}

static pthread_mutex_t failing = PTHREAD_MUTEX_INITIALIZER;

void fail(const struct zone *z, const char *format, ...)
{
	va_list args;

	/* Never unlocked: one failure is enough. */
	pthread_mutex_lock(&failing);
	fflush(stdout);
	fprintf(stderr, "zonemodel: FAILED (seed %" PRIu64 "): ", set.seed);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	if (z)
		print_history(z);
	fflush(stderr);
	_exit(1);
}

void die(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "zonemodel: ");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(2);
}

void record(struct zone *z, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(z->history[z->nr_history++ % HISTORY],
		  sizeof(z->history[0]), format, args);
	va_end(args);
}

/* ---- active and open zones ----------------------------------------------- */

bool is_active(const struct zone *z)
{
	return z->state == IMPLICIT || z->state == EXPLICIT ||
	       z->state == CLOSED;
}

/* Room for one more active zone?  Takes it. */
bool take_active(void)
{
	/* null_blk opens no closed zone in the place of another one while as
	 * many zones are active as can be.
	 */
	u64 spare = !dev.strict && dev.max_open < dev.max_active;
	bool got;

	pthread_mutex_lock(&account);
	got = !dev.max_active || nr_active + spare < dev.max_active;
	if (got)
		nr_active++;
	pthread_mutex_unlock(&account);
	return got;
}

void put_active(void)
{
	pthread_mutex_lock(&account);
	nr_active--;
	pthread_mutex_unlock(&account);
}

/* One place stays for the zones that are written. */
bool take_explicit(void)
{
	bool got;

	pthread_mutex_lock(&account);
	got = !dev.max_open || nr_explicit + 1 < dev.max_open;
	if (got)
		nr_explicit++;
	pthread_mutex_unlock(&account);
	return got;
}

void put_explicit(void)
{
	pthread_mutex_lock(&account);
	nr_explicit--;
	pthread_mutex_unlock(&account);
}

/* The model's zone takes a new state, after the device took it. */
void set_state(struct zone *z, enum state state)
{
	bool was_active = is_active(z);

	if (z->state == EXPLICIT && state != EXPLICIT)
		put_explicit();
	z->state = state;
	if (was_active && !is_active(z))
		put_active();
}
