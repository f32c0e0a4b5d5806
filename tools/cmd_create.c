// SPDX-License-Identifier: GPL-2.0
/*
 * raizn create
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "tool.h"
#include "confirm.h"
#include "dm.h"
#include "format.h"
#include "limits.h"
#include "mkfs_advice.h"
#include "progress.h"
#include "scheduler.h"
#include "start.h"
#include "text.h"
#include "trial.h"

#define DEFAULT_LEVEL		5
#define DEFAULT_STRIPE_UNIT	65536

static const char help[] =
"usage: raizn create NAME DEVICE... [OPTION...]\n"
"\n"
"Makes a redundant array of host-managed zoned drives and starts it as\n"
"/dev/mapper/NAME. All drives are checked before the first one is touched.\n"
"\n"
"  --level 0|1|5|6            RAID level: any one drive may fail (5, the default), any two\n"
"                             (6), all but one (1, two to four copies), or none (0)\n"
"  --stripe-unit SIZE         4K to 1M, a power of two; default 64K\n"
"  --label TEXT               a note for people, up to 63 bytes\n"
"  --write-cache back|through 'back' (the default) makes completed writes durable\n"
"                             at the next flush, 'through' at once\n"
"  --trust-buffers            do not copy what is written with O_DIRECT: for programs\n"
"                             that never change a buffer while it is being written\n"
"  --spare-zones N            zones of each drive to keep for zones that fail;\n"
"                             default: one of 256, at least 2\n"
"  --dry-run                  check and show, change nothing\n"
"  --force                    destroy the contents of the drives; keep most zones spare\n"
"  --no-start                 do not start the array\n"
"  --progress, --no-progress  show how far it is also without a terminal, or never\n";

/**
 * struct request - what the user asked for
 * @array:	name, label, and what else the superblocks are to say
 * @stripe_unit: bytes
 * @level:	RAID level
 * @spare_zones: spare zones of each drive; valid if @has_spare_zones
 * @has_spare_zones: --spare-zones was given
 * @dry_run, @force, @no_start: options
 * @paths:	device nodes
 * @nr:		how many
 */
struct request {
	struct new_array array;
	u64 stripe_unit;
	u64 level;
	u64 spare_zones;
	bool has_spare_zones;
	bool dry_run;
	bool force;
	bool no_start;
	char **paths;
	u32 nr;
};

static int set_stripe_unit(const struct command *self, struct request *request,
			   const char *text)
{
	u64 least = RAIZN_MIN_SU << 9, most = RAIZN_MAX_SU << 9;

	if (!parse_size(text, &request->stripe_unit))
		return fail_usage(self, "--stripe-unit is a size such as 64K, not '%s'",
				  text);
	if (request->stripe_unit & (request->stripe_unit - 1))
		return fail_usage(self, "--stripe-unit %s is not a power of two",
				  text);
	if (request->stripe_unit < least || request->stripe_unit > most)
		return fail_usage(self, "--stripe-unit %s is not between %s and %s",
				  text, size_text(least).s, size_text(most).s);
	return TOOL_OK;
}

static int set_label(const struct command *self, struct request *request,
		     const char *text)
{
	if (!text_printable(request->array.label, sizeof(request->array.label),
			    text, strlen(text)))
		return fail_usage(self, "--label takes up to %u bytes of printable text",
				  RAIZN_NAME_SIZE - 1);
	return TOOL_OK;
}

static int set_level(const struct command *self, struct request *request,
		     const char *text)
{
	if (!parse_number(text, 6, &request->level) ||
	    (request->level > 1 && request->level < 5))
		return fail_usage(self, "--level is 0, 1, 5 or 6, not '%s'", text);
	return TOOL_OK;
}

static u32 least_members(u64 level)
{
	static const u8 least[] = { [0] = 2, [1] = 2, [5] = 3, [6] = 4 };

	return least[level];
}

static int set_option(const struct command *self, struct request *request,
		      int option)
{
	switch (option) {
	case 'l':
		return set_level(self, request, optarg);
	case 's':
		return set_stripe_unit(self, request, optarg);
	case 'L':
		return set_label(self, request, optarg);
	case 'w':
		if (!write_cache_valid(optarg))
			return fail_usage(self, "--write-cache is back or through, not '%s'",
					  optarg);
		request->array.write_through = !strcmp(optarg, "through");
		return TOOL_OK;
	case 't':
		request->array.trust_buffers = true;
		return TOOL_OK;
	case 'z':
		request->has_spare_zones = true;
		if (!parse_number(optarg, UINT32_MAX, &request->spare_zones) ||
		    request->spare_zones < RAIZN_MIN_SPARE_ZONES)
			return fail_usage(self, "--spare-zones is a number from %u on, not '%s'",
					  RAIZN_MIN_SPARE_ZONES, optarg);
		return TOOL_OK;
	case 'd':
		request->dry_run = true;
		return TOOL_OK;
	case 'f':
		request->force = true;
		return TOOL_OK;
	case 'n':
		request->no_start = true;
		return TOOL_OK;
	}
	return TOOL_FAILED;
}

