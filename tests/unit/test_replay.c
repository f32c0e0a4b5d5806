// SPDX-License-Identifier: GPL-2.0
/*
 * Replay: the rules one by one, and whole lives of an array, whose log must
 * give back the state at any point it is cut off.
 */
#include "unit.h"
#include <cmocka.h>

#define NR_ZONES 9
#define RESETTING RAIZN_ZONE_RESETTING
#define FINISHED RAIZN_ZONE_FINISHED
#define MAXC RAIZN_GENERATION_MAX

static struct raizn_geometry geo;
static struct raizn_zone_state zones[NR_ZONES];

static int setup(void **state)
{
	(void)state;
	unit_geometry(&unit_arrays[1], &geo);
	assert_int_equal(geo.nr_zones, NR_ZONES);
	memset(zones, 0, sizeof(zones));
	return 0;
}

/* Fill a record without payload and make sure a reader would take it. */
static void seal_checked(struct raizn_record *rec, u64 seq, u8 role)
{
	raizn_record_seal(rec, seq, 1, 0, role);
	assert_int_equal(raizn_record_verify(rec, raizn_record_bytes(rec)),
			 RAIZN_RECORD_OK);
	assert_true(raizn_record_fits(rec, &geo, unit_uuid));
}

static void make_reset(struct raizn_record *rec, u32 zone, u64 generation,
		       u32 flags)
{
	raizn_record_init(rec, RAIZN_REC_RESET, unit_uuid, 0);
	rec->zone = cpu_to_le32(zone);
	rec->generation = cpu_to_le64(generation);
	rec->flags = cpu_to_le32(flags);
	seal_checked(rec, 1, RAIZN_LOG_GENERAL);
}

static void make_finish(struct raizn_record *rec, u32 zone, u64 generation,
			u32 wp)
{
	raizn_record_init(rec, RAIZN_REC_FINISH, unit_uuid, 0);
	rec->zone = cpu_to_le32(zone);
	rec->generation = cpu_to_le64(generation);
	rec->start = cpu_to_le64(wp);
	seal_checked(rec, 1, RAIZN_LOG_GENERAL);
}

static int reset(u32 zone, u64 generation, u32 flags)
{
	struct raizn_record rec;

	make_reset(&rec, zone, generation, flags);
	return raizn_replay_record(&geo, zones, NULL, &rec);
}

static int finish(u32 zone, u64 generation, u32 wp)
{
	struct raizn_record rec;

	make_finish(&rec, zone, generation, wp);
	return raizn_replay_record(&geo, zones, NULL, &rec);
}

static void expect(u32 zone, u64 generation, u32 wp, u32 flags)
{
	assert_int_equal(zones[zone].generation, generation);
	assert_int_equal(zones[zone].wp, wp);
	assert_int_equal(zones[zone].flags, flags);
}

static void expect_rest_untouched(u32 zone)
{
	u32 i;

	for (i = 0; i < NR_ZONES; i++) {
		if (i != zone)
			expect(i, 0, 0, 0);
	}
}

static void reset_one(void **state)
{
	(void)state;
	zones[4] = (struct raizn_zone_state){ 7, 100, FINISHED };
	assert_int_equal(reset(4, 7, RAIZN_RESET_INTENT), 0);
	expect(4, 7, 100, FINISHED | RESETTING);
	assert_int_equal(reset(4, 7, RAIZN_RESET_INTENT), 0);
	expect(4, 7, 100, FINISHED | RESETTING);
	assert_int_equal(reset(4, 7, RAIZN_RESET_DONE), 0);
	expect(4, 8, 0, 0);
	/* the copies from the other members */
	assert_int_equal(reset(4, 7, RAIZN_RESET_DONE), 0);
	assert_int_equal(reset(4, 7, RAIZN_RESET_INTENT), 0);
	expect(4, 8, 0, 0);
	expect_rest_untouched(4);
	/* the intent was lost with its log zone; the done counts all the same */
	assert_int_equal(reset(4, 8, RAIZN_RESET_DONE), 0);
	expect(4, 9, 0, 0);
}

static void finish_one(void **state)
{
	(void)state;
	zones[8].generation = 3;
	assert_int_equal(finish(8, 3, 40), 0);
	expect(8, 3, 40, FINISHED);
	assert_int_equal(finish(8, 3, 40), 0);
	expect(8, 3, 40, FINISHED);
	/* recovery may find less, and finishes again there */
	assert_int_equal(finish(8, 3, 24), 0);
	expect(8, 3, 24, FINISHED);
	assert_int_equal(finish(8, 3, geo.zone_cap), 0);
	expect(8, 3, geo.zone_cap, FINISHED);
	expect_rest_untouched(8);
}

static void older_is_void(void **state)
{
	u64 g;

	(void)state;
	zones[2] = (struct raizn_zone_state){ 5, 16, FINISHED };
	for (g = 0; g < 5; g++) {
		assert_int_equal(reset(2, g, RAIZN_RESET_INTENT), 0);
		assert_int_equal(reset(2, g, RAIZN_RESET_DONE), 0);
		assert_int_equal(finish(2, g, 8), 0);
		expect(2, 5, 16, FINISHED);
	}
	expect_rest_untouched(2);
}

