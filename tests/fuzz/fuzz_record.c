// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz target for everything that reads a drive's metadata: an input is a piece
 * of a log zone.  What the readers accept is then used the way the module uses
 * it, so that a number that should have been refused does harm here.
 *
 *	fuzz_record [ITERATIONS [SEED [FIRST]]]
 *
 * makes its inputs itself, from sound records, always the same ones for the
 * same seed; FIRST is the number of the first one.  When one of them fails, it
 * says how to make that one again.  Built with RAIZN_LIBFUZZER, libFuzzer drives
 * it instead, with the same mutations.
 */
#include "../unit/unit.h"
#include <sanitizer/common_interface_defs.h>

#define NR_ARRAYS ARRAY_SIZE(unit_arrays)
#define MAX_INPUT (RAIZN_RECORD_MAX + 2 * RAIZN_BLOCK_SIZE)

#define must(cond) do {							\
	if (!(cond)) {							\
		fprintf(stderr, "%s:%d: violated: %s\n", __FILE__,	\
			__LINE__, #cond);				\
		abort();						\
	}								\
} while (0)

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* How often each stage was reached: a fuzzer that gets nowhere proves nothing. */
static struct {
	unsigned long verdicts[RAIZN_RECORD_BAD_FIELD + 1];
	unsigned long superblocks, fits, contradictions;
} reached;

/* Keep reads from being optimized away. */
static volatile u8 sink;

static void use_geometry(const struct raizn_geometry *geo)
{
	const u32 offsets[] = { 0, geo->stripe - 1, geo->zone_cap / 2,
				geo->zone_cap - 1 };
	u32 extents[RAIZN_MAX_MEMBERS];
	struct raizn_place at;
	u32 zone = geo->nr_zones - 1;
	u32 i, c, wp;

	must(geo->nr_members >= 2 && geo->nr_members <= RAIZN_MAX_MEMBERS);
	must(geo->nr_parity <= RAIZN_MAX_PARITY);
	must(geo->zone_cap <= geo->zone_size);
	/* bytes of the last sector of a member and of the array fit loff_t */
	must(raizn_data_zone_start(geo, zone) + geo->member_zone_size <=
	     INT64_MAX / 512);
	must(raizn_data_zone_start(geo, zone) >=
	     raizn_reserved_zone_start(geo, geo->nr_reserved));
	must((u64)zone << geo->zone_shift <= INT64_MAX / 512 - geo->zone_size);

	for (i = 0; i < ARRAY_SIZE(offsets); i++) {
		raizn_place(geo, zone, offsets[i], &at);
		must(at.column < geo->nr_members && at.pos < geo->nr_data);
		must(at.sector < geo->member_zone_cap);
		must(at.stripe < geo->nr_stripes && at.row < geo->su);

		for (c = 0; c < geo->nr_members; c++) {
			extents[c] = raizn_column_extent(geo, zone, c,
							 offsets[i]);
			must(extents[c] <= geo->member_zone_cap);
		}
		must(extents[at.column] == at.sector);
		must(!raizn_wp_from_columns(geo, zone, extents, &wp));
		must(wp == offsets[i]);
		extents[at.column] = ~0U;
		must(raizn_wp_from_columns(geo, zone, extents, &wp) ==
		     -EUCLEAN);
	}
}

static void use_superblock(const struct raizn_superblock *sb)
{
	struct raizn_geometry geo;
	const char *why = NULL;
	u32 i;

	if (raizn_sb_geometry(sb, &geo, &why)) {
		must(why && why[0]);
		return;
	}
	reached.superblocks++;
	use_geometry(&geo);
	must(strlen((const char *)sb->name) < sizeof(sb->name));
	must(!strchr((const char *)sb->name, '/'));
	must(strlen((const char *)sb->label) < sizeof(sb->label));
	must(le64_to_cpu(sb->event) + 1);
	for (i = 0; i < sb->nr_members; i++)
		must(strcmp(raizn_member_state_name(sb->members[i].state),
			    "unknown"));
}

