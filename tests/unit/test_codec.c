// SPDX-License-Identifier: GPL-2.0
/*
 * Records: sealed ones are sound, and nothing else is.
 */
#include "unit.h"
#include <cmocka.h>

#define NR_ARRAYS ARRAY_SIZE(unit_arrays)

static struct unit_buffer buf;

/* CRC32C bit by bit, from its polynomial. */
static u32 slow_crc32c(u32 crc, const void *data, size_t len)
{
	const u8 *p = data;
	int bit;

	while (len--) {
		crc ^= *p++;
		for (bit = 0; bit < 8; bit++)
			crc = crc & 1 ? (crc >> 1) ^ 0x82f63b78 : crc >> 1;
	}
	return crc;
}

static void crc_known_values(void **state)
{
	u8 block[32];
	u32 i;

	(void)state;
	/* RFC 3720, B.4 (which inverts the result) */
	memset(block, 0, sizeof(block));
	assert_int_equal(~crc32c(~0U, block, 32) & 0xffffffff, 0x8a9136aa);
	memset(block, 0xff, sizeof(block));
	assert_int_equal(~crc32c(~0U, block, 32) & 0xffffffff, 0x62a8ab43);
	for (i = 0; i < 32; i++)
		block[i] = (u8)i;
	assert_int_equal(~crc32c(~0U, block, 32) & 0xffffffff, 0x46dd794e);
	assert_int_equal(~crc32c(~0U, "123456789", 9) & 0xffffffff, 0xe3069283);
	assert_int_equal(crc32c(0x1234, block, 0), 0x1234);
}

static void crc_any_length(void **state)
{
	struct rng rng = { unit_seed() };
	u8 data[300];
	u32 i, from, len, cut, seed;

	(void)state;
	for (i = 0; i < sizeof(data); i++)
		data[i] = (u8)rnd(&rng);
	for (from = 0; from < 16; from++) {
		for (len = 0; len <= sizeof(data) - from; len++) {
			seed = (u32)rnd(&rng);
			cut = rnd_below(&rng, len + 1);
			check(crc32c(seed, data + from, len) ==
			      slow_crc32c(seed, data + from, len),
			      "from %u len %u", from, len);
			check(crc32c(crc32c(seed, data + from, cut),
				     data + from + cut, len - cut) ==
			      slow_crc32c(seed, data + from, len),
			      "from %u len %u cut %u", from, len, cut);
		}
	}
}

/* Verify from memory of exactly this size, so that reading on is caught. */
static enum raizn_record_verdict verify_exactly(const void *from, size_t len)
{
	enum raizn_record_verdict verdict;
	void *copy = malloc(len ? len : 1);

	assert_non_null(copy);
	memcpy(copy, from, len);
	verdict = raizn_record_verify(copy, len);
	free(copy);
	return verdict;
}

static void init_and_seal(void **state)
{
	static const u32 payloads[] = { 0, 4096, 8192, 61440 };
	struct raizn_record expect;
	u32 crc, i;
	u16 type;

	(void)state;
	for (type = RAIZN_REC_SUPERBLOCK; type <= RAIZN_REC_PARTIAL_PARITY;
	     type++) {
		for (i = 0; i < ARRAY_SIZE(payloads); i++) {
			memset(&buf, 0xa5, sizeof(buf));
			raizn_record_init(&buf.rec, type, unit_uuid,
					  payloads[i]);

			memset(&expect, 0, sizeof(expect));
			memcpy(&expect, "D:RAIZN1", 8);
			expect.version = cpu_to_le16(1);
			expect.type = cpu_to_le16(type);
			expect.payload_len = cpu_to_le32(payloads[i]);
			memcpy(expect.array_uuid, unit_uuid, RAIZN_UUID_SIZE);
			if (type == RAIZN_REC_SUPERBLOCK ||
			    type == RAIZN_REC_CHECKPOINT)
				expect.zone = cpu_to_le32(0xffffffff);
			assert_memory_equal(&buf.rec, &expect, sizeof(expect));
			assert_int_equal(raizn_record_bytes(&buf.rec),
					 4096 + payloads[i]);

			raizn_record_seal(&buf.rec, 0x1122334455667788ULL,
					  0x99aabbccddULL, 0x1f, 2);
			expect.seq = cpu_to_le64(0x1122334455667788ULL);
			expect.epoch = cpu_to_le64(0x99aabbccddULL);
			expect.member = cpu_to_le16(0x1f);
			expect.role = 2;
			crc = slow_crc32c(~0U, &expect, sizeof(expect));
			crc = slow_crc32c(crc, buf.payload, payloads[i]);
			expect.crc = cpu_to_le32(crc);
			assert_memory_equal(&buf.rec, &expect, sizeof(expect));

			/* sealing again, for another log, forgets the first */
			raizn_record_seal(&buf.rec, 1, 2, 3, 1);
			raizn_record_seal(&buf.rec, 0x1122334455667788ULL,
					  0x99aabbccddULL, 0x1f, 2);
			assert_memory_equal(&buf.rec, &expect, sizeof(expect));
		}
	}
}

/* Bytes on disk where docs/format.md says they are. */
static void bytes_on_disk(void **state)
{
	const u8 *raw = (const u8 *)&buf;
	u32 len = unit_record(&unit_arrays[0], KIND_PARTIAL_PARITY, &buf);
	static const u8 start[] = { 'D', ':', 'R', 'A', 'I', 'Z', 'N', '1' };

	(void)state;
	assert_int_equal(len, 4096 + 61440);
	assert_memory_equal(raw, start, 8);
	assert_memory_equal(raw + 12, ((u8[]){ 1, 0, 6, 0, 0, 0xf0, 0, 0 }), 8);
	assert_memory_equal(raw + 24, "sixteen letters", 16);
	assert_memory_equal(raw + 40, ((u8[]){ 42, 0, 0, 0, 0, 0, 0, 0, 5 }), 9);
	assert_memory_equal(raw + 56, ((u8[]){ 1, 0, 2, 0 }), 4);
	assert_memory_equal(raw + 72, ((u8[]){ 0x9f, 0x0f, 0, 0 }), 4);
	assert_memory_equal(raw + 80, ((u8[]){ 0x88, 0x3d, 0, 0, 0, 0, 0, 0 }),
			    8);
	assert_memory_equal(raw + 88, ((u8[]){ 0x00, 0x3e, 0, 0, 0, 0, 0, 0 }),
			    8);
	assert_memory_equal(raw + 96, ((u8[]){ 8, 0, 0, 0, 120, 0, 0, 0 }), 8);

	unit_record(&unit_arrays[0], KIND_SUPERBLOCK, &buf);
	assert_memory_equal(raw + 128 + 24, "bbbbbbbbbbbbbbbb", 16);
	assert_string_equal((const char *)raw + 128 + 40, "unit-0");
	assert_memory_equal(raw + 128 + 180, ((u8[]){ 5, 1, 5, 0, 128 }), 5);
	assert_memory_equal(raw + 128 + 384 + 32, "bbbbbbbbbbbbbbbb", 16);
}