static void newer_contradicts(void **state)
{
	static const u64 later[] = { 6, 7, 1000, MAXC };
	u32 i;

	(void)state;
	zones[2] = (struct raizn_zone_state){ 5, 16, FINISHED };
	for (i = 0; i < ARRAY_SIZE(later); i++) {
		assert_int_equal(reset(2, later[i], RAIZN_RESET_INTENT),
				 -EUCLEAN);
		assert_int_equal(reset(2, later[i], RAIZN_RESET_DONE),
				 -EUCLEAN);
		assert_int_equal(finish(2, later[i], 8), -EUCLEAN);
		expect(2, 5, 16, FINISHED);
	}
	expect_rest_untouched(2);
}

static void reset_all(void **state)
{
	u32 i;

	(void)state;
	for (i = 0; i < NR_ZONES; i++)
		zones[i] = (struct raizn_zone_state){ i * 10, i % 2 ? 8 : 0,
						      i % 2 ? FINISHED : 0 };
	/* its generation field means nothing */
	assert_int_equal(reset(RAIZN_ZONE_ALL, 12345, RAIZN_RESET_INTENT), 0);
	for (i = 0; i < NR_ZONES; i++)
		expect(i, i * 10, i % 2 ? 8 : 0,
		       RESETTING | (i % 2 ? FINISHED : 0));
	/* two zones are reset again by themselves before it is done */
	assert_int_equal(reset(3, 30, RAIZN_RESET_DONE), 0);
	assert_int_equal(reset(0, 0, RAIZN_RESET_DONE), 0);
	assert_int_equal(reset(RAIZN_ZONE_ALL, 0, RAIZN_RESET_DONE), 0);
	for (i = 0; i < NR_ZONES; i++)
		expect(i, i * 10 + 1, 0, 0);
	/* a copy of it raises nothing once more */
	assert_int_equal(reset(RAIZN_ZONE_ALL, 0, RAIZN_RESET_DONE), 0);
	for (i = 0; i < NR_ZONES; i++)
		expect(i, i * 10 + 1, 0, 0);
}

/* A generation never passes the largest one, however many records say so. */
static void generations_end(void **state)
{
	(void)state;
	zones[1].generation = MAXC - 1;
	assert_int_equal(reset(1, MAXC - 1, RAIZN_RESET_DONE), 0);
	expect(1, MAXC, 0, 0);
	assert_int_equal(reset(1, MAXC, RAIZN_RESET_DONE), -EUCLEAN);
	expect(1, MAXC, 0, 0);
	assert_int_equal(reset(RAIZN_ZONE_ALL, 0, RAIZN_RESET_INTENT), 0);
	assert_int_equal(reset(RAIZN_ZONE_ALL, 0, RAIZN_RESET_DONE), -EUCLEAN);
	expect(1, MAXC, 0, RESETTING);
}

static void records_without_effect(void **state)
{
	static struct unit_buffer buf;
	struct raizn_zone_state before[NR_ZONES];
	u32 i;

	(void)state;
	for (i = 0; i < NR_ZONES; i++)
		zones[i] = (struct raizn_zone_state){ i, 8, FINISHED };
	memcpy(before, zones, sizeof(zones));

	unit_record(&unit_arrays[1], KIND_SUPERBLOCK, &buf);
	assert_int_equal(raizn_replay_record(&geo, zones, NULL, &buf.rec), 0);
	unit_record(&unit_arrays[1], KIND_CHECKPOINT, &buf);
	assert_int_equal(raizn_replay_record(&geo, zones, NULL, &buf.rec), 0);
	/* records of the other log have no place here */
	unit_record(&unit_arrays[1], KIND_SUPERBLOCK_PP_LOG, &buf);
	assert_int_equal(raizn_replay_record(&geo, zones, NULL, &buf.rec), -EUCLEAN);
	unit_record(&unit_arrays[1], KIND_PARTIAL_PARITY, &buf);
	assert_int_equal(raizn_replay_record(&geo, zones, NULL, &buf.rec), -EUCLEAN);
	buf.rec.role = RAIZN_LOG_GENERAL;
	assert_int_equal(raizn_replay_record(&geo, zones, NULL, &buf.rec), -EUCLEAN);
	assert_memory_equal(zones, before, sizeof(zones));
}

static void make_table(struct unit_buffer *buf,
		       const struct raizn_zone_state *from, u32 first, u32 nr)
{
	/* old contents must not show in the padding */
	memset(buf, 0x5a, sizeof(*buf));
	raizn_record_init(&buf->rec, RAIZN_REC_ZONE_TABLE, unit_uuid,
			  raizn_zone_table_payload(nr));
	raizn_zone_table_fill(&buf->rec, from, first, nr);
	seal_checked(&buf->rec, 1, RAIZN_LOG_GENERAL);
}