/* As recovery would: the parity of each row in the record. */
static void use_partial_parity(const struct raizn_geometry *geo,
			       const struct raizn_record *rec)
{
	const u8 *payload = (const u8 *)(rec + 1);
	struct raizn_place first, last;
	u32 zone = le32_to_cpu(rec->zone);
	u32 i, nr_rows = le32_to_cpu(rec->nr_rows);
	u8 *unit = calloc(geo->su, 512);

	must(unit);
	must(zone < geo->nr_zones);
	raizn_place(geo, zone, (u32)le64_to_cpu(rec->start), &first);
	raizn_place(geo, zone, (u32)le64_to_cpu(rec->end) - 1, &last);
	must(first.stripe == last.stripe);
	must(last.sector < geo->member_zone_cap);
	must(rec->parity < geo->nr_parity);
	must(le32_to_cpu(rec->row) < geo->su && nr_rows <= geo->su);
	/* behind the payload is the next record: no sanitizer sees that read */
	must(nr_rows * 512 <= le32_to_cpu(rec->payload_len));
	for (i = 0; i < nr_rows; i++)
		memcpy(unit + (le32_to_cpu(rec->row) + i) % geo->su * 512,
		       payload + i * 512, 512);
	free(unit);
}

/* Entries of the list must be in the members' zones, and in the volume. */
static void use_bad_blocks(const struct raizn_geometry *geo, const struct raizn_record *rec)
{
	struct raizn_bad_blocks *list = calloc(1, sizeof(*list));
	u32 i, offset;

	must(list);
	raizn_bad_blocks_replay(list, rec);
	must(list->nr <= RAIZN_BAD_BLOCKS_MAX);
	for (i = 0; i < list->nr; i++) {
		must(list->at[i].zone < geo->nr_zones);
		must(list->at[i].column < geo->nr_members);
		must(list->at[i].sector + list->at[i].nr <= geo->member_zone_cap);
		must(raizn_bad_blocks_find(list, &list->at[i]));
		if (raizn_bad_block_offset(geo, &list->at[i], &offset))
			must(offset + list->at[i].nr <= geo->zone_cap);
		raizn_bad_blocks_lists_first(list, geo, i);
	}
	free(list);
}

/* Entries must be in the members' zones, and apart. */
static void use_spoilt(const struct raizn_geometry *geo, const struct raizn_record *rec)
{
	struct raizn_spoilt_list *list = calloc(1, sizeof(*list));
	u32 i;

	must(list);
	raizn_spoilt_replay(list, rec);
	must(list->nr <= RAIZN_SPOILT_MAX);
	for (i = 0; i < list->nr; i++) {
		must(list->at[i].zone < geo->nr_zones);
		must(list->at[i].column < geo->nr_members);
		must(list->at[i].from < list->at[i].end);
		must(list->at[i].end <= geo->member_zone_cap);
	}
	free(list);
}

/* The rows must be in the column, and the payload must have them. */
static void use_relocated(const struct raizn_geometry *geo, const struct raizn_record *rec)
{
	u32 nr = le32_to_cpu(rec->nr_rows);

	must(le32_to_cpu(rec->zone) < geo->nr_zones);
	must(le16_to_cpu(rec->column) < geo->nr_members);
	must(nr && nr <= geo->su);
	must(le64_to_cpu(rec->start) + nr <= geo->member_zone_cap);
	must(nr * 512 <= le32_to_cpu(rec->payload_len));
}

static void use_record(const struct raizn_record *rec, u32 array,
		       const struct raizn_geometry *geo,
		       struct raizn_zone_state *zones)
{
	u32 i;

	must(le16_to_cpu(rec->member) < geo->nr_members);
	must(le64_to_cpu(rec->seq) + 1 && le64_to_cpu(rec->epoch) + 1);
	reached.fits++;

	if (le16_to_cpu(rec->type) == RAIZN_REC_PARTIAL_PARITY)
		use_partial_parity(geo, rec);
	if (le16_to_cpu(rec->type) == RAIZN_REC_BAD_BLOCKS)
		use_bad_blocks(geo, rec);
	if (le16_to_cpu(rec->type) == RAIZN_REC_SPOILT)
		use_spoilt(geo, rec);
	if (le16_to_cpu(rec->type) == RAIZN_REC_RELOCATED)
		use_relocated(geo, rec);
	if (raizn_replay_record(geo, zones, NULL, rec)) {
		reached.contradictions++;
		return;
	}
	for (i = 0; i < unit_arrays[array].zones; i++) {
		must(zones[i].generation <= RAIZN_GENERATION_MAX);
		must(zones[i].wp <= geo->zone_cap);
		must(!(zones[i].flags & ~(RAIZN_ZONE_RESETTING |
					  RAIZN_ZONE_FINISHED |
					  RAIZN_ZONE_TRUNCATED |
					  RAIZN_ZONE_UNLOGGED)));
	}
}