static void sound_records(void **state)
{
	struct raizn_geometry geo;
	u32 a, kind, len, made = 0;

	(void)state;
	for (a = 0; a < NR_ARRAYS; a++) {
		unit_geometry(&unit_arrays[a], &geo);
		for (kind = 0; kind < NR_KINDS; kind++) {
			len = unit_record(&unit_arrays[a], kind, &buf);
			if (!len)
				continue;
			made++;
			assert_int_equal(len, raizn_record_bytes(&buf.rec));
			assert_int_equal(verify_exactly(&buf, len),
					 RAIZN_RECORD_OK);
			/* what follows in the log zone is of no concern */
			assert_int_equal(raizn_record_verify(&buf, sizeof(buf)),
					 RAIZN_RECORD_OK);
			check(raizn_record_fits(&buf.rec, &geo, unit_uuid),
			      "array %u kind %u", a, kind);
		}
	}
	assert_int_equal(made, NR_ARRAYS * NR_KINDS - 1);
}

static void flip(u32 bit)
{
	((u8 *)&buf)[bit / 8] ^= (u8)(1 << bit % 8);
}

/* Every bit of small records; of large ones all of the header and some. */
static void flipped_bits(void **state)
{
	static const u32 kinds[] = { KIND_SUPERBLOCK, KIND_ZONE_TABLE,
				     KIND_RESET_DONE, KIND_PARTIAL_PARITY };
	static const u32 arrays[] = { 1, 0 };	/* small payloads, large ones */
	u32 a, k, bit, len;

	(void)state;
	for (a = 0; a < ARRAY_SIZE(arrays); a++) {
		for (k = 0; k < ARRAY_SIZE(kinds); k++) {
			len = unit_record(&unit_arrays[arrays[a]], kinds[k],
					  &buf);
			assert_int_not_equal(len, 0);
			for (bit = 0; bit < len * 8;
			     bit += len <= 8192 ? 1 :
				    bit < 128 * 8 ? 1 : 61) {
				flip(bit);
				check(raizn_record_verify(&buf, len) !=
				      RAIZN_RECORD_OK,
				      "array %u kind %u bit %u", arrays[a],
				      kinds[k], bit);
				flip(bit);
			}
			assert_int_equal(raizn_record_verify(&buf, len),
					 RAIZN_RECORD_OK);
		}
	}
}

/* Not only refused, but refused for the right reason. */
static void verdicts(void **state)
{
	u32 len = unit_record(&unit_arrays[0], KIND_ZONE_TABLE, &buf);
	struct raizn_record good = buf.rec;

	(void)state;
	buf.rec.magic ^= cpu_to_le64(1);
	assert_int_equal(raizn_record_verify(&buf, len), RAIZN_RECORD_NO_MAGIC);
	unit_seal(&buf.rec);
	assert_int_equal(raizn_record_verify(&buf, len), RAIZN_RECORD_NO_MAGIC);

	buf.rec = good;
	buf.rec.version = cpu_to_le16(2);
	assert_int_equal(raizn_record_verify(&buf, len),
			 RAIZN_RECORD_BAD_VERSION);
	buf.rec.version = 0;
	unit_seal(&buf.rec);
	assert_int_equal(raizn_record_verify(&buf, len),
			 RAIZN_RECORD_BAD_VERSION);

	buf.rec = good;
	buf.rec.crc ^= cpu_to_le32(0x80000000);
	assert_int_equal(raizn_record_verify(&buf, len), RAIZN_RECORD_BAD_CRC);

	buf.rec = good;
	buf.payload[5000] ^= 1;
	assert_int_equal(raizn_record_verify(&buf, len), RAIZN_RECORD_BAD_CRC);
	buf.payload[5000] ^= 1;

	memset(&buf, 0, sizeof(buf));
	assert_int_equal(raizn_record_verify(&buf, len), RAIZN_RECORD_NO_MAGIC);
	memset(&buf, 0xff, sizeof(buf));
	assert_int_equal(raizn_record_verify(&buf, len), RAIZN_RECORD_NO_MAGIC);
}

/* A version that is not known is that of another format if the checksum is right. */
static void damaged_version(void **state)
{
	u32 len = unit_record(&unit_arrays[0], KIND_ZONE_TABLE, &buf);
	u32 bit;

	(void)state;
	assert_true(raizn_record_is_whole(&buf, len));
	assert_false(raizn_record_is_whole(&buf, len - RAIZN_BLOCK_SIZE));
	assert_false(raizn_record_is_whole(&buf, RAIZN_BLOCK_SIZE - 1));
	for (bit = 0; bit < 16; bit++) {
		buf.rec.version ^= cpu_to_le16(1U << bit);
		check(!raizn_record_is_whole(&buf, len), "bit %u", bit);
		unit_seal(&buf.rec);
		check(raizn_record_is_whole(&buf, len), "bit %u sealed", bit);
		buf.rec.version ^= cpu_to_le16(1U << bit);
		unit_seal(&buf.rec);
	}
	buf.rec.magic ^= cpu_to_le64(1);
	unit_seal(&buf.rec);
	assert_false(raizn_record_is_whole(&buf, len));
}

/* What raizn_record_is_unknown() says of the record in buf; "" for nothing. */
static const char *unknown(u32 len)
{
	static char what[64];

	what[0] = '\0';
	if (!raizn_record_is_unknown(&buf, len, raizn_record_verify(&buf, len),
				     what, sizeof(what)))
		assert_string_equal(what, "");
	return what;
}