/* Each piece of the table sets its zones, no others, and is padded with zeros. */
static void table_pieces(void **state)
{
	static struct unit_buffer buf;
	struct raizn_zone_state from[NR_ZONES];
	u32 first, nr, i;

	(void)state;
	for (i = 0; i < NR_ZONES; i++)
		from[i] = (struct raizn_zone_state){
			(i + 1) * 0x123456789abULL,
			i & FINISHED ? 8 * i : 0, i % 4 };

	for (first = 0; first < NR_ZONES; first++) {
		for (nr = 1; nr <= NR_ZONES - first; nr++) {
			make_table(&buf, from, first, nr);
			assert_int_equal(le32_to_cpu(buf.rec.zone), first);
			assert_int_equal(le32_to_cpu(buf.rec.nr_zones), nr);
			assert_int_equal(raizn_record_bytes(&buf.rec), 8192);
			for (i = nr * 16; i < 4096; i++)
				assert_int_equal(buf.payload[i], 0);
			assert_int_equal(buf.payload[4096], 0x5a);

			memset(zones, 0, sizeof(zones));
			assert_int_equal(raizn_replay_record(&geo, zones, NULL,
							     &buf.rec), 0);
			for (i = 0; i < NR_ZONES; i++) {
				if (i < first || i >= first + nr)
					expect(i, 0, 0, 0);
				else
					expect(i, from[i].generation,
					       from[i].wp, from[i].flags);
			}
		}
	}
	assert_int_equal(raizn_zone_table_payload(0), 0);
	assert_int_equal(raizn_zone_table_payload(1), 4096);
	assert_int_equal(raizn_zone_table_payload(256), 4096);
	assert_int_equal(raizn_zone_table_payload(257), 8192);
	assert_int_equal(raizn_zone_table_payload(RAIZN_ZONE_TABLE_MAX),
			 RAIZN_RECORD_MAX - RAIZN_BLOCK_SIZE);
}

/* What a table's entry does to a zone, by generation. */
static void table_merges(void **state)
{
	static const struct {
		struct raizn_zone_state zone, entry, expect;
	} cases[] = {
		/* older: void */
		{ { 5, 8, FINISHED }, { 4, 16, FINISHED | RESETTING },
		  { 5, 8, FINISHED } },
		{ { 5, 0, 0 }, { 4, 16, FINISHED }, { 5, 0, 0 } },
		/* newer: replaces */
		{ { 5, 8, FINISHED | RESETTING }, { 6, 0, 0 }, { 6, 0, 0 } },
		{ { 5, 8, FINISHED }, { 6, 0, RESETTING }, { 6, 0, RESETTING } },
		{ { 5, 8, FINISHED }, { 9, 16, FINISHED }, { 9, 16, FINISHED } },
		/* same: flags are added, none is lost */
		{ { 5, 0, 0 }, { 5, 0, RESETTING }, { 5, 0, RESETTING } },
		{ { 5, 0, RESETTING }, { 5, 0, 0 }, { 5, 0, RESETTING } },
		{ { 5, 8, FINISHED }, { 5, 0, 0 }, { 5, 8, FINISHED } },
		{ { 5, 8, FINISHED }, { 5, 0, RESETTING },
		  { 5, 8, FINISHED | RESETTING } },
		{ { 5, 0, RESETTING }, { 5, 8, FINISHED },
		  { 5, 8, FINISHED | RESETTING } },
		{ { 5, 16, FINISHED }, { 5, 8, FINISHED }, { 5, 8, FINISHED } },
		/* a write pointer counts only in a finished zone */
		{ { 5, 0, 0 }, { 6, 8, 0 }, { 6, 0, 0 } },
		{ { 5, 0, 0 }, { 5, 8, RESETTING }, { 5, 0, RESETTING } },
	};
	static struct unit_buffer buf;
	struct raizn_zone_state from[NR_ZONES] = { 0 };
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		zones[6] = cases[i].zone;
		from[6] = cases[i].entry;
		make_table(&buf, from, 6, 1);
		assert_int_equal(raizn_replay_record(&geo, zones, NULL, &buf.rec), 0);
		check(zones[6].generation == cases[i].expect.generation &&
		      zones[6].wp == cases[i].expect.wp &&
		      zones[6].flags == cases[i].expect.flags,
		      "case %u: generation %llu wp %u flags %u", i,
		      (unsigned long long)zones[6].generation, zones[6].wp,
		      zones[6].flags);
		expect_rest_untouched(6);
	}
}

/* All zones of a large array, in as few records as they fit. */
static void large_table(void **state)
{
	const u32 nr_zones = 100584;
	static struct unit_buffer buf;
	struct raizn_zone_state *from, *to;
	struct raizn_geometry big;
	struct rng rng = { unit_seed() };
	const char *why;
	u32 i, nr, records = 0;

	(void)state;
	assert_int_equal(raizn_geometry_init(&big, 5, 5, 128, 4096, 1U << 19,
					     1U << 19, 1006, 7, nr_zones, &why),
			 0);
	from = calloc(nr_zones, sizeof(*from));
	to = calloc(nr_zones, sizeof(*to));
	assert_true(from && to);
	for (i = 0; i < nr_zones; i++) {
		from[i].generation = rnd(&rng) % MAXC;
		from[i].flags = rnd_below(&rng, 4);
		if (from[i].flags & FINISHED)
			from[i].wp = 8 * rnd_below(&rng, big.zone_cap / 8 + 1);
	}
	for (i = 0; i < nr_zones; i += nr, records++) {
		nr = nr_zones - i;
		if (nr > RAIZN_ZONE_TABLE_MAX)
			nr = RAIZN_ZONE_TABLE_MAX;
		raizn_record_init(&buf.rec, RAIZN_REC_ZONE_TABLE, unit_uuid,
				  raizn_zone_table_payload(nr));
		raizn_zone_table_fill(&buf.rec, from, i, nr);
		raizn_record_seal(&buf.rec, i, 1, 0, RAIZN_LOG_GENERAL);
		assert_int_equal(raizn_record_verify(&buf, sizeof(buf)),
				 RAIZN_RECORD_OK);
		assert_true(raizn_record_fits(&buf.rec, &big, unit_uuid));
		assert_int_equal(raizn_replay_record(&big, to, NULL, &buf.rec), 0);
	}
	assert_int_equal(records, 27);
	assert_memory_equal(from, to, nr_zones * sizeof(*from));
	free(from);
	free(to);
}

