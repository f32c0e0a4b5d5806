/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arrays, and their interface to the rest of the kernel.
 */
#ifndef RAIZN_ARRAY_ARRAY_H
#define RAIZN_ARRAY_ARRAY_H

#include "start/start.h"

/* Largest zone append that the volume takes (sectors). */
#define RAIZN_APPEND_SECTORS	2048U

/**
 * struct raizn_memory - memory of an array, in bytes
 * @zones:	state of all zones
 * @active:	additional state of the zones that are active now
 * @pools:	reserves, and tables of fixed size
 */
struct raizn_memory {
	u64 zones;
	u64 active;
	u64 pools;
};

/*
 * An array with the state of its subsystems.  Lower layers know the state of upper ones as
 * pointers in struct raizn_array only.
 */
struct raizn_array_parts {
	struct raizn_array arr;
	struct raizn_early early;
	struct raizn_flusher flush;
	struct raizn_relog relog;
	struct raizn_reset_all reset_all;
	struct raizn_rebuild rebuild;
	struct raizn_scrub scrub;
	struct raizn_background background;
};

/* array.c */
struct raizn_array *raizn_array_get(struct block_device **bdevs, u32 nr,
				    const struct raizn_start_options *opts,
				    struct mapped_device *md, char **error);
void raizn_array_put(struct raizn_array *arr);
void raizn_arrays_each(void (*call)(struct raizn_array *arr));
struct raizn_array *raizn_array_again(struct raizn_array *old,
				      struct block_device **bdevs, u32 nr,
				      const struct raizn_start_options *opts,
				      bool without_failed);
int raizn_array_resume(struct raizn_array *arr);
void raizn_array_take_devices(struct raizn_array *arr,
			      struct block_device **bdevs, u32 nr,
			      const struct raizn_start_options *opts);
void raizn_array_suspend(struct raizn_array *arr);
int raizn_settings_change(struct raizn_array *arr, const char *name, u32 number);

/* lock_order.c */
void raizn_teach_lock_order(struct raizn_array *arr);

/* memory.c */
void raizn_memory(struct raizn_array *arr, struct raizn_memory *memory);

/* shutdown.c */
int raizn_shutdown_init(void);
void raizn_shutdown_exit(void);

/* trial.c */
int raizn_trial_init(void);
void raizn_trial_exit(void);

#endif /* RAIZN_ARRAY_ARRAY_H */