/* What newer code has written in full is told from damage. */
static void unknown_records(void **state)
{
	u32 kind, len;

	(void)state;
	for (kind = 0; kind < NR_KINDS; kind++) {
		len = unit_record(&unit_arrays[0], kind, &buf);
		assert_string_equal(unknown(len), "");
		buf.rec.version = cpu_to_le16(2);
		assert_string_equal(unknown(len), "");
		unit_seal(&buf.rec);
		assert_string_equal(unknown(len), "a record of format version 2");
		buf.rec.version = cpu_to_le16(RAIZN_FORMAT_VERSION);
		buf.rec.type = cpu_to_le16(12);
		assert_string_equal(unknown(len), "");
		unit_seal(&buf.rec);
		assert_string_equal(unknown(len), "a record of type 12");
	}

	len = unit_record(&unit_arrays[0], KIND_SUPERBLOCK, &buf);
	raizn_record_sb(&buf.rec)->compat = ~0ULL;
	raizn_record_sb(&buf.rec)->ro_compat = ~0ULL;
	unit_seal(&buf.rec);
	assert_string_equal(unknown(len), "");
	raizn_record_sb(&buf.rec)->incompat = cpu_to_le64(8);
	assert_string_equal(unknown(len), "");
	unit_seal(&buf.rec);
	assert_string_equal(unknown(len), "incompatible features 0x8");
	/* its fields may be others, too */
	buf.rec.flags = cpu_to_le32(1);
	unit_seal(&buf.rec);
	assert_string_equal(unknown(len), "incompatible features 0x8");
}

static void cut_anywhere(void **state)
{
	static const u32 kinds[] = { KIND_SUPERBLOCK, KIND_PARTIAL_PARITY,
				     KIND_ZONE_TABLE };
	u32 k, len, cut;

	(void)state;
	for (k = 0; k < ARRAY_SIZE(kinds); k++) {
		len = unit_record(&unit_arrays[1], kinds[k], &buf);
		assert_in_range(len, 4096, 8192);
		for (cut = 0; cut < len; cut++)
			check(verify_exactly(&buf, cut) ==
			      RAIZN_RECORD_BAD_LENGTH, "kind %u cut %u",
			      kinds[k], cut);
	}
	len = unit_record(&unit_arrays[0], KIND_PARTIAL_PARITY, &buf);
	assert_int_equal(len, RAIZN_RECORD_MAX);
	for (cut = 0; cut < len; cut += 509)
		check(verify_exactly(&buf, cut) == RAIZN_RECORD_BAD_LENGTH,
		      "cut %u", cut);
	assert_int_equal(verify_exactly(&buf, len - 1),
			 RAIZN_RECORD_BAD_LENGTH);
}

/* Lengths that no record has, whatever the CRC would say. */
static void impossible_lengths(void **state)
{
	static const u32 lengths[] = {
		1, 512, 4095, 4097, RAIZN_RECORD_MAX - 4095, RAIZN_RECORD_MAX,
		RAIZN_RECORD_MAX + 4096, 0x7ffff000, 0x80000000, 0xfffff000,
		0xffffffff,
	};
	static u8 zone[4 * RAIZN_RECORD_MAX];
	u32 i, len = unit_record(&unit_arrays[0], KIND_FINISH, &buf);

	(void)state;
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		buf.rec.payload_len = cpu_to_le32(lengths[i]);
		assert_int_equal(verify_exactly(&buf, len),
				 RAIZN_RECORD_BAD_LENGTH);
		/* not even where there is room for it */
		memcpy(zone, &buf, sizeof(buf));
		assert_int_equal(raizn_record_verify(zone, sizeof(zone)),
				 RAIZN_RECORD_BAD_LENGTH);
	}
}

/* A table of no zones and parity of no rows, in no payload. */
static void of_nothing(void **state)
{
	(void)state;
	unit_record(&unit_arrays[1], KIND_ZONE_TABLE, &buf);
	buf.rec.nr_zones = 0;
	buf.rec.payload_len = 0;
	unit_seal(&buf.rec);
	assert_int_equal(raizn_record_verify(&buf, sizeof(buf)),
			 RAIZN_RECORD_BAD_FIELD);

	unit_record(&unit_arrays[1], KIND_PARTIAL_PARITY, &buf);
	buf.rec.nr_rows = 0;
	buf.rec.payload_len = 0;
	unit_seal(&buf.rec);
	assert_int_equal(raizn_record_verify(&buf, sizeof(buf)),
			 RAIZN_RECORD_BAD_FIELD);
}

/* One field of a sound record set to one value, and sealed again. */
struct field {
	u32 kind;
	u32 at, size;		/* of the field in the record */
	u64 value;
	enum raizn_record_verdict verdict;
	bool fits;
};

#define F(kind, field, value, verdict, fits) {				\
	kind, offsetof(struct raizn_record, field),			\
	sizeof(((struct raizn_record *)0)->field), value,		\
	RAIZN_RECORD_##verdict, fits					\
}

static void set_field(const struct field *f)
{
	u8 *at = (u8 *)&buf + f->at;
	u32 i;

	for (i = 0; i < f->size; i++)
		at[i] = (u8)(f->value >> 8 * i);
	unit_seal(&buf.rec);
}

static void run_fields(u32 array, const struct field *fields, u32 nr)
{
	struct raizn_geometry geo;
	u32 i;

	unit_geometry(&unit_arrays[array], &geo);
	for (i = 0; i < nr; i++) {
		unit_record(&unit_arrays[array], fields[i].kind, &buf);
		set_field(&fields[i]);
		check(raizn_record_verify(&buf, sizeof(buf)) ==
		      fields[i].verdict, "array %u field %u", array, i);
		if (fields[i].verdict == RAIZN_RECORD_OK)
			check(raizn_record_fits(&buf.rec, &geo, unit_uuid) ==
			      fields[i].fits, "array %u field %u", array, i);
	}
}

#define MAXC RAIZN_GENERATION_MAX