/*
 * The life of an array: what its zones are, and the log it keeps of them.  A
 * zone here is a list of what happened to it; what the log must say follows.
 */
#define MAX_LOG 400

struct life {
	struct raizn_zone_state zone[NR_ZONES];
	struct unit_buffer *log[MAX_LOG];
	struct raizn_zone_state after[MAX_LOG][NR_ZONES];
	u32 nr;
};

static void log_record(struct life *life, const void *rec, u32 len)
{
	assert_true(life->nr < MAX_LOG);
	/* no more memory than the record has: reading on is caught */
	life->log[life->nr] = malloc(len);
	assert_non_null(life->log[life->nr]);
	memcpy(life->log[life->nr], rec, len);
	memcpy(life->after[life->nr], life->zone, sizeof(life->zone));
	life->nr++;
}

static void log_checkpoint(struct life *life, struct rng *rng)
{
	static struct unit_buffer buf;
	u32 i, nr;

	for (i = 0; i < NR_ZONES; i += nr) {
		nr = 1 + rnd_below(rng, NR_ZONES - i);
		make_table(&buf, life->zone, i, nr);
		log_record(life, &buf, raizn_record_bytes(&buf.rec));
	}
	unit_record(&unit_arrays[1], KIND_CHECKPOINT, &buf);
	log_record(life, &buf, raizn_record_bytes(&buf.rec));
}

static void live(struct life *life, struct rng *rng)
{
	struct raizn_zone_state *zone;
	struct raizn_record rec;
	u32 z, i, wp, what = rnd_below(rng, 16);

	z = rnd_below(rng, NR_ZONES);
	zone = &life->zone[z];
	if (what < 6) {		/* finish */
		if (zone->flags)
			return;
		wp = rnd_below(rng, geo.zone_cap + 1);
		make_finish(&rec, z, zone->generation, wp);
		zone->flags = FINISHED;
		zone->wp = wp;
	} else if (what < 10) {	/* begin a reset */
		if (zone->flags & RESETTING)
			return;
		make_reset(&rec, z, zone->generation, RAIZN_RESET_INTENT);
		zone->flags |= RESETTING;
	} else if (what < 14) {	/* end one */
		if (!(zone->flags & RESETTING))
			return;
		make_reset(&rec, z, zone->generation, RAIZN_RESET_DONE);
		*zone = (struct raizn_zone_state){ zone->generation + 1, 0, 0 };
	} else if (what == 14) {
		make_reset(&rec, RAIZN_ZONE_ALL, 0, RAIZN_RESET_INTENT);
		for (i = 0; i < NR_ZONES; i++)
			life->zone[i].flags |= RESETTING;
	} else {
		make_reset(&rec, RAIZN_ZONE_ALL, 0, RAIZN_RESET_DONE);
		for (i = 0; i < NR_ZONES; i++) {
			zone = &life->zone[i];
			if (zone->flags & RESETTING)
				*zone = (struct raizn_zone_state){
					zone->generation + 1, 0, 0 };
		}
	}
	log_record(life, &rec, sizeof(rec));
}

static void random_lives(void **state)
{
	static struct life life;
	struct rng rng = { unit_seed() };
	const struct raizn_record *rec;
	u32 round, i, k, copies, start;

	(void)state;
	for (round = 0; round < 1500; round++) {
		memset(&life, 0, sizeof(life));
		/* some array that has seen something, not only a new one */
		for (i = 0; i < NR_ZONES; i++)
			life.zone[i].generation =
				round % 3 ? rnd_below(&rng, 1000) : 0;
		/* what a mount does first */
		log_checkpoint(&life, &rng);
		start = life.nr;
		for (i = rnd_below(&rng, 100); i; i--)
			live(&life, &rng);

		memset(zones, 0, sizeof(zones));
		for (i = 0; i < life.nr; i++) {
			/* as many members still have it */
			copies = 1 + rnd_below(&rng, 3);
			rec = &life.log[i]->rec;
			for (k = 0; k < copies; k++)
				assert_int_equal(raizn_replay_record(&geo, zones, NULL, rec), 0);
			if (i < start - 1)
				continue;
			/* cut off here, this is what must be known */
			check(!memcmp(zones, life.after[i], sizeof(zones)),
			      "seed %#llx round %u record %u",
			      (unsigned long long)unit_seed(), round, i);
		}

		/* a later checkpoint on its own says the same */
		start = life.nr;
		log_checkpoint(&life, &rng);
		memset(zones, 0, sizeof(zones));
		for (i = start; i < life.nr; i++) {
			rec = &life.log[i]->rec;
			assert_int_equal(raizn_replay_record(&geo, zones, NULL, rec), 0);
		}
		assert_memory_equal(zones, life.zone, sizeof(zones));

		for (i = 0; i < life.nr; i++)
			free(life.log[i]);
	}
}