/* As a drive: the fuzzer's input is a log zone. */
static int read_input(struct raizn_log_walk *walk, u64 pos, u32 bytes)
{
	const u8 *log = walk->private;

	must(bytes >= walk->block && bytes <= walk->size && pos + bytes <= walk->end);
	memcpy(walk->buf, log + pos, bytes);
	return (int)bytes;
}

/* A walk always goes on, and ends. */
static void walk_log(const u8 *log, size_t size, u8 role)
{
	struct raizn_log_walk walk = {
		.read = read_input, .private = (void *)log, .end = size, .block = 4096,
		.size = RAIZN_RECORD_MAX, .known = role, .epoch = 5, .member = 1,
		.role = role,
	};
	struct raizn_log_entry entry;
	u64 pos = 0;

	walk.buf = malloc(walk.size);
	must(walk.buf);
	memcpy(walk.uuid, unit_uuid, RAIZN_UUID_SIZE);
	while (raizn_log_walk_next(&walk, &entry)) {
		must(entry.pos == pos && entry.bytes && !entry.error);
		must(!entry.rec == !!entry.verdict);
		pos += entry.bytes;
		if (entry.rec)
			sink = *((const u8 *)entry.rec + raizn_record_bytes(entry.rec) - 1);
	}
	must(pos == size);
	free(walk.buf);
}

static void read_log(const u8 *log, size_t size)
{
	static struct raizn_geometry geo[NR_ARRAYS];
	static struct raizn_zone_state *zones[NR_ARRAYS];
	const struct raizn_record *rec;
	enum raizn_record_verdict verdict;
	char unknown[64] = "";
	size_t at, step;
	u32 a;

	for (a = 0; a < NR_ARRAYS; a++) {
		unit_geometry(&unit_arrays[a], &geo[a]);
		zones[a] = calloc(geo[a].nr_zones, sizeof(*zones[a]));
		must(zones[a]);
	}
	for (at = 0; at < size; at += step) {
		rec = (const struct raizn_record *)(log + at);
		step = RAIZN_BLOCK_SIZE;
		verdict = raizn_record_verify(rec, size - at);
		must(verdict <= RAIZN_RECORD_BAD_FIELD);
		must(strcmp(raizn_record_verdict_name(verdict),
			    "unknown verdict"));
		reached.verdicts[verdict]++;
		if (raizn_record_is_unknown(rec, size - at, verdict, unknown,
					    sizeof(unknown)))
			must(*unknown && raizn_record_is_whole(rec, size - at));

		/* a CRC is no signature: the superblock's own checks must do */
		if (size - at >= sizeof(*rec))
			use_superblock(raizn_record_sb_const(rec));
		if (verdict != RAIZN_RECORD_OK)
			continue;

		must(strcmp(raizn_record_type_name(le16_to_cpu(rec->type)),
			    "unknown"));
		step = raizn_record_bytes(rec);
		must(step <= size - at && step <= RAIZN_RECORD_MAX);
		sink = log[at + step - 1];
		for (a = 0; a < NR_ARRAYS; a++) {
			if (raizn_record_fits(rec, &geo[a], unit_uuid))
				use_record(rec, a, &geo[a], zones[a]);
		}
	}
	for (a = 0; a < NR_ARRAYS; a++)
		free(zones[a]);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	/* memory of exactly this size, so that reading on is caught */
	u8 *log = malloc(size ? size : 1);

	must(log);
	memcpy(log, data, size);
	read_log(log, size);
	/* A third of the inputs each: an unknown log, a general and a partial-parity log. */
	walk_log(log, size, (u8)(crc32c(0, log, size) % 3));
	free(log);
	return 0;
}

static u8 input[MAX_INPUT];
static size_t input_size;