/* Array 0: level 5, W 5, su 128, blocks of 8 sectors, zone_cap 15872. */
static void fields_level5(void **state)
{
	static const struct field fields[] = {
		F(KIND_FINISH, type, 0, BAD_TYPE, false),
		F(KIND_FINISH, type, 7, BAD_TYPE, false),
		F(KIND_FINISH, type, 0x0105, BAD_TYPE, false),
		F(KIND_FINISH, type, 0xffff, BAD_TYPE, false),
		/* counters keep a distance from overflow */
		F(KIND_FINISH, seq, MAXC, OK, true),
		F(KIND_FINISH, seq, MAXC + 1, BAD_FIELD, false),
		F(KIND_SUPERBLOCK, seq, ~0ULL, BAD_FIELD, false),
		F(KIND_FINISH, epoch, MAXC, OK, true),
		F(KIND_FINISH, epoch, MAXC + 1, BAD_FIELD, false),
		F(KIND_RESET_DONE, generation, MAXC, OK, true),
		F(KIND_RESET_DONE, generation, MAXC + 1, BAD_FIELD, false),
		F(KIND_PARTIAL_PARITY, generation, ~0ULL, BAD_FIELD, false),
		/* slots */
		F(KIND_FINISH, member, 4, OK, true),
		F(KIND_FINISH, member, 5, OK, false),
		F(KIND_FINISH, member, 31, OK, false),
		F(KIND_FINISH, member, 32, BAD_FIELD, false),
		F(KIND_FINISH, member, 0xffff, BAD_FIELD, false),
		/* a record in a log it does not belong to */
		F(KIND_SUPERBLOCK, role, 0, BAD_FIELD, false),
		F(KIND_SUPERBLOCK, role, 3, BAD_FIELD, false),
		F(KIND_SUPERBLOCK, role, 2, OK, true),
		F(KIND_CHECKPOINT, role, 2, OK, true),
		F(KIND_CHECKPOINT, role, 3, BAD_FIELD, false),
		F(KIND_PARTIAL_PARITY, role, 1, BAD_FIELD, false),
		F(KIND_FINISH, role, 2, BAD_FIELD, false),
		F(KIND_RESET_INTENT, role, 2, BAD_FIELD, false),
		F(KIND_ZONE_TABLE, role, 2, BAD_FIELD, false),
		F(KIND_ZONE_TABLE, role, 0, BAD_FIELD, false),
		/* flags: a RESET has one of two, the others have none */
		F(KIND_RESET_INTENT, flags, 0, BAD_FIELD, false),
		F(KIND_RESET_INTENT, flags, 3, BAD_FIELD, false),
		F(KIND_RESET_INTENT, flags, 2, OK, true),
		F(KIND_RESET_INTENT, flags, 5, BAD_FIELD, false),
		F(KIND_RESET_INTENT, flags, 0x80000001, BAD_FIELD, false),
		F(KIND_FINISH, flags, 1, BAD_FIELD, false),
		F(KIND_SUPERBLOCK, flags, 0x80000000, BAD_FIELD, false),
		F(KIND_PARTIAL_PARITY, flags, 1, BAD_FIELD, false),
		/* payloads that do not match what they should hold */
		F(KIND_SUPERBLOCK, payload_len, 4096, BAD_FIELD, false),
		F(KIND_CHECKPOINT, payload_len, 4096, BAD_FIELD, false),
		F(KIND_RESET_INTENT, payload_len, 4096, BAD_FIELD, false),
		F(KIND_FINISH, payload_len, 61440, BAD_FIELD, false),
		F(KIND_ZONE_TABLE, payload_len, 0, BAD_FIELD, false),
		F(KIND_ZONE_TABLE, payload_len, 57344, BAD_FIELD, false),
		F(KIND_ZONE_TABLE_ONE, payload_len, 8192, BAD_FIELD, false),
		F(KIND_PARTIAL_PARITY, payload_len, 57344, BAD_FIELD, false),
		F(KIND_PARTIAL_PARITY, payload_len, 0, BAD_FIELD, false),
		/* zones */
		F(KIND_SUPERBLOCK, zone, 0, BAD_FIELD, false),
		F(KIND_CHECKPOINT, zone, 0xfffffffe, BAD_FIELD, false),
		F(KIND_FINISH, zone, 0, OK, true),
		F(KIND_FINISH, zone, 3999, OK, true),
		F(KIND_FINISH, zone, 4000, OK, false),
		F(KIND_FINISH, zone, 0xffffffff, OK, false),
		F(KIND_RESET_DONE, zone, 3999, OK, true),
		F(KIND_RESET_DONE, zone, 4000, OK, false),
		F(KIND_RESET_DONE, zone, 0xfffffffe, OK, false),
		F(KIND_RESET_DONE, zone, 0xffffffff, OK, true),
		F(KIND_PARTIAL_PARITY, zone, 4000, OK, false),
		F(KIND_PARTIAL_PARITY, zone, 0xffffffff, OK, false),
		/* zone tables (3840 entries) */
		F(KIND_ZONE_TABLE, zone, 160, OK, true),
		F(KIND_ZONE_TABLE, zone, 161, OK, false),
		F(KIND_ZONE_TABLE, zone, 0xfffff000, OK, false),
		F(KIND_ZONE_TABLE, zone, 0xffffffff, OK, false),
		F(KIND_ZONE_TABLE_ONE, zone, 3999, OK, true),
		F(KIND_ZONE_TABLE_ONE, zone, 4000, OK, false),
		F(KIND_ZONE_TABLE, nr_zones, 3839, OK, true),
		F(KIND_ZONE_TABLE, nr_zones, 3841, BAD_FIELD, false),
		F(KIND_ZONE_TABLE, nr_zones, 0, BAD_FIELD, false),
		F(KIND_ZONE_TABLE, nr_zones, 0x10000f00, BAD_FIELD, false),
		F(KIND_ZONE_TABLE_ONE, nr_zones, 256, OK, true),
		F(KIND_ZONE_TABLE_ONE, nr_zones, 257, BAD_FIELD, false),
		F(KIND_ZONE_TABLE_ONE, nr_zones, 0, BAD_FIELD, false),
		/* FINISH: the write pointer */
		F(KIND_FINISH, start, 0, OK, true),
		F(KIND_FINISH, start, 15872, OK, true),
		F(KIND_FINISH, start, 15880, OK, false),
		F(KIND_FINISH, start, 15868, OK, false),
		F(KIND_FINISH, start, 1ULL << 32, OK, false),
		F(KIND_FINISH, start, ~0ULL, OK, false),
		/* PARTIAL_PARITY: [15752, 15872), rows 8..127 */
		F(KIND_PARTIAL_PARITY, parity, 1, OK, false),
		F(KIND_PARTIAL_PARITY, parity, 2, BAD_FIELD, false),
		F(KIND_PARTIAL_PARITY, parity, 255, BAD_FIELD, false),
		F(KIND_PARTIAL_PARITY, start, 15864, OK, true),
		F(KIND_PARTIAL_PARITY, start, 15872, OK, false),
		F(KIND_PARTIAL_PARITY, start, 15880, OK, false),
		F(KIND_PARTIAL_PARITY, start, 15360, OK, true),
		F(KIND_PARTIAL_PARITY, start, 15352, OK, false),
		F(KIND_PARTIAL_PARITY, start, 15753, OK, false),
		F(KIND_PARTIAL_PARITY, start, ~7ULL, OK, false),
		F(KIND_PARTIAL_PARITY, end, 15880, OK, false),
		F(KIND_PARTIAL_PARITY, end, 15868, OK, false),
		F(KIND_PARTIAL_PARITY, end, 15752, OK, false),
		F(KIND_PARTIAL_PARITY, end, 0, OK, false),
		F(KIND_PARTIAL_PARITY, end, (1ULL << 32) + 15872, OK, false),
		F(KIND_PARTIAL_PARITY, end, ~7ULL, OK, false),
		F(KIND_PARTIAL_PARITY, row, 120, OK, true),
		F(KIND_PARTIAL_PARITY, row, 128, OK, false),
		F(KIND_PARTIAL_PARITY, row, 4, OK, false),
		F(KIND_PARTIAL_PARITY, row, 0xfffffff8, OK, false),
		F(KIND_PARTIAL_PARITY, nr_rows, 0, BAD_FIELD, false),
		F(KIND_PARTIAL_PARITY, nr_rows, 119, OK, false),
		F(KIND_PARTIAL_PARITY, nr_rows, 121, BAD_FIELD, false),
		F(KIND_PARTIAL_PARITY, nr_rows, 0x800078, BAD_FIELD, false),
		F(KIND_PARTIAL_PARITY, nr_rows, 0xfffffff8, BAD_FIELD, false),
		/* reserved bytes are for compatible extensions */
		F(KIND_PARTIAL_PARITY, reserved0, 0xffffffff, OK, true),
		F(KIND_FINISH, reserved1[21], 0xff, OK, true),
		F(KIND_FINISH, body[0], 0xff, OK, true),
	};

	(void)state;
	run_fields(0, fields, ARRAY_SIZE(fields));
}