/* The table of replay.c once more, zone by zone and without its shortcuts. */
static int naive_replay(struct raizn_zone_state *z, const struct raizn_record *r,
			u32 number)
{
	bool all = le32_to_cpu(r->zone) == RAIZN_ZONE_ALL;
	u64 generation = le64_to_cpu(r->generation);
	bool intent = le32_to_cpu(r->flags) & RAIZN_RESET_INTENT;

	if (!all && le32_to_cpu(r->zone) != number)
		return 0;
	if (all && !intent && !(z->flags & RESETTING))
		return 0;
	if (!all && generation < z->generation)
		return 0;
	if (!all && generation > z->generation)
		return -EUCLEAN;
	if (le16_to_cpu(r->type) == RAIZN_REC_FINISH) {
		z->wp = (u32)le64_to_cpu(r->start);
		z->flags |= FINISHED;
	} else if (intent) {
		z->flags |= RESETTING;
	} else {
		if (z->generation == MAXC)
			return -EUCLEAN;
		*z = (struct raizn_zone_state){ z->generation + 1, 0, 0 };
	}
	return 0;
}

/* Records that need not make sense together. */
static void random_records(void **state)
{
	struct rng rng = { unit_seed() };
	struct raizn_zone_state model[NR_ZONES] = { 0 };
	struct raizn_record rec;
	u32 i, z, zone, contradictions = 0;
	u64 generation;
	int expected, ret;

	(void)state;
	for (i = 0; i < 50000; i++) {
		zone = rnd_below(&rng, NR_ZONES + 1);
		generation = zone < NR_ZONES ? model[zone].generation : 0;
		if (i % 1000 == 0 && zone < NR_ZONES) {
			/* sometimes close to the end of all generations */
			model[zone].generation = MAXC - rnd_below(&rng, 3);
			zones[zone].generation = model[zone].generation;
		}
		if (rnd_below(&rng, 3) == 0)
			generation += rnd_below(&rng, 5) - 2ULL;
		if (generation > MAXC)
			generation = MAXC;
		if (zone < NR_ZONES && rnd_below(&rng, 3) == 0)
			make_finish(&rec, zone, generation,
				    rnd_below(&rng, geo.zone_cap + 1));
		else
			make_reset(&rec, zone < NR_ZONES ? zone :
				   RAIZN_ZONE_ALL, generation,
				   rnd_below(&rng, 2) ? RAIZN_RESET_INTENT :
							RAIZN_RESET_DONE);
		expected = 0;
		for (z = 0; z < NR_ZONES && !expected; z++)
			expected = naive_replay(&model[z], &rec, z);
		ret = raizn_replay_record(&geo, zones, NULL, &rec);
		contradictions += ret == -EUCLEAN;
		check(ret == expected && !memcmp(zones, model, sizeof(zones)),
		      "seed %#llx record %u: %d, expected %d",
		      (unsigned long long)unit_seed(), i, ret, expected);
	}
	assert_in_range(contradictions, 1000, 25000);
}

/* A ZONE_MAP record with entries (zone, column, RAIZN_PLACE_*)... */
static void map_record(struct raizn_record *rec, u64 version, u32 nr,
		       const u32 (*entries)[3])
{
	u32 payload = raizn_zone_map_payload(nr);
	u32 i;

	raizn_record_init(rec, RAIZN_REC_ZONE_MAP, unit_uuid, payload);
	memset(rec + 1, 0, payload);
	rec->start = cpu_to_le64(version);
	for (i = 0; i < nr; i++)
		raizn_zone_map_add(&geo, rec, entries[i][0], entries[i][1],
				   entries[i][2]);
	raizn_record_seal(rec, 1, 1, 0, RAIZN_LOG_GENERAL);
	assert_int_equal(raizn_record_verify(rec, raizn_record_bytes(rec)),
			 RAIZN_RECORD_OK);
}

static struct {
	struct raizn_record rec;
	u8 payload[RAIZN_BLOCK_SIZE];
} map_buf;

static int replay_map(struct raizn_zone_map *map, u64 version, u32 zone,
		      u32 column, u32 place)
{
	const u32 entry[1][3] = { { zone, column, place } };

	map_record(&map_buf.rec, version, 1, entry);
	if (!raizn_record_fits(&map_buf.rec, &geo, unit_uuid))
		return -ERANGE;
	return raizn_replay_record(&geo, zones, map, &map_buf.rec);
}

