// SPDX-License-Identifier: GPL-2.0
/*
 * Threads, and the choice of their operations.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "zonemodel.h"

static const char * const counter_name[NR_COUNTERS] = {
	"writes", "fua-writes", "batches", "flushes", "reads", "nowait-reads",
	"foreign-reads", "reports", "resets", "range-resets", "resets-of-all",
	"finishes", "opens", "closes", "fills", "negatives", "limit-rounds",
	"full-verifies",
};

/* SIGTERM came: end as if all operations were done. */
static volatile sig_atomic_t stopped;

static struct zone *pick_zone(struct thread *t)
{
	int i;

	for (i = 0; i < 4; i++) {
		struct zone *z = &zones[t->first + below(t, t->nr)];

		if (is_active(z))
			return z;
	}
	return &zones[t->first + below(t, t->nr)];
}

/* The owned zone that holds most. */
static struct zone *largest_zone(struct thread *t)
{
	struct zone *z = &zones[t->first];
	u32 i;

	for (i = 1; i < t->nr; i++)
		if (zones[t->first + i].wp > z->wp)
			z = &zones[t->first + i];
	return z;
}

static void one_op(struct thread *t)
{
	struct zone *z = pick_zone(t);
	u64 dice = below(t, 1000);

	if (dice < 4) {
		pthread_rwlock_unlock(&world);
		pthread_rwlock_wrlock(&world);
		if (dice == 0)
			op_reset_all(t);
		else if (dice == 1)
			verify_all(t);
		else
			op_limits(t);
		pthread_rwlock_unlock(&world);
		pthread_rwlock_rdlock(&world);
		return;
	}
	if (atomic_load(&data_sectors) * SECTOR > set.budget)
		op_reset(t, largest_zone(t));
	if (dice < 360)
		op_write(t, z);
	else if (dice < 480)
		op_batch(t, z);
	else if (dice < 486)
		op_fill(t, z);
	else if (dice < 550)
		op_flush(t);
	else if (dice < 700)
		op_read(t, z);
	else if (dice < 750)
		op_read_other(t);
	else if (dice < 800)
		op_report(t);
	else if (dice < 815)
		op_reset(t, z);
	else if (dice < 820)
		op_reset_range(t);
	else if (dice < 840)
		op_finish(t, z);
	else if (dice < 880)
		op_open(t, z);
	else if (dice < 920)
		op_close(t, z);
	else
		op_negative(t, z);
}

static void *work(void *argument)
{
	struct thread *t = argument;
	u64 i;

	for (i = 0; i < set.ops && !stopped; i++) {
		pthread_rwlock_rdlock(&world);
		one_op(t);
		pthread_rwlock_unlock(&world);
	}
	return NULL;
}

static void *buffer(void)
{
	/* Room to begin in the middle of a page. */
	void *p = mmap(NULL, BUF_BYTES + 4096, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		die("out of memory");
	return p;
}

void start_threads(void)
{
	unsigned int i;

	for (i = 0; i < set.threads; i++) {
		struct thread *t = &threads[i];

		t->number = i;
		t->first = (u64)nr_zones * i / set.threads;
		t->nr = (u64)nr_zones * (i + 1) / set.threads - t->first;
		t->random = mix(set.seed + i) ^ set.ops ^ (set.load_file ? 1 : 0);
		t->wbuf = buffer();
		t->rbuf = buffer();
		if (syscall(SYS_io_setup, BATCH_MAX, &t->aio))
			die("io_setup: %s", strerror(errno));
	}
}

static void on_sigterm(int number)
{
	stopped = number;
}

/* All threads, until each has done its operations. */
void work_all(void)
{
	unsigned int i;

	signal(SIGTERM, on_sigterm);
	for (i = 0; i < set.threads; i++)
		if (pthread_create(&threads[i].id, NULL, work, &threads[i]))
			die("cannot start a thread");
	for (i = 0; i < set.threads; i++)
		pthread_join(threads[i].id, NULL);
}

void end_threads(void)
{
	unsigned int i;

	for (i = 0; i < set.threads; i++)
		syscall(SYS_io_destroy, threads[i].aio);
}

void print_summary(void)
{
	u64 total[NR_COUNTERS] = { 0 };
	unsigned int i, c;

	for (i = 0; i < set.threads; i++)
		for (c = 0; c < NR_COUNTERS; c++)
			total[c] += threads[i].count[c];
	printf("zonemodel: seed %" PRIu64 ", %u zones, %u threads:", set.seed,
	       nr_zones, set.threads);
	for (c = 0; c < NR_COUNTERS; c++)
		printf(" %" PRIu64 " %s%s", total[c], counter_name[c],
		       c + 1 < NR_COUNTERS ? "," : "\n");
}