/* Array 1: level 6, W 7, su 8, blocks of one sector, zone_cap 3880. */
static void fields_level6(void **state)
{
	static const struct field fields[] = {
		F(KIND_PARTIAL_PARITY, parity, 0, OK, true),
		F(KIND_PARTIAL_PARITY, parity, 1, OK, true),
		F(KIND_PARTIAL_PARITY, parity, 2, BAD_FIELD, false),
		F(KIND_PARTIAL_PARITY, start, 3879, OK, true),
		F(KIND_PARTIAL_PARITY, start, 3840, OK, true),
		F(KIND_PARTIAL_PARITY, start, 3839, OK, false),
		F(KIND_PARTIAL_PARITY, end, 3874, OK, true),
		F(KIND_PARTIAL_PARITY, end, 3873, OK, false),
		F(KIND_PARTIAL_PARITY, end, 3881, OK, false),
		F(KIND_PARTIAL_PARITY, row, 7, OK, true),
		F(KIND_PARTIAL_PARITY, row, 8, OK, false),
		F(KIND_PARTIAL_PARITY, nr_rows, 8, OK, true),
		F(KIND_PARTIAL_PARITY, nr_rows, 1, OK, true),
		F(KIND_PARTIAL_PARITY, nr_rows, 9, BAD_FIELD, false),
		F(KIND_PARTIAL_PARITY, payload_len, 8192, BAD_FIELD, false),
		F(KIND_FINISH, start, 3879, OK, true),
		F(KIND_FINISH, start, 3881, OK, false),
		F(KIND_FINISH, zone, 9, OK, false),
		F(KIND_ZONE_TABLE, nr_zones, 10, OK, false),
		F(KIND_FINISH, member, 6, OK, true),
		F(KIND_FINISH, member, 7, OK, false),
	};

	(void)state;
	run_fields(1, fields, ARRAY_SIZE(fields));
}

/* More rows than a stripe unit has, in as much payload as they need. */
static void too_many_rows(void **state)
{
	struct raizn_geometry geo;

	(void)state;
	unit_geometry(&unit_arrays[1], &geo);
	unit_record(&unit_arrays[1], KIND_PARTIAL_PARITY, &buf);
	buf.rec.nr_rows = cpu_to_le32(16);
	buf.rec.payload_len = cpu_to_le32(8192);
	unit_seal(&buf.rec);
	assert_int_equal(raizn_record_verify(&buf, sizeof(buf)),
			 RAIZN_RECORD_OK);
	assert_false(raizn_record_fits(&buf.rec, &geo, unit_uuid));
}

/* Level 0 has no parity, so no partial one. */
static void parity_without_parity(void **state)
{
	struct raizn_geometry geo;

	(void)state;
	unit_geometry(&unit_arrays[3], &geo);
	unit_record(&unit_arrays[1], KIND_PARTIAL_PARITY, &buf);
	buf.rec.parity = 0;
	buf.rec.zone = 0;
	buf.rec.start = 0;
	buf.rec.end = cpu_to_le64(8);
	buf.rec.row = 0;
	buf.rec.nr_rows = cpu_to_le32(8);
	unit_seal(&buf.rec);
	assert_int_equal(raizn_record_verify(&buf, sizeof(buf)),
			 RAIZN_RECORD_OK);
	assert_false(raizn_record_fits(&buf.rec, &geo, unit_uuid));
}