static u64 odd_number(struct rng *rng)
{
	static const u64 numbers[] = {
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 31, 32, 33, 127, 128, 129, 255,
		256, 257, 511, 512, 4095, 4096, 4097, 8192, 12288, 15872,
		61440, 65535, 65536, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff,
		0x100000000, 0x7fffffffffffffff, 0x8000000000000000,
		RAIZN_GENERATION_MAX - 1, RAIZN_GENERATION_MAX,
		RAIZN_GENERATION_MAX + 1, ~1ULL, ~0ULL,
	};

	return rnd_below(rng, 4) ? numbers[rnd_below(rng, ARRAY_SIZE(numbers))] :
				   rnd(rng) >> rnd_below(rng, 64);
}

/* Where numbers are in a record, beyond any byte: header, superblock, table. */
static u32 number_at(struct rng *rng)
{
	static const u16 header[] = { 8, 12, 14, 16, 20, 40, 48, 56, 58, 59, 64,
				      72, 76, 80, 88, 96, 100 };
	static const u16 superblock[] = { 0, 24, 40, 103, 104, 167, 168, 176,
					  180, 181, 182, 184, 188, 192, 196,
					  200, 208, 216 };

	switch (rnd_below(rng, 4)) {
	case 0:
	case 1:
		return header[rnd_below(rng, ARRAY_SIZE(header))];
	case 2:
		if (rnd_below(rng, 3))
			return 128 + superblock[rnd_below(rng,
						ARRAY_SIZE(superblock))];
		/* a member's entry */
		return 128 + 384 + 32 * rnd_below(rng, 33) +
		       8 * rnd_below(rng, 4);
	default:
		/* a zone's entry */
		return 4096 + 16 * rnd_below(rng, 1 + rnd_below(rng, 256)) +
		       4 * rnd_below(rng, 4);
	}
}

/* Numbers that only together reach a limit. */
static void mutate_together(struct rng *rng, u32 at)
{
	struct raizn_record *rec = (struct raizn_record *)(input + at);
	struct raizn_superblock *sb = raizn_record_sb(rec);
	struct raizn_zone_entry *entry = (struct raizn_zone_entry *)(rec + 1);
	u64 value;
	u32 i;

	switch (rnd_below(rng, 5)) {
	case 0:		/* a piece of a stripe somewhere else */
		value = odd_number(rng) & ~7ULL;
		rec->start = cpu_to_le64(value);
		rec->end = cpu_to_le64(value + 8);
		break;
	case 1:		/* less payload, or more, than the rest says */
		value = RAIZN_BLOCK_SIZE * rnd_below(rng, 16);
		rec->payload_len = cpu_to_le32((u32)value);
		break;
	case 2:		/* more members, or fewer */
		sb->nr_members = (u8)rnd_below(rng, 40);
		break;
	case 3:		/* zones of another size, and as many as there can be */
		value = 1ULL << rnd_below(rng, 36);
		sb->zone_size = cpu_to_le64(value);
		sb->zone_capacity = cpu_to_le64(value - 8 * rnd_below(rng, 3));
		sb->nr_zones = cpu_to_le32((1U << rnd_below(rng, 32)) -
					   8 * rnd_below(rng, 2));
		break;
	default:	/* the end of all generations */
		value = RAIZN_GENERATION_MAX - rnd_below(rng, 2);
		rec->generation = cpu_to_le64(value);
		if (le16_to_cpu(rec->type) != RAIZN_REC_ZONE_TABLE ||
		    input_size - at < 2 * RAIZN_BLOCK_SIZE)
			break;
		for (i = 0; i < 16; i++)
			entry[i].generation = cpu_to_le64(value);
	}
}

static void mutate(struct rng *rng)
{
	u32 at = rnd_below(rng, (u32)input_size / 4096) * 4096;
	u32 i, size, from;
	u64 value;

	switch (rnd_below(rng, 12)) {
	case 0:
		input[rnd_below(rng, (u32)input_size)] ^=
			(u8)(1 << rnd_below(rng, 8));
		break;
	case 1:		/* as before, in what is looked at */
		input[at + rnd_below(rng, 600)] ^= (u8)(1 << rnd_below(rng, 8));
		break;
	case 2:		/* a part of one over another */
		size = 1 + rnd_below(rng, 64);
		from = rnd_below(rng, (u32)input_size - size);
		memmove(input + at + rnd_below(rng, 512), input + from, size);
		break;
	case 3:
		size = 1 + rnd_below(rng, 32);
		memset(input + at + rnd_below(rng, 600), (int)rnd(rng), size);
		break;
	case 4:
	case 5:
		mutate_together(rng, at);
		break;
	default:
		at += number_at(rng);
		value = odd_number(rng);
		size = 1U << rnd_below(rng, 4);
		for (i = 0; i < size && at + i < input_size; i++)
			input[at + i] = (u8)(value >> 8 * i);
	}
}