static void zone_map_replays(void **state)
{
	u32 *entries = calloc(NR_ZONES * geo.nr_members, sizeof(*entries));
	struct raizn_zone_map map = { .entries = entries };
	u32 *used = calloc(raizn_most_zones(&geo), sizeof(*used));
	u32 home = geo.nr_reserved;

	(void)state;
	assert_int_equal(raizn_zone_map_physical(&geo, &map, 3, 1), home + 3);
	assert_int_equal(replay_map(&map, 1, 3, 1, 5), 0);
	assert_int_equal(raizn_zone_map_physical(&geo, &map, 3, 1), 5);
	assert_int_equal(raizn_zone_map_physical(&geo, &map, 3, 0), home + 3);
	/* 3 left its home, so another zone can have that */
	assert_int_equal(replay_map(&map, 2, 5, 1, home + 3), 0);
	assert_int_equal(raizn_zone_map_check(&geo, &map, used), 0);
	/* an older version is void */
	assert_int_equal(replay_map(&map, 1, 3, 1, 6), 0);
	assert_int_equal(raizn_zone_map_physical(&geo, &map, 3, 1), 5);
	assert_int_equal(map.version, 2);
	/* two zones in one place */
	assert_int_equal(replay_map(&map, 3, 6, 1, 5), 0);
	assert_int_equal(raizn_zone_map_check(&geo, &map, used), -EUCLEAN);
	/* the same place on another member is another place */
	assert_int_equal(replay_map(&map, 4, 6, 1, home + 6), 0);
	assert_int_equal(replay_map(&map, 5, 6, 0, 5), 0);
	assert_int_equal(raizn_zone_map_check(&geo, &map, used), 0);
	assert_int_equal(map.entries[6 * geo.nr_members + 1], 0);
	/* many columns can be nowhere, and come back to any place that is free */
	assert_int_equal(replay_map(&map, 6, 7, 1, RAIZN_PLACE_NOWHERE), 0);
	assert_int_equal(replay_map(&map, 7, 8, 1, RAIZN_PLACE_NOWHERE), 0);
	assert_int_equal(raizn_zone_map_physical(&geo, &map, 7, 1), RAIZN_NOWHERE);
	assert_int_equal(raizn_zone_map_check(&geo, &map, used), 0);
	assert_int_equal(replay_map(&map, 8, 7, 1, 6), 0);
	assert_int_equal(replay_map(&map, 9, 8, 1, home + 8), 0);
	assert_int_equal(raizn_zone_map_physical(&geo, &map, 8, 1), home + 8);
	assert_int_equal(raizn_zone_map_check(&geo, &map, used), 0);
	free(used);
	free(entries);
}

/* Marks go with the entries, and places do not change with them. */
static void zone_map_marks(void **state)
{
	u32 *entries = calloc(NR_ZONES * geo.nr_members, sizeof(*entries));
	struct raizn_zone_map map = { .entries = entries };
	u32 *used = calloc(raizn_most_zones(&geo), sizeof(*used));
	u32 home = geo.nr_reserved;

	(void)state;
	assert_false(raizn_zone_map_whole(&geo, &map, 3, 1));
	assert_int_equal(replay_map(&map, 1, 3, 1, (home + 3) | RAIZN_PLACE_WHOLE), 0);
	assert_true(raizn_zone_map_whole(&geo, &map, 3, 1));
	assert_int_equal(raizn_zone_map_physical(&geo, &map, 3, 1), home + 3);
	assert_int_equal(replay_map(&map, 2, 4, 1, 5 | RAIZN_PLACE_WHOLE), 0);
	assert_true(raizn_zone_map_whole(&geo, &map, 4, 1));
	assert_int_equal(raizn_zone_map_physical(&geo, &map, 4, 1), 5);
	assert_int_equal(raizn_zone_map_check(&geo, &map, used), 0);
	/* an older version is void */
	assert_int_equal(replay_map(&map, 1, 4, 1, 5), 0);
	assert_true(raizn_zone_map_whole(&geo, &map, 4, 1));
	/* a record without the mark removes it */
	assert_int_equal(replay_map(&map, 3, 4, 1, 5), 0);
	assert_false(raizn_zone_map_whole(&geo, &map, 4, 1));
	assert_int_equal(replay_map(&map, 4, 3, 1, home + 3), 0);
	assert_int_equal(map.entries[3 * geo.nr_members + 1], 0);
	/* a column that is nowhere is not whole */
	assert_int_equal(replay_map(&map, 5, 4, 1, RAIZN_PLACE_NOWHERE), 0);
	assert_false(raizn_zone_map_whole(&geo, &map, 4, 1));
	assert_int_equal(raizn_zone_map_physical(&geo, &map, 4, 1), RAIZN_NOWHERE);
	/* a place that does not exist is none with a mark, either; nor are there other marks */
	assert_int_equal(replay_map(&map, 6, 0, 0,
				    (home + 2 * NR_ZONES) | RAIZN_PLACE_WHOLE), -ERANGE);
	assert_int_equal(replay_map(&map, 6, 0, 0, home), 0);
	((struct raizn_map_entry *)map_buf.payload)->flags = cpu_to_le16(2);
	assert_false(raizn_record_fits(&map_buf.rec, &geo, unit_uuid));
	free(used);
	free(entries);
}

static void zone_map_limits(void **state)
{
	u32 *entries = calloc(NR_ZONES * geo.nr_members, sizeof(*entries));
	struct raizn_zone_map map = { .entries = entries };
	u32 end = geo.nr_reserved + 2 * NR_ZONES;

	(void)state;
	assert_int_equal(end, raizn_most_zones(&geo));
	assert_int_equal(replay_map(&map, 1, NR_ZONES - 1, geo.nr_members - 1,
				    end - 1), 0);
	assert_int_equal(replay_map(&map, 1, NR_ZONES, 0, 5), -ERANGE);
	assert_int_equal(replay_map(&map, 1, 0, geo.nr_members, 5), -ERANGE);
	assert_int_equal(replay_map(&map, 1, 0, 0, end), -ERANGE);
	assert_int_equal(replay_map(&map, 1, 0, 0, RAIZN_PLACE_NOWHERE - 1), -ERANGE);
	assert_int_equal(replay_map(&map, 1, 0, 0, RAIZN_NR_LOG_ZONES - 1),
			 -ERANGE);
	assert_int_equal(replay_map(&map, 1, 0, 0, geo.nr_members << RAIZN_PLACE_SHIFT),
			 -ERANGE);
	assert_int_equal(replay_map(&map, 1, 0, 0, (geo.nr_members - 1) << RAIZN_PLACE_SHIFT), 0);
	free(entries);
}