static void table_entries(void **state)
{
	static const struct {
		u64 generation;
		u32 wp, flags;
		bool fits;
	} entries[] = {
		{ 0, 0, 0, true },
		{ MAXC, 0, 0, true },
		{ MAXC + 1, 0, 0, false },
		{ ~0ULL, 0, 0, false },
		{ 1, 15872, RAIZN_ZONE_FINISHED, true },
		{ 1, 15864, RAIZN_ZONE_FINISHED, true },
		{ 1, 15868, RAIZN_ZONE_FINISHED, false },
		{ 1, 15880, RAIZN_ZONE_FINISHED, false },
		{ 1, 0xfffffff8, RAIZN_ZONE_FINISHED, false },
		{ 1, 0xfffffff8, 0, false },
		{ 1, 0, RAIZN_ZONE_RESETTING, true },
		{ 1, 8, RAIZN_ZONE_RESETTING | RAIZN_ZONE_FINISHED, true },
		{ 1, 0, RAIZN_ZONE_TRUNCATED, true },
		{ 1, 0, RAIZN_ZONE_UNLOGGED, true },
		{ 1, 0, 16, false },
		{ 1, 0, 0x80000000, false },
	};
	static const u32 where[] = { 0, 1, 3839 };
	struct raizn_zone_entry *entry;
	struct raizn_geometry geo;
	u32 i, w;

	(void)state;
	unit_geometry(&unit_arrays[0], &geo);
	for (i = 0; i < ARRAY_SIZE(entries); i++) {
		for (w = 0; w < ARRAY_SIZE(where); w++) {
			unit_record(&unit_arrays[0], KIND_ZONE_TABLE, &buf);
			entry = (struct raizn_zone_entry *)buf.payload +
				where[w];
			entry->generation = cpu_to_le64(entries[i].generation);
			entry->wp = cpu_to_le32(entries[i].wp);
			entry->flags = cpu_to_le32(entries[i].flags);
			unit_seal(&buf.rec);
			assert_int_equal(raizn_record_verify(&buf, sizeof(buf)),
					 RAIZN_RECORD_OK);
			check(raizn_record_fits(&buf.rec, &geo, unit_uuid) ==
			      entries[i].fits, "entry %u at %u", i, where[w]);
		}
	}
}

static void other_array(void **state)
{
	u8 uuid[RAIZN_UUID_SIZE];
	struct raizn_geometry geo;
	u32 kind, i;

	(void)state;
	unit_geometry(&unit_arrays[0], &geo);
	for (kind = 0; kind < NR_KINDS; kind++) {
		unit_record(&unit_arrays[0], kind, &buf);
		for (i = 0; i < RAIZN_UUID_SIZE; i++) {
			memcpy(uuid, unit_uuid, sizeof(uuid));
			uuid[i] ^= 0x10;
			check(!raizn_record_fits(&buf.rec, &geo, uuid),
			      "kind %u byte %u", kind, i);
		}
	}
}

/* A superblock of the array's UUID that describes another geometry. */
static void superblock_of_other_shape(void **state)
{
	struct raizn_superblock *sb = raizn_record_sb(&buf.rec);
	struct raizn_geometry geo;
	u32 i;

	(void)state;
	unit_geometry(&unit_arrays[0], &geo);
	for (i = 0; i < 11; i++) {
		unit_record(&unit_arrays[0], KIND_SUPERBLOCK, &buf);
		switch (i) {
		case 0:
			sb->nr_members = 4;
			break;
		case 1:
			sb->level = 6;
			sb->nr_parity = 2;
			break;
		case 2:
			sb->stripe_unit = cpu_to_le32(64);
			break;
		case 3:
			sb->block_size = cpu_to_le32(512);
			break;
		case 4:
			sb->zone_size = cpu_to_le64(8192);
			break;
		case 5:
			sb->zone_capacity = cpu_to_le64(4008);
			break;
		case 6:
			sb->first_zone = cpu_to_le32(4);
			break;
		case 7:
			sb->nr_reserved = cpu_to_le32(8);
			break;
		case 8:
			sb->nr_zones = cpu_to_le32(4001);
			break;
		case 9:	/* right table, but the copy of another member */
			memcpy(sb->member_uuid, sb->members[0].uuid,
			       RAIZN_UUID_SIZE);
			break;
		case 10: /* not even a possible one */
			sb->level = 2;
			break;
		}
		unit_seal(&buf.rec);
		assert_int_equal(raizn_record_verify(&buf, sizeof(buf)),
				 RAIZN_RECORD_OK);
		check(!raizn_record_fits(&buf.rec, &geo, unit_uuid), "case %u",
		      i);
	}
	/* what may differ: states, counts, names */
	unit_record(&unit_arrays[0], KIND_SUPERBLOCK, &buf);
	sb->event = cpu_to_le64(1000);
	sb->flags = 0;
	sb->name[0] = 'x';
	sb->members[3].state = RAIZN_MEMBER_FAILED;
	unit_seal(&buf.rec);
	assert_true(raizn_record_fits(&buf.rec, &geo, unit_uuid));
}

static void superblock_geometry(void **state)
{
	struct raizn_geometry geo, expect;
	struct raizn_superblock sb;
	const char *why = NULL;
	u32 a;

	(void)state;
	for (a = 0; a < NR_ARRAYS; a++) {
		unit_superblock(&unit_arrays[a], 0, &sb);
		unit_geometry(&unit_arrays[a], &expect);
		memset(&geo, 0xee, sizeof(geo));
		assert_int_equal(raizn_sb_geometry(&sb, &geo, &why), 0);
		assert_memory_equal(&geo, &expect, sizeof(geo));
	}
}

/* Set by hand in a superblock of array 0. */
struct sb_case {
	const char *why;	/* NULL: taken */
	u32 at, size;
	u64 value;
};

#define S(why, field, value) {						\
	why, offsetof(struct raizn_superblock, field),			\
	sizeof(((struct raizn_superblock *)0)->field), value		\
}