static int parse(const struct command *self, struct request *request, int argc,
		 char **argv)
{
	static const struct option options[] = {
		{ "level", required_argument, NULL, 'l' },
		{ "stripe-unit", required_argument, NULL, 's' },
		{ "label", required_argument, NULL, 'L' },
		{ "write-cache", required_argument, NULL, 'w' },
		{ "trust-buffers", no_argument, NULL, 't' },
		{ "spare-zones", required_argument, NULL, 'z' },
		{ "dry-run", no_argument, NULL, 'd' },
		{ "force", no_argument, NULL, 'f' },
		{ "no-start", no_argument, NULL, 'n' },
		PROGRESS_OPTIONS,
		{ }
	};
	int option, ret;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		if (option == ':' || option == '?')
			return fail_option(self, argv, option);
		if (progress_option(option))
			continue;
		ret = set_option(self, request, option);
		if (ret)
			return ret;
	}
	if (optind == argc)
		return fail_usage(self, "give the new array a name");
	if (!array_name_valid(argv[optind]))
		return fail_usage(self,
				  "'%s' cannot be an array's name; use up to %u letters, digits and #+-.:=@_",
				  argv[optind], RAIZN_NAME_SIZE - 1);
	text_copy(request->array.name, sizeof(request->array.name),
		  argv[optind++]);
	request->paths = argv + optind;
	request->nr = argc - optind;
	if (!request->nr)
		return fail_usage(self, "name the drives");
	if (request->nr < least_members(request->level))
		return fail(TOOL_REFUSED,
			    "create: level %llu needs at least %u drives, %u given; give more",
			    (unsigned long long)request->level,
			    least_members(request->level), request->nr);
	if (request->nr > RAIZN_MAX_MEMBERS)
		return fail(TOOL_REFUSED,
			    "create: an array has at most %u drives, %u given; make several arrays",
			    RAIZN_MAX_MEMBERS, request->nr);
	return TOOL_OK;
}

/* Neither a mapped device nor an array on other drives may have the name. */
static int check_name(const struct request *request,
		      const struct candidate *candidates)
{
	const char *name = request->array.name;
	struct volume volume;
	struct scan scan;
	int ret;
	u32 i, j;

	if (volume_by_name(name, &volume))
		return fail(TOOL_REFUSED, "%s: a mapped device has this name; choose another",
			    name);
	ret = scan_system(&scan, SCAN_LOGS);
	if (ret)
		return ret;
	for (i = 0; i < scan.nr && !ret; i++) {
		const struct member *member = scan.members[i];

		for (j = 0; j < request->nr; j++)
			if (candidates[j].member.drive.dev == member->drive.dev)
				break;
		if (j == request->nr && member->has_sb &&
		    !strcmp(member->name, name))
			ret = fail(TOOL_REFUSED,
				   "%s: %s belongs to an array of this name; choose another",
				   name, member->drive.path);
	}
	scan_free(&scan);
	return ret;
}

/* The drive that limits the number of zones. */
static const struct candidate *smallest(const struct candidate *candidates, u32 nr)
{
	const struct candidate *least = candidates;
	u32 i;

	for (i = 1; i < nr; i++)
		if (candidates[i].nr_usable < least->nr_usable)
			least = &candidates[i];
	return least;
}

static struct member_limits member_limits(const struct candidate *candidates,
					  u32 nr)
{
	struct member_limits limits = {
		.log = (candidates[0].capacity << 9) / 2,
	};
	u32 i;

	for (i = 0; i < nr; i++)
		limits_add_member(&limits, &candidates[i].member.drive);
	return limits;
}

static int check_stripe_unit(const struct request *request,
			     const struct candidate *first,
			     const struct member_limits *members)
{
	u64 su = request->stripe_unit;
	u32 active = limits_of_array(members, su).max_active;
	u64 largest = largest_stripe_unit(members);

	if (stripe_unit_fits(members, su))
		return TOOL_OK;
	if (!active)
		active = 1;
	if (!largest)
		return fail(TOOL_REFUSED,
			    "create: zones of %s are too small to hold the partial parity of %u active zones; give drives with larger zones",
			    sectors_text(first->capacity).s, active);
	return fail(TOOL_REFUSED,
		    "create: stripe unit %s is too large: partial parity of %u active zones would need %s, half a zone has %s; use up to %s",
		    size_text(su).s, active,
		    size_text(partial_parity_bytes(su, active)).s,
		    size_text(members->log).s, size_text(largest).s);
}