/* Columns behind the end of a smaller drive are nowhere, those of other members stay. */
static void zone_map_cut(void **state)
{
	u32 *entries = calloc(NR_ZONES * geo.nr_members, sizeof(*entries));
	struct raizn_zone_map map = { .entries = entries };
	u32 *used = calloc(raizn_most_zones(&geo), sizeof(*used));
	u32 common = raizn_common_zones(&geo);

	(void)state;
	assert_int_equal(raizn_zone_map_cut(&geo, &map, 1, common), 0);
	assert_int_equal(replay_map(&map, 1, 3, 1, common), 0);
	assert_int_equal(replay_map(&map, 2, 4, 1, (common + 1) | RAIZN_PLACE_WHOLE), 0);
	assert_int_equal(replay_map(&map, 3, 4, 0, common + 1), 0);
	assert_int_equal(replay_map(&map, 4, 5, 1, RAIZN_PLACE_NOWHERE), 0);
	/* Each member has its own surplus. */
	assert_int_equal(raizn_zone_map_check(&geo, &map, used), 0);
	assert_int_equal(raizn_zone_map_cut(&geo, &map, 1, common + 2), 0);
	assert_int_equal(raizn_zone_map_cut(&geo, &map, 1, common + 1), 1);
	assert_int_equal(raizn_zone_map_physical(&geo, &map, 3, 1), common);
	assert_int_equal(raizn_zone_map_physical(&geo, &map, 4, 1), RAIZN_NOWHERE);
	assert_false(raizn_zone_map_whole(&geo, &map, 4, 1));
	assert_int_equal(raizn_zone_map_cut(&geo, &map, 1, common), 1);
	assert_int_equal(raizn_zone_map_physical(&geo, &map, 3, 1), RAIZN_NOWHERE);
	assert_int_equal(raizn_zone_map_physical(&geo, &map, 4, 0), common + 1);
	/* Two columns in one surplus zone */
	assert_int_equal(replay_map(&map, 5, 6, 0, common + 1), 0);
	assert_int_equal(raizn_zone_map_check(&geo, &map, used), -EUCLEAN);
	free(used);
	free(entries);
}

/* A place whose column is @distance slots further than its number. */
static u32 distant(u32 place, u32 distance)
{
	return place | distance << RAIZN_PLACE_SHIFT;
}