/* Behind a torn record of partial parity nothing is looked at that may be data. */
static void steps(void **state)
{
	const u8 pp = RAIZN_LOG_PARTIAL_PARITY;
	struct raizn_record rec;
	u32 payload;

	(void)state;
	raizn_record_init(&rec, RAIZN_REC_PARTIAL_PARITY, unit_uuid, 0);
	rec.epoch = cpu_to_le64(7);
	rec.member = cpu_to_le16(2);
	rec.role = pp;
	for (payload = 0; payload <= RAIZN_RECORD_MAX; payload += 2048) {
		rec.payload_len = cpu_to_le32(payload);
		assert_int_equal(raizn_record_step(&rec, unit_uuid, 7, 2, pp, 512),
				 payload % RAIZN_BLOCK_SIZE ||
				 payload == RAIZN_RECORD_MAX ?
				 512 : RAIZN_BLOCK_SIZE + payload);
	}
	rec.payload_len = cpu_to_le32(RAIZN_BLOCK_SIZE);
	assert_int_equal(raizn_record_step(&rec, unit_uuid, 8, 2, pp, 4096), 4096);
	assert_int_equal(raizn_record_step(&rec, unit_uuid, 7, 3, pp, 4096), 4096);
	assert_int_equal(raizn_record_step(&rec, unit_uuid, 7, 2,
					   RAIZN_LOG_GENERAL, 512), 512);
	rec.role = RAIZN_LOG_GENERAL;
	assert_int_equal(raizn_record_step(&rec, unit_uuid, 7, 2,
					   RAIZN_LOG_GENERAL, 512), 512);
	rec.role = pp;
	rec.magic = 0;
	assert_int_equal(raizn_record_step(&rec, unit_uuid, 7, 2, pp, 512), 512);
	rec.magic = cpu_to_le64(RAIZN_MAGIC);
	rec.version = cpu_to_le16(RAIZN_FORMAT_VERSION + 1);
	assert_int_equal(raizn_record_step(&rec, unit_uuid, 7, 2, pp, 512), 512);
	rec.version = cpu_to_le16(RAIZN_FORMAT_VERSION);
	rec.array_uuid[15] ^= 1;
	assert_int_equal(raizn_record_step(&rec, unit_uuid, 7, 2, pp, 512), 512);
}

/* Counters that a start takes over from all members. */
static void overcounts(void **state)
{
	const u64 max = RAIZN_SHARED_COUNTER_MAX;
	struct raizn_superblock *sb;
	struct raizn_record rec;
	u32 i;

	(void)state;
	memset(&rec, 0, sizeof(rec));
	rec.type = cpu_to_le16(RAIZN_REC_FINISH);
	rec.seq = cpu_to_le64(max);
	rec.start = cpu_to_le64(~0ULL);
	rec.epoch = cpu_to_le64(~0ULL);
	assert_false(raizn_record_overcounts(&rec));
	rec.seq = cpu_to_le64(max + 1);
	assert_true(raizn_record_overcounts(&rec));

	rec.seq = 0;
	rec.type = cpu_to_le16(RAIZN_REC_ZONE_MAP);
	assert_true(raizn_record_overcounts(&rec));
	rec.start = cpu_to_le64(max);
	assert_false(raizn_record_overcounts(&rec));
	rec.type = cpu_to_le16(RAIZN_REC_BAD_BLOCKS);
	assert_false(raizn_record_overcounts(&rec));
	rec.start = cpu_to_le64(max + 1);
	assert_true(raizn_record_overcounts(&rec));
	rec.start = 0;

	rec.type = cpu_to_le16(RAIZN_REC_SUPERBLOCK);
	sb = raizn_record_sb(&rec);
	sb->nr_members = 255;
	sb->event = cpu_to_le64(max);
	sb->start = cpu_to_le64(max);
	sb->era = cpu_to_le64(max);
	for (i = 0; i < RAIZN_MAX_MEMBERS; i++)
		sb->members[i].event = cpu_to_le64(max);
	assert_false(raizn_record_overcounts(&rec));
	sb->members[RAIZN_MAX_MEMBERS - 1].event = cpu_to_le64(max + 1);
	assert_true(raizn_record_overcounts(&rec));
	sb->nr_members = RAIZN_MAX_MEMBERS - 1;
	assert_false(raizn_record_overcounts(&rec));
	sb->event = cpu_to_le64(max + 1);
	assert_true(raizn_record_overcounts(&rec));
	sb->event = 0;
	sb->start = cpu_to_le64(max + 1);
	assert_true(raizn_record_overcounts(&rec));
	sb->start = 0;
	sb->era = cpu_to_le64(~0ULL);
	assert_true(raizn_record_overcounts(&rec));
}

static void superblock_fields(void **state)
{
	static const struct sb_case cases[] = {
		S("number of parities does not match the level", nr_parity, 0),
		S("number of parities does not match the level", nr_parity, 2),
		S("number of parities does not match the level", nr_parity, 255),
		S("number of parities does not match the level", level, 6),
		S("number of parities does not match the level", level, 0),
		S("unknown level", level, 255),
		S("too many members", nr_members, 33),
		S("too many members", nr_members, 255),
		S("level 5 needs 3 members", nr_members, 0),
		/* slots 5 and up are all zero: two drives alike */
		S(NULL, nr_members, 6),
		S("two members with the same UUID", nr_members, 7),
		S("two members with the same UUID", nr_members, 32),
		S("stripe unit is not a power of two", stripe_unit, 0),
		S("stripe unit is not between 4 KiB and 1 MiB", stripe_unit,
		  0x80000000),
		S("block size is neither 512 nor 4096", block_size, 520),
		S("member zone size is above 1 TiB", zone_size, 1ULL << 63),
		S("member zone size is not a power of two", zone_size, 0),
		S("member zone capacity is above the zone size", zone_capacity,
		  ~7ULL),
		S("too few reserved zones", nr_reserved, 6),
		S("no data zones", nr_zones, 0),
		S("more member zones than 26 bits can number", nr_zones,
		  0xffffffff),
		S("more member zones than 26 bits can number", first_zone,
		  0xffffffff),
		S("impossible event count", event, MAXC + 1),
		S(NULL, event, MAXC),
		S("unknown member state", members[0].state, 3),
		S("unknown member state", members[4].state, 255),
		S(NULL, members[4].state, RAIZN_MEMBER_REBUILDING),
		S(NULL, members[5].state, 255),
		S("impossible event count of a member", members[3].event,
		  ~0ULL),
		S(NULL, members[3].event, MAXC),
		S("member is not in its own member table", member_uuid[15], 1),
		/* names */
		S("bad name", name[0], 0),
		S("bad name", name[0], '.'),
		S("bad name", name[0], '-'),
		S("bad name", name[1], '/'),
		S("bad name", name[1], ' '),
		S("bad name", name[1], '\n'),
		S("bad name", name[1], 0x1b),
		S("bad name", name[1], 0x7f),
		S("bad name", name[1], 0x80),
		S("bad name", name[1], '%'),
		S("bad name", name[1], '['),
		S("bad name", name[1], '`'),
		S("bad name", name[1], '{'),
		S("bad name", name[1], '\\'),
		S(NULL, name[1], '.'),
		S(NULL, name[1], '-'),
		S(NULL, name[1], '9'),
		S(NULL, name[1], '0'),
		S(NULL, name[1], 'A'),
		S(NULL, name[1], 'Z'),
		S(NULL, name[1], 'z'),
		S(NULL, name[1], '@'),
		S(NULL, name[1], 0),
		S(NULL, name[63], 'x'),	/* behind the NUL */
		S("bad label", label[0], 0x1b),
		S("bad label", label[3], '\t'),
		S("bad label", label[3], 0x7f),
		S(NULL, label[3], 0xc3),
		S(NULL, label[0], 0),
		/* the caller's business, or nobody's */
		S(NULL, incompat, ~0ULL),
		S(NULL, ro_compat, 1),
		S(NULL, compat, 1),
		S(NULL, flags, 0xffffffff),
		S(NULL, created, ~0ULL),
		S(NULL, scrub, ~0U),
		S(NULL, scrub_next, ~0U),
		S(NULL, mismatches, ~0ULL),
		S(NULL, repaired, ~0ULL),
		S(NULL, max_active, 1),
		S(NULL, max_open, ~0U),
		S(NULL, copy_of[0], 1),
		S(NULL, reserved3[59], 1),
	};
	struct raizn_superblock sb;
	struct raizn_geometry geo;
	const char *why;
	u32 i, b;
	u8 *at;
	int ret;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		unit_superblock(&unit_arrays[0], 1, &sb);
		at = (u8 *)&sb + cases[i].at;
		for (b = 0; b < cases[i].size; b++)
			at[b] = (u8)(cases[i].value >> 8 * b);
		why = NULL;
		ret = raizn_sb_geometry(&sb, &geo, &why);
		if (cases[i].why) {
			check(ret == -EINVAL, "case %u: taken", i);
			check(!strcmp(why, cases[i].why), "case %u: %s", i,
			      why);
		} else {
			check(!ret, "case %u: %s", i, why);
		}
	}
}