/* Give what looks like a record the CRC it should have. */
static void seal_again(void)
{
	struct raizn_record *rec;
	size_t at, step;

	for (at = 0; input_size - at >= sizeof(*rec); at += step) {
		rec = (struct raizn_record *)(input + at);
		step = RAIZN_BLOCK_SIZE;
		if (le64_to_cpu(rec->magic) != RAIZN_MAGIC ||
		    le32_to_cpu(rec->payload_len) % RAIZN_BLOCK_SIZE ||
		    le32_to_cpu(rec->payload_len) >
		    input_size - at - sizeof(*rec))
			continue;
		unit_seal(rec);
		step = raizn_record_bytes(rec);
	}
}

static void make_input(struct rng *rng)
{
	static struct unit_buffer buf;
	u32 nr = 0, records = 1 + rnd_below(rng, 3);
	u32 array, len, i;

	input_size = 0;
	array = rnd_below(rng, NR_ARRAYS);
	while (nr < records) {
		len = unit_record(&unit_arrays[array],
				  rnd_below(rng, NR_KINDS), &buf);
		/* large ones cost time: seldom, and alone */
		if (!len || (len > 20480 && (nr || rnd_below(rng, 8))))
			continue;
		if (input_size + len > sizeof(input))
			break;
		memcpy(input + input_size, &buf, len);
		nr++;
		input_size += len;
	}

	for (i = rnd_below(rng, 5); i; i--)
		mutate(rng);
	if (rnd_below(rng, 8))
		seal_again();
	if (!rnd_below(rng, 8))
		input_size = rnd_below(rng, (u32)input_size + 1);
}

#ifdef RAIZN_LIBFUZZER

size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max_size,
			       unsigned int seed);

/* Blind changes never get past the CRC: start from sound records, seal again. */
size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max_size,
			       unsigned int seed)
{
	struct rng rng = { seed };

	if (size < RAIZN_BLOCK_SIZE || size > sizeof(input)) {
		make_input(&rng);
	} else {
		memcpy(input, data, size);
		input_size = size;
		mutate(&rng);
		seal_again();
	}
	if (input_size > max_size)
		input_size = max_size;
	memcpy(data, input, input_size);
	return input_size;
}

#else /* drives itself */

static u64 seed = 1;
static unsigned long number;	/* of the input */

static void say_which(void)
{
	fprintf(stderr, "again: fuzz_record 1 %llu %lu\n",
		(unsigned long long)seed, number);
}

int main(int argc, char **argv)
{
	unsigned long iterations = argc > 1 ? strtoul(argv[1], NULL, 0) : 10000;
	unsigned long first = argc > 3 ? strtoul(argv[3], NULL, 0) : 0;
	struct rng rng;
	int v;

	if (argc > 2)
		seed = strtoull(argv[2], NULL, 0);
	printf("# %lu inputs from seed %llu\n", iterations,
	       (unsigned long long)seed);
	fflush(stdout);
	__sanitizer_set_death_callback(say_which);
	for (number = first; number - first < iterations; number++) {
		/* every input starts from the seed and its number alone */
		rng.state = seed;
		rng.state = rnd(&rng) + number;
		make_input(&rng);
		LLVMFuzzerTestOneInput(input, input_size);
	}
	for (v = 0; v <= RAIZN_RECORD_BAD_FIELD; v++)
		printf("# %s: %lu\n", raizn_record_verdict_name(v),
		       reached.verdicts[v]);
	printf("# superblocks taken: %lu, records that fit: %lu, contradictions: %lu\n",
	       reached.superblocks, reached.fits, reached.contradictions);

	/* every refusal and every use was seen, or the inputs are no good */
	if (iterations < 10000)
		return 0;
	for (v = 0; v <= RAIZN_RECORD_BAD_FIELD; v++)
		must(reached.verdicts[v]);
	must(reached.superblocks && reached.fits && reached.contradictions);
	return 0;
}

#endif /* RAIZN_LIBFUZZER */