static int set_geometry(struct request *request,
			const struct candidate *first)
{
	const struct drive *drive = &first->member.drive;
	u32 usable = first->nr_usable;
	const char *why;
	u64 reserved;

	if (!request->has_spare_zones) {
		request->spare_zones = usable / 256;
		if (request->spare_zones < RAIZN_MIN_SPARE_ZONES)
			request->spare_zones = RAIZN_MIN_SPARE_ZONES;
	}
	reserved = RAIZN_NR_LOG_ZONES + request->spare_zones;
	if (reserved >= usable)
		return fail(TOOL_REFUSED,
			    "%s: has %u sequential zones, metadata and spare zones would take %llu; give larger drives or fewer --spare-zones",
			    drive->path, usable, (unsigned long long)reserved);
	if (raizn_geometry_init(&request->array.geo, request->level, request->nr,
				request->stripe_unit >> 9, drive->block_size,
				drive->zone_size, first->capacity,
				first->member.first_zone, reserved,
				usable - reserved, &why))
		return fail(TOOL_REFUSED, "create: these drives cannot form an array: %s",
			    why);
	if (first->capacity < raizn_log_zone_min(&request->array.geo))
		return fail(TOOL_REFUSED,
			    "%s: zones that hold %s are too small for the logs of this array, which need %s; give drives with larger zones, or a smaller --stripe-unit if that is what they are for",
			    drive->path, sectors_text(first->capacity).s,
			    sectors_text(raizn_log_zone_min(&request->array.geo)).s);
	request->array.capacity = first->capacity;
	return TOOL_OK;
}

static void show_drives(const struct request *request,
			const struct candidate *candidates)
{
	u32 i;

	printf("%-4s  %-20s  %-8s  %-8s  %-8s  %-11s  %s\n", "slot", "drive", "size",
	       "capacity", "zones", "open/active", "serial");
	for (i = 0; i < request->nr; i++) {
		const struct drive *drive = &candidates[i].member.drive;
		char limit[24] = "no limit";

		if (drive->max_open || drive->max_active)
			snprintf(limit, sizeof(limit), "%u/%u", drive->max_open,
				 drive->max_active);
		printf("%-4u  %-20s  %-8s  %-8s  %-8u  %-11s  %s\n", i, drive->path,
		       sectors_text(drive->nr_sectors).s,
		       sectors_text(candidates[i].nr_usable * candidates[i].capacity).s,
		       drive->nr_zones, limit, *drive->serial ? drive->serial : "-");
	}
}

/* The zones that a drive has more than the smallest one are spare, as many as the array can use. */
static void show_surplus(const struct raizn_geometry *geo, const struct candidate *candidates)
{
	u32 common = raizn_common_zones(geo), spare, most = 0, nr = 0, i;

	for (i = 0; i < geo->nr_members; i++) {
		spare = raizn_member_zones(geo, geo->first_zone + candidates[i].nr_usable) - common;
		nr += !!spare;
		if (spare > most)
			most = spare;
	}
	if (nr)
		printf("note: %u drive%s more zones than the smallest; they are spare zones of their drive, up to %u\n",
		       nr, nr == 1 ? " has" : "s have", most);
}

/*
 * A zone begins at a multiple of a power of two, so what it cannot hold is a gap in the
 * volume's addresses.
 */
static void show_gaps(const struct raizn_geometry *geo)
{
	u32 nr_data = geo->nr_members - geo->nr_parity;

	if (geo->zone_cap == geo->zone_size)
		return;
	printf("note: zones end in gaps that cannot be written; lsblk, and df of btrfs and\n"
	       "      f2fs, count them and show %s\n",
	       sectors_text((u64)geo->nr_zones * geo->zone_size).s);
	if (geo->zone_size > nr_data * geo->member_zone_size)
		printf("note: the gaps are larger than those of the drives; with %u, %u, %u or %u drives\n"
		       "      they are not\n", 2 + geo->nr_parity, 4 + geo->nr_parity,
		       8 + geo->nr_parity, 16 + geo->nr_parity);
}

static void show_redundancy(const struct raizn_geometry *geo)
{
	if (geo->level == 1)
		printf("%u copies", geo->nr_members);
	else if (!geo->nr_parity)
		printf("none for parity");
	else
		printf("%u of %u for parity", geo->nr_parity, geo->nr_members);
}