/* 63 characters are a name, 64 are one that never ends. */
static void text_ends(void **state)
{
	struct raizn_superblock sb;
	struct raizn_geometry geo;
	const char *why;

	(void)state;
	unit_superblock(&unit_arrays[0], 0, &sb);
	memset(sb.name, 'n', 63);
	memset(sb.label, 'l', 63);
	/* the zero that follows the label is not its end */
	sb.event = 0;
	assert_int_equal(raizn_sb_geometry(&sb, &geo, &why), 0);
	sb.label[63] = 'l';
	assert_int_equal(raizn_sb_geometry(&sb, &geo, &why), -EINVAL);
	assert_string_equal(why, "bad label");
	memset(sb.label, 0, sizeof(sb.label));
	sb.name[63] = 'n';
	assert_int_equal(raizn_sb_geometry(&sb, &geo, &why), -EINVAL);
	assert_string_equal(why, "bad name");
}

static void every_pair_of_members(void **state)
{
	struct raizn_superblock sb;
	struct raizn_geometry geo;
	const char *why;
	u32 i, j;

	(void)state;
	for (i = 0; i < 5; i++) {
		for (j = 0; j < 5; j++) {
			unit_superblock(&unit_arrays[0], 0, &sb);
			memcpy(sb.members[i].uuid, sb.members[j].uuid,
			       RAIZN_UUID_SIZE);
			assert_int_equal(raizn_sb_geometry(&sb, &geo, &why),
					 i == j ? 0 : -EINVAL);
		}
	}
	/* one bit apart is apart */
	unit_superblock(&unit_arrays[0], 0, &sb);
	memcpy(sb.members[1].uuid, sb.members[0].uuid, RAIZN_UUID_SIZE);
	sb.members[1].uuid[15] ^= 1;
	assert_int_equal(raizn_sb_geometry(&sb, &geo, &why), 0);
}

static void names(void **state)
{
	int i, j;

	(void)state;
	assert_string_equal(raizn_record_verdict_name(RAIZN_RECORD_OK),
			    "sound");
	for (i = 0; i <= RAIZN_RECORD_BAD_FIELD; i++) {
		for (j = 0; j < i; j++)
			assert_string_not_equal(raizn_record_verdict_name(i),
						raizn_record_verdict_name(j));
	}
	assert_string_equal(raizn_record_verdict_name(99), "unknown verdict");

	for (i = RAIZN_REC_SUPERBLOCK; i <= RAIZN_REC_PARTIAL_PARITY; i++) {
		assert_string_not_equal(raizn_record_type_name((u16)i),
					"unknown");
		for (j = RAIZN_REC_SUPERBLOCK; j < i; j++)
			assert_string_not_equal(raizn_record_type_name((u16)i),
						raizn_record_type_name((u16)j));
	}
	assert_string_equal(raizn_record_type_name(0), "unknown");
	assert_string_equal(raizn_record_type_name(0xffff), "unknown");

	assert_string_equal(raizn_member_state_name(RAIZN_MEMBER_ACTIVE),
			    "active");
	assert_string_equal(raizn_member_state_name(RAIZN_MEMBER_FAILED),
			    "failed");
	assert_string_equal(raizn_member_state_name(RAIZN_MEMBER_REBUILDING),
			    "rebuilding");
	assert_string_equal(raizn_member_state_name(200), "unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(crc_known_values),
		cmocka_unit_test(crc_any_length),
		cmocka_unit_test(init_and_seal),
		cmocka_unit_test(bytes_on_disk),
		cmocka_unit_test(sound_records),
		cmocka_unit_test(flipped_bits),
		cmocka_unit_test(verdicts),
		cmocka_unit_test(damaged_version),
		cmocka_unit_test(unknown_records),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(impossible_lengths),
		cmocka_unit_test(of_nothing),
		cmocka_unit_test(fields_level5),
		cmocka_unit_test(fields_level6),
		cmocka_unit_test(too_many_rows),
		cmocka_unit_test(parity_without_parity),
		cmocka_unit_test(table_entries),
		cmocka_unit_test(other_array),
		cmocka_unit_test(superblock_of_other_shape),
		cmocka_unit_test(superblock_geometry),
		cmocka_unit_test(steps),
		cmocka_unit_test(overcounts),
		cmocka_unit_test(superblock_fields),
		cmocka_unit_test(text_ends),
		cmocka_unit_test(every_pair_of_members),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests_name("codec", tests, NULL, NULL);
}