/* Columns belong to members of other slots, zone by zone, also while they are nowhere. */
static void zone_map_distances(void **state)
{
	u32 *entries = calloc(NR_ZONES * geo.nr_members, sizeof(*entries));
	struct raizn_zone_map map = { .entries = entries };
	u32 *used = calloc(raizn_most_zones(&geo), sizeof(*used));
	u32 last = geo.nr_members - 1, all = (1U << geo.nr_members) - 1;
	u32 c;

	(void)state;
	for (c = 0; c <= last; c++) {
		assert_int_equal(raizn_zone_map_slot(&geo, &map, 3, c), c);
		assert_int_equal(raizn_zone_map_column(&geo, &map, 3, c), c);
	}
	assert_int_equal(raizn_zone_map_columns(&geo, &map, 3, 6), 6);
	/* One column alone cannot leave: its member has another column of the zone, too. */
	assert_int_equal(replay_map(&map, 1, 3, 0, distant(0, 1)), 0);
	assert_true(map.permuted);
	assert_int_equal(raizn_zone_map_slot(&geo, &map, 3, 0), 1);
	assert_int_equal(raizn_zone_map_column(&geo, &map, 3, 0), geo.nr_members);
	assert_int_equal(raizn_zone_map_check(&geo, &map, used), -EUCLEAN);
	for (c = 1; c <= last; c++)
		assert_int_equal(replay_map(&map, 1, 3, c, distant(0, 1)), 0);
	assert_int_equal(raizn_zone_map_check(&geo, &map, used), 0);
	for (c = 0; c <= last; c++) {
		assert_int_equal(raizn_zone_map_slot(&geo, &map, 3, c), (c + 1) % (last + 1));
		assert_int_equal(raizn_zone_map_column(&geo, &map, 3, c), (c + last) % (last + 1));
		assert_int_equal(raizn_zone_map_physical(&geo, &map, 3, c), geo.nr_reserved + 3);
		assert_int_equal(raizn_zone_map_slot(&geo, &map, 4, c), c);
	}
	assert_int_equal(raizn_zone_map_columns(&geo, &map, 3, 1), 1U << last);
	assert_int_equal(raizn_zone_map_columns(&geo, &map, 3, 6), 3);
	assert_int_equal(raizn_zone_map_columns(&geo, &map, 4, 6), 6);
	assert_int_equal(raizn_zone_map_slots(&geo, &map, 3, 3), 6);
	assert_int_equal(raizn_zone_map_slots(&geo, &map, 3, all), all);
	assert_int_equal(raizn_zone_map_columns(&geo, &map, 3, 0), 0);
	/* Places are those of the member: another column of it cannot have the same. */
	assert_int_equal(replay_map(&map, 2, 3, 0, distant(5, 1)), 0);
	assert_int_equal(replay_map(&map, 3, 4, 0, 5), 0);
	assert_int_equal(raizn_zone_map_check(&geo, &map, used), 0);
	assert_int_equal(replay_map(&map, 4, 4, 1, 5), 0);
	assert_int_equal(raizn_zone_map_check(&geo, &map, used), -EUCLEAN);
	assert_int_equal(replay_map(&map, 5, 4, 1, 0), 0);
	/* A column that moves inside its member, or is nowhere, keeps its slot. */
	assert_int_equal(raizn_zone_map_moved(&geo, &map, 3, 0, 6, true),
			 distant(6, 1) | RAIZN_PLACE_WHOLE);
	assert_int_equal(raizn_zone_map_moved(&geo, &map, 3, 0, geo.nr_reserved + 3, false),
			 distant(0, 1));
	assert_int_equal(raizn_zone_map_moved(&geo, &map, 3, 0, RAIZN_NOWHERE, true),
			 distant(RAIZN_PLACE_NOWHERE, 1));
	assert_int_equal(replay_map(&map, 6, 3, 0, distant(RAIZN_PLACE_NOWHERE, 1)), 0);
	assert_int_equal(raizn_zone_map_physical(&geo, &map, 3, 0), RAIZN_NOWHERE);
	assert_int_equal(raizn_zone_map_slot(&geo, &map, 3, 0), 1);
	/* The drive of slot 1 lacks the home of zone 3, where nothing of its column 0 is. */
	assert_int_equal(raizn_zone_map_cut(&geo, &map, 2, geo.nr_reserved + 3), NR_ZONES - 3);
	assert_int_equal(raizn_zone_map_physical(&geo, &map, 3, 1), RAIZN_NOWHERE);
	assert_int_equal(raizn_zone_map_slot(&geo, &map, 3, 1), 2);
	assert_int_equal(raizn_zone_map_physical(&geo, &map, 3, 2), geo.nr_reserved + 3);
	assert_int_equal(raizn_zone_map_physical(&geo, &map, 4, 2), RAIZN_NOWHERE);
	free(used);
	free(entries);
}

/* Random permutations of all zones: each way to ask says the same. */
static void zone_map_permutations(void **state)
{
	u32 *entries = calloc(NR_ZONES * geo.nr_members, sizeof(*entries));
	struct raizn_zone_map map = { .entries = entries };
	u32 *used = calloc(raizn_most_zones(&geo), sizeof(*used));
	struct rng rng = { unit_seed() };
	u32 slots[RAIZN_MAX_MEMBERS], nr = geo.nr_members, zone, c, i, mask, expected;

	(void)state;
	for (zone = 0; zone < NR_ZONES; zone++) {
		for (c = 0; c < nr; c++) {
			i = rnd_below(&rng, c + 1);
			slots[c] = slots[i];
			slots[i] = c;
		}
		for (c = 0; c < nr; c++)
			assert_int_equal(replay_map(&map, 1, zone, c,
						    distant(0, (slots[c] + nr - c) % nr)), 0);
		mask = rnd_below(&rng, 1U << nr);
		expected = 0;
		for (c = 0; c < nr; c++) {
			assert_int_equal(raizn_zone_map_slot(&geo, &map, zone, c), slots[c]);
			assert_int_equal(raizn_zone_map_column(&geo, &map, zone, slots[c]), c);
			expected |= (mask >> c & 1) << slots[c];
		}
		assert_int_equal(raizn_zone_map_slots(&geo, &map, zone, mask), expected);
		assert_int_equal(raizn_zone_map_columns(&geo, &map, zone, expected), mask);
	}
	assert_int_equal(raizn_zone_map_check(&geo, &map, used), 0);
	free(used);
	free(entries);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(reset_one, setup),
		cmocka_unit_test_setup(finish_one, setup),
		cmocka_unit_test_setup(older_is_void, setup),
		cmocka_unit_test_setup(newer_contradicts, setup),
		cmocka_unit_test_setup(reset_all, setup),
		cmocka_unit_test_setup(generations_end, setup),
		cmocka_unit_test_setup(records_without_effect, setup),
		cmocka_unit_test_setup(table_pieces, setup),
		cmocka_unit_test_setup(table_merges, setup),
		cmocka_unit_test_setup(large_table, setup),
		cmocka_unit_test_setup(random_lives, setup),
		cmocka_unit_test_setup(random_records, setup),
		cmocka_unit_test_setup(zone_map_replays, setup),
		cmocka_unit_test_setup(zone_map_marks, setup),
		cmocka_unit_test_setup(zone_map_limits, setup),
		cmocka_unit_test_setup(zone_map_cut, setup),
		cmocka_unit_test_setup(zone_map_distances, setup),
		cmocka_unit_test_setup(zone_map_permutations, setup),
	};

	return cmocka_run_group_tests_name("replay", tests, NULL, NULL);
}