static void show_plan(const struct request *request,
		      const struct candidate *candidates,
		      const struct limits *limits)
{
	const struct raizn_geometry *geo = &request->array.geo;
	u32 nr_usable = smallest(candidates, request->nr)->nr_usable;
	u64 capacity = (u64)geo->nr_zones * geo->zone_cap;
	u64 raw = 0;
	u32 i;

	for (i = 0; i < request->nr; i++)
		raw += (u64)candidates[i].nr_usable * candidates[i].capacity +
		       geo->first_zone * geo->member_zone_size;
	printf("array %s: level %u of %u drives, stripe unit %s, write cache %s%s\n\n",
	       request->array.name, geo->level, geo->nr_members,
	       sectors_text(geo->su).s,
	       request->array.write_through ? "through" : "back",
	       request->array.trust_buffers ? ", buffers are trusted" : "");
	show_drives(request, candidates);
	printf("\nvolume:   %s in %u zones of %s, of which %s can be written\n",
	       sectors_text(capacity).s, geo->nr_zones,
	       sectors_text(geo->zone_size).s, sectors_text(geo->zone_cap).s);
	printf("limits:   %u open and %u active zones\n", limits->max_open,
	       limits->max_active);
	printf("overhead: %.1f%% of the drives: ", 100.0 - 100.0 * capacity / raw);
	show_redundancy(geo);
	printf(", %u of %u zones taken\n"
	       "          (%u for metadata, %u spare",
	       geo->first_zone + geo->nr_reserved,
	       geo->first_zone + nr_usable, RAIZN_NR_LOG_ZONES,
	       geo->nr_reserved - RAIZN_NR_LOG_ZONES);
	if (geo->first_zone)
		printf(", %u conventional at the front that are not used",
		       geo->first_zone);
	puts(")");
	show_surplus(geo, candidates);
	show_gaps(geo);
	mkfs_advice(request->array.name, geo, limits, request->array.write_through);
	for (i = 0; i < request->nr; i++)
		if (*candidates[i].destroys)
			printf("%s on %s: %s\n",
			       request->dry_run ? "would destroy" : "destroys",
			       candidates[i].member.drive.path,
			       candidates[i].destroys);
	fflush(stdout);
}

static int prepare(struct request *request, struct candidate *candidates)
{
	struct member_limits members = member_limits(candidates, request->nr);
	struct limits limits = limits_of_array(&members, request->stripe_unit);
	u32 i;
	int ret;

	ret = set_geometry(request, smallest(candidates, request->nr));
	if (!ret)
		ret = check_stripe_unit(request, &candidates[0], &members);
	if (!ret)
		ret = check_name(request, candidates);
	if (ret)
		return ret;
	show_plan(request, candidates, &limits);
	if (request->dry_run) {
		puts("dry run: nothing was changed");
		return TOOL_OK;
	}
	if (request->has_spare_zones &&
	    request->spare_zones > request->array.geo.nr_zones)
		ret = confirm(request->force,
			      "create: %llu zones of each drive would be spare, and only %u hold data",
			      (unsigned long long)request->spare_zones,
			      request->array.geo.nr_zones);
	if (!ret && !request->no_start)
		ret = volume_need_target();
	for (i = 0; i < request->nr && scheduler_needed() && !ret; i++)
		ret = scheduler_set(&candidates[i].member.drive);
	if (!ret)
		ret = drives_try(candidates, request->nr);
	if (!ret)
		ret = format_array(&request->array, candidates);
	return ret;
}

/* Start it from what stands on the drives now. */
static int start(const struct request *request)
{
	const struct start_options options = { };
	const struct array *array;
	struct array *arrays;
	struct scan scan;
	int ret;
	u32 nr;

	ret = scan_devices(&scan, request->paths, request->nr);
	if (ret)
		return ret;
	arrays = scan_arrays(&scan, &nr);
	ret = arrays ? arrays_find(&scan, arrays, nr, request->array.name, &array) :
		       TOOL_FAILED;
	if (!ret)
		ret = start_array(array, &options);
	free(arrays);
	scan_free(&scan);
	return ret;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct request request = {
		.level = DEFAULT_LEVEL,
		.stripe_unit = DEFAULT_STRIPE_UNIT,
	};
	struct candidate *candidates;
	int ret;

	ret = parse(self, &request, argc, argv);
	if (!ret)
		ret = candidates_open(request.paths, request.nr, request.force,
				      &candidates);
	if (ret)
		return ret;
	ret = prepare(&request, candidates);
	candidates_close(candidates, request.nr);
	if (ret || request.dry_run)
		return ret;
	if (request.no_start) {
		printf("%s: created; 'raizn start %s' starts it\n",
		       request.array.name, request.array.name);
		return TOOL_OK;
	}
	return start(&request);
}

const struct command command_create = {
	.name = "create",
	.help = help,
	.needs_root = true,
	.run = run,
};
