// SPDX-License-Identifier: GPL-2.0
/*
 * Records: see codec.h.
 *
 * Readers ignore reserved bytes: a compatible extension may use them.  A flag changes the
 * meaning of a record, so a record with an unknown flag is refused.
 */
#include "codec.h"
#include "bad_blocks.h"
#include "spoilt.h"
#include "replay.h"

/*
 * Compute the checksum with the crc field taken as zeros.  The buffer may be shared or
 * read-only, so it is not written to.
 */
static u32 record_crc(const struct raizn_record *rec, u32 bytes)
{
	const size_t before = offsetof(struct raizn_record, crc);
	const size_t behind = before + sizeof(rec->crc);
	const u8 *buf = (const u8 *)rec;
	const __le32 zero = 0;
	u32 crc;

	crc = crc32c(~0U, buf, before);
	crc = crc32c(crc, &zero, sizeof(zero));
	return crc32c(crc, buf + behind, bytes - behind);
}

void raizn_record_init(struct raizn_record *rec, u16 type, const u8 *uuid,
		       u32 payload_len)
{
	memset(rec, 0, sizeof(*rec));
	rec->magic = cpu_to_le64(RAIZN_MAGIC);
	rec->version = cpu_to_le16(RAIZN_FORMAT_VERSION);
	rec->type = cpu_to_le16(type);
	rec->payload_len = cpu_to_le32(payload_len);
	memcpy(rec->array_uuid, uuid, RAIZN_UUID_SIZE);
	if (type == RAIZN_REC_SUPERBLOCK || type == RAIZN_REC_CHECKPOINT)
		rec->zone = cpu_to_le32(RAIZN_ZONE_ALL);
}

void raizn_record_seal(struct raizn_record *rec, u64 seq, u64 epoch, u16 member,
		       u8 role)
{
	rec->seq = cpu_to_le64(seq);
	rec->epoch = cpu_to_le64(epoch);
	rec->member = cpu_to_le16(member);
	rec->role = role;
	rec->crc = cpu_to_le32(record_crc(rec, raizn_record_bytes(rec)));
}

/* Counters stay this far from overflow, so that 1 can be added unchecked. */
static bool counter_ok(__le64 value)
{
	return le64_to_cpu(value) <= RAIZN_GENERATION_MAX;
}

/* Are the fields valid in any array?  The type is known. */
static bool fields_ok(const struct raizn_record *rec)
{
	u16 type = le16_to_cpu(rec->type);
	u32 payload = le32_to_cpu(rec->payload_len);
	u32 flags = le32_to_cpu(rec->flags);
	u32 nr;

	if (!counter_ok(rec->seq) || !counter_ok(rec->epoch) ||
	    !counter_ok(rec->generation))
		return false;
	if (le16_to_cpu(rec->member) >= RAIZN_MAX_MEMBERS)
		return false;

	switch (type) {
	case RAIZN_REC_SUPERBLOCK:
	case RAIZN_REC_CHECKPOINT:
		if (rec->role != RAIZN_LOG_GENERAL &&
		    rec->role != RAIZN_LOG_PARTIAL_PARITY)
			return false;
		break;
	case RAIZN_REC_PARTIAL_PARITY:
	case RAIZN_REC_RELOCATED:
		if (rec->role != RAIZN_LOG_PARTIAL_PARITY)
			return false;
		break;
	default:
		if (rec->role != RAIZN_LOG_GENERAL)
			return false;
	}

	if (type == RAIZN_REC_RESET) {
		if (flags != RAIZN_RESET_INTENT && flags != RAIZN_RESET_DONE)
			return false;
	} else if (flags) {
		return false;
	}

	switch (type) {
	case RAIZN_REC_ZONE_TABLE:
		nr = le32_to_cpu(rec->nr_zones);
		return nr && nr <= RAIZN_ZONE_TABLE_MAX &&
		       payload == raizn_zone_table_payload(nr);
	case RAIZN_REC_ZONE_MAP:
		nr = le32_to_cpu(rec->nr_zones);
		return nr && nr <= RAIZN_ZONE_MAP_MAX &&
		       counter_ok(rec->start) &&
		       payload == raizn_zone_map_payload(nr);
	case RAIZN_REC_BAD_BLOCKS:
		nr = le32_to_cpu(rec->nr_zones);
		return nr <= RAIZN_BAD_BLOCKS_MAX && counter_ok(rec->start) &&
		       payload == raizn_bad_blocks_payload(nr);
	case RAIZN_REC_SPOILT:
		nr = le32_to_cpu(rec->nr_zones);
		return nr <= RAIZN_SPOILT_MAX && counter_ok(rec->start) &&
		       payload == raizn_spoilt_payload(nr);
	case RAIZN_REC_RELOCATED:
		nr = le32_to_cpu(rec->nr_rows);
		return nr && nr <= RAIZN_MAX_SU && payload == raizn_parity_payload(nr);
	case RAIZN_REC_PARTIAL_PARITY:
		nr = le32_to_cpu(rec->nr_rows);
		return rec->parity < RAIZN_MAX_LOGGED_PARITY &&
		       nr && nr <= RAIZN_MAX_SU &&
		       payload == raizn_parity_payload(nr);
	case RAIZN_REC_SUPERBLOCK:
	case RAIZN_REC_CHECKPOINT:
		return !payload && le32_to_cpu(rec->zone) == RAIZN_ZONE_ALL;
	default:
		return !payload;
	}
}

/* Check length and CRC.  The buffer holds at least the header block. */
static enum raizn_record_verdict verify_bytes(const struct raizn_record *rec,
					      size_t avail)
{
	u32 payload = le32_to_cpu(rec->payload_len);

	if (payload % RAIZN_BLOCK_SIZE ||
	    payload > RAIZN_RECORD_MAX - RAIZN_BLOCK_SIZE ||
	    payload > avail - sizeof(*rec))
		return RAIZN_RECORD_BAD_LENGTH;
	if (le32_to_cpu(rec->crc) != record_crc(rec, raizn_record_bytes(rec)))
		return RAIZN_RECORD_BAD_CRC;
	return RAIZN_RECORD_OK;
}

enum raizn_record_verdict raizn_record_verify(const void *buf, size_t avail)
{
	const struct raizn_record *rec = buf;
	enum raizn_record_verdict verdict;

	if (avail < sizeof(*rec))
		return RAIZN_RECORD_BAD_LENGTH;
	if (le64_to_cpu(rec->magic) != RAIZN_MAGIC)
		return RAIZN_RECORD_NO_MAGIC;
	/* before the CRC: another version may compute it otherwise */
	if (le16_to_cpu(rec->version) != RAIZN_FORMAT_VERSION)
		return RAIZN_RECORD_BAD_VERSION;
	verdict = verify_bytes(rec, avail);
	if (verdict)
		return verdict;

	switch (le16_to_cpu(rec->type)) {
	case RAIZN_REC_SUPERBLOCK:
	case RAIZN_REC_CHECKPOINT:
	case RAIZN_REC_ZONE_TABLE:
	case RAIZN_REC_RESET:
	case RAIZN_REC_FINISH:
	case RAIZN_REC_PARTIAL_PARITY:
	case RAIZN_REC_ZONE_MAP:
	case RAIZN_REC_BAD_BLOCKS:
	case RAIZN_REC_SPOILT:
	case RAIZN_REC_RELOCATED:
		return fields_ok(rec) ? RAIZN_RECORD_OK :
					RAIZN_RECORD_BAD_FIELD;
	default:
		return RAIZN_RECORD_BAD_TYPE;
	}
}

bool raizn_record_is_whole(const void *buf, size_t avail)
{
	const struct raizn_record *rec = buf;

	return avail >= sizeof(*rec) && le64_to_cpu(rec->magic) == RAIZN_MAGIC &&
	       !verify_bytes(rec, avail);
}

bool raizn_record_is_unknown(const void *buf, size_t avail,
			     enum raizn_record_verdict verdict, char *what,
			     size_t size)
{
	const struct raizn_record *rec = buf;
	u16 type = 0;
	u64 features;

	switch (verdict) {
	case RAIZN_RECORD_BAD_VERSION:
		if (!raizn_record_is_whole(buf, avail))
			return false;
		snprintf(what, size, "a record of format version %u",
			 le16_to_cpu(rec->version));
		return true;
	case RAIZN_RECORD_BAD_TYPE:
		snprintf(what, size, "a record of type %u",
			 le16_to_cpu(rec->type));
		return true;
	case RAIZN_RECORD_OK:
	case RAIZN_RECORD_BAD_FIELD:
		type = le16_to_cpu(rec->type);
		break;
	default:
		break;
	}
	if (type != RAIZN_REC_SUPERBLOCK)
		return false;
	features = le64_to_cpu(raizn_record_sb_const(rec)->incompat) &
		   ~RAIZN_INCOMPAT_SUPPORTED;
	if (features)
		snprintf(what, size, "incompatible features 0x%llx",
			 (unsigned long long)features);
	return features;
}

u32 raizn_record_step(const struct raizn_record *rec, const u8 *uuid,
		      u64 epoch, u16 member, u8 role, u32 block)
{
	u32 payload = le32_to_cpu(rec->payload_len);

	if (role != RAIZN_LOG_PARTIAL_PARITY || rec->role != role ||
	    le64_to_cpu(rec->magic) != RAIZN_MAGIC ||
	    le16_to_cpu(rec->version) != RAIZN_FORMAT_VERSION ||
	    memcmp(rec->array_uuid, uuid, RAIZN_UUID_SIZE) ||
	    le64_to_cpu(rec->epoch) != epoch ||
	    le16_to_cpu(rec->member) != member ||
	    payload % RAIZN_BLOCK_SIZE ||
	    payload > RAIZN_RECORD_MAX - RAIZN_BLOCK_SIZE)
		return block;
	return RAIZN_BLOCK_SIZE + payload;
}

const char *raizn_record_verdict_name(enum raizn_record_verdict verdict)
{
	switch (verdict) {
	case RAIZN_RECORD_OK:
		return "sound";
	case RAIZN_RECORD_NO_MAGIC:
		return "no record";
	case RAIZN_RECORD_BAD_VERSION:
		return "unknown format version";
	case RAIZN_RECORD_BAD_LENGTH:
		return "impossible length";
	case RAIZN_RECORD_BAD_CRC:
		return "wrong checksum";
	case RAIZN_RECORD_BAD_TYPE:
		return "unknown type";
	case RAIZN_RECORD_BAD_FIELD:
		return "impossible field";
	}
	return "unknown verdict";
}

const char *raizn_record_type_name(u16 type)
{
	switch (type) {
	case RAIZN_REC_SUPERBLOCK:
		return "superblock";
	case RAIZN_REC_CHECKPOINT:
		return "checkpoint";
	case RAIZN_REC_ZONE_TABLE:
		return "zone table";
	case RAIZN_REC_RESET:
		return "reset";
	case RAIZN_REC_FINISH:
		return "finish";
	case RAIZN_REC_PARTIAL_PARITY:
		return "partial parity";
	case RAIZN_REC_ZONE_MAP:
		return "zone map";
	case RAIZN_REC_BAD_BLOCKS:
		return "bad blocks";
	case RAIZN_REC_SPOILT:
		return "spoilt rows";
	case RAIZN_REC_RELOCATED:
		return "relocated rows";
	default:
		return "unknown";
	}
}

const char *raizn_member_state_name(u8 state)
{
	switch (state) {
	case RAIZN_MEMBER_ACTIVE:
		return "active";
	case RAIZN_MEMBER_FAILED:
		return "failed";
	case RAIZN_MEMBER_REBUILDING:
		return "rebuilding";
	default:
		return "unknown";
	}
}

/* Is a superblock sound, does it describe exactly this array, and is it on its own member? */
static bool superblock_fits(const struct raizn_record *rec,
			    const struct raizn_geometry *geo)
{
	const struct raizn_superblock *sb = raizn_record_sb_const(rec);
	const struct raizn_member_entry *own =
		&sb->members[le16_to_cpu(rec->member)];
	struct raizn_geometry theirs;
	const char *why;

	return !raizn_sb_geometry(sb, &theirs, &why) &&
	       !memcmp(&theirs, geo, sizeof(theirs)) &&
	       !memcmp(own->uuid, sb->member_uuid, RAIZN_UUID_SIZE);
}

static bool zone_table_fits(const struct raizn_record *rec,
			    const struct raizn_geometry *geo)
{
	const struct raizn_zone_entry *entry = (const void *)(rec + 1);
	u32 zone = le32_to_cpu(rec->zone);
	u32 nr = le32_to_cpu(rec->nr_zones);

	if (zone >= geo->nr_zones || nr > geo->nr_zones - zone)
		return false;

	for (; nr--; entry++) {
		if (!counter_ok(entry->generation))
			return false;
		if (le32_to_cpu(entry->flags) &
		    ~(RAIZN_ZONE_RESETTING | RAIZN_ZONE_FINISHED |
		      RAIZN_ZONE_TRUNCATED | RAIZN_ZONE_UNLOGGED))
			return false;
		if (le32_to_cpu(entry->wp) > geo->zone_cap ||
		    le32_to_cpu(entry->wp) & (geo->block - 1))
			return false;
	}
	return true;
}

static bool zone_map_fits(const struct raizn_record *rec,
			  const struct raizn_geometry *geo)
{
	const struct raizn_map_entry *entry = (const void *)(rec + 1);
	u32 nr = le32_to_cpu(rec->nr_zones);

	for (; nr--; entry++)
		if (le32_to_cpu(entry->zone) >= geo->nr_zones ||
		    le16_to_cpu(entry->column) >= geo->nr_members ||
		    le16_to_cpu(entry->flags) & ~RAIZN_MAP_WHOLE ||
		    le16_to_cpu(entry->distance) >= geo->nr_members ||
		    (le32_to_cpu(entry->physical) != RAIZN_NOWHERE &&
		     (le32_to_cpu(entry->physical) < RAIZN_NR_LOG_ZONES ||
		      le32_to_cpu(entry->physical) >= raizn_most_zones(geo))))
			return false;
	return true;
}

static bool bad_entry_fits(const struct raizn_bad_entry *entry,
			   const struct raizn_geometry *geo)
{
	u32 sector = le32_to_cpu(entry->sector), nr = le32_to_cpu(entry->nr);
	u32 physical = le32_to_cpu(entry->physical);

	if (le32_to_cpu(entry->zone) >= geo->nr_zones ||
	    le16_to_cpu(entry->column) >= geo->nr_members ||
	    physical < RAIZN_NR_LOG_ZONES || physical >= raizn_most_zones(geo))
		return false;
	if (!counter_ok(entry->generation) ||
	    le16_to_cpu(entry->flags) & ~RAIZN_BAD_PLACEHOLDER)
		return false;
	return nr && nr <= geo->su && sector <= geo->member_zone_cap - nr &&
	       sector >> geo->su_shift == (sector + nr - 1) >> geo->su_shift &&
	       !((sector | nr) & (geo->block - 1));
}

static bool bad_blocks_fit(const struct raizn_record *rec,
			   const struct raizn_geometry *geo)
{
	const struct raizn_bad_entry *entry = (const void *)(rec + 1);
	u32 nr = le32_to_cpu(rec->nr_zones);

	for (; nr--; entry++)
		if (!bad_entry_fits(entry, geo))
			return false;
	return true;
}

static bool spoilt_entry_fits(const struct raizn_spoilt_entry *entry,
			      const struct raizn_geometry *geo)
{
	u32 from = le32_to_cpu(entry->from), end = le32_to_cpu(entry->end);
	u32 physical = le32_to_cpu(entry->physical);

	/* A column without data would have been emptied. */
	return le32_to_cpu(entry->zone) < geo->nr_zones &&
	       le16_to_cpu(entry->column) < geo->nr_members &&
	       physical >= RAIZN_NR_LOG_ZONES && physical < raizn_most_zones(geo) &&
	       counter_ok(entry->generation) && from && from < end &&
	       end <= geo->member_zone_cap && !(from & (geo->block - 1)) &&
	       !(end & (geo->su - 1));
}

static bool spoilt_fit(const struct raizn_record *rec, const struct raizn_geometry *geo)
{
	const struct raizn_spoilt_entry *entry = (const void *)(rec + 1);
	u32 nr = le32_to_cpu(rec->nr_zones);
	u64 rows = 0;

	for (; nr--; entry++) {
		if (!spoilt_entry_fits(entry, geo))
			return false;
		rows += le32_to_cpu(entry->end) - le32_to_cpu(entry->from);
	}
	return rows <= RAIZN_SPOILT_ROWS;
}

static bool relocated_fits(const struct raizn_record *rec, const struct raizn_geometry *geo)
{
	u64 row = le64_to_cpu(rec->start);
	u32 nr = le32_to_cpu(rec->nr_rows);

	if (le32_to_cpu(rec->zone) >= geo->nr_zones ||
	    le16_to_cpu(rec->column) >= geo->nr_members)
		return false;
	if (nr > geo->su || row > geo->member_zone_cap - nr)
		return false;
	return row >> geo->su_shift == (row + nr - 1) >> geo->su_shift &&
	       !((row | nr) & (geo->block - 1));
}

static bool partial_parity_fits(const struct raizn_record *rec,
				const struct raizn_geometry *geo)
{
	u64 start = le64_to_cpu(rec->start);
	u64 end = le64_to_cpu(rec->end);
	u32 row = le32_to_cpu(rec->row);
	u32 nr_rows = le32_to_cpu(rec->nr_rows);

	if (le32_to_cpu(rec->zone) >= geo->nr_zones ||
	    rec->parity >= geo->nr_parity)
		return false;
	if (row >= geo->su || nr_rows > geo->su)
		return false;
	if (start >= end || end > geo->zone_cap)
		return false;
	/* both fit 32 bits now */
	if ((u32)start / geo->stripe != ((u32)end - 1) / geo->stripe)
		return false;
	return !((start | end | row | nr_rows) & (geo->block - 1));
}

bool raizn_record_fits(const struct raizn_record *rec,
		       const struct raizn_geometry *geo, const u8 *uuid)
{
	u32 zone = le32_to_cpu(rec->zone);

	if (memcmp(rec->array_uuid, uuid, RAIZN_UUID_SIZE) ||
	    le16_to_cpu(rec->member) >= geo->nr_members)
		return false;

	switch (le16_to_cpu(rec->type)) {
	case RAIZN_REC_SUPERBLOCK:
		return superblock_fits(rec, geo);
	case RAIZN_REC_CHECKPOINT:
		return true;
	case RAIZN_REC_ZONE_TABLE:
		return zone_table_fits(rec, geo);
	case RAIZN_REC_RESET:
		return zone == RAIZN_ZONE_ALL || zone < geo->nr_zones;
	case RAIZN_REC_FINISH:
		return zone < geo->nr_zones &&
		       le64_to_cpu(rec->start) <= geo->zone_cap &&
		       !(le64_to_cpu(rec->start) & (geo->block - 1));
	case RAIZN_REC_PARTIAL_PARITY:
		return partial_parity_fits(rec, geo);
	case RAIZN_REC_ZONE_MAP:
		return zone_map_fits(rec, geo);
	case RAIZN_REC_BAD_BLOCKS:
		return bad_blocks_fit(rec, geo);
	case RAIZN_REC_SPOILT:
		return spoilt_fit(rec, geo);
	case RAIZN_REC_RELOCATED:
		return relocated_fits(rec, geo);
	default:
		return false;
	}
}

static u32 divide_up(u32 n, u32 by)
{
	return (n + by - 1) / by;
}

u32 raizn_pp_record_sectors(const struct raizn_geometry *geo)
{
	u32 rows = (RAIZN_RECORD_MAX - RAIZN_BLOCK_SIZE) / 512;

	return (divide_up(geo->su, RAIZN_BLOCK_SECTORS) +
		divide_up(geo->su, rows)) * RAIZN_BLOCK_SECTORS;
}

u32 raizn_log_zone_min(const struct raizn_geometry *geo)
{
	u32 record = raizn_pp_record_sectors(geo);
	/* Zone table, map and bad blocks between a superblock and a CHECKPOINT record. */
	u32 checkpoint = (divide_up(geo->nr_zones, RAIZN_ZONE_TABLE_MAX) +
			  divide_up(geo->nr_zones * geo->nr_members,
				    RAIZN_ZONE_MAP_MAX)) *
			 (RAIZN_RECORD_MAX / 512) +
			 raizn_bad_blocks_payload(RAIZN_BAD_BLOCKS_MAX) / 512 +
			 3 * RAIZN_BLOCK_SECTORS;

	return 2 * (checkpoint > record ? checkpoint : record);
}

static bool too_high(__le64 counter)
{
	return le64_to_cpu(counter) > RAIZN_SHARED_COUNTER_MAX;
}

bool raizn_record_overcounts(const struct raizn_record *rec)
{
	const struct raizn_superblock *sb = raizn_record_sb_const(rec);
	u16 type = le16_to_cpu(rec->type);
	u32 i;

	if (too_high(rec->seq) ||
	    ((type == RAIZN_REC_ZONE_MAP || type == RAIZN_REC_BAD_BLOCKS ||
	      type == RAIZN_REC_SPOILT) && too_high(rec->start)))
		return true;
	if (type != RAIZN_REC_SUPERBLOCK)
		return false;
	for (i = 0; i < sb->nr_members && i < RAIZN_MAX_MEMBERS; i++)
		if (too_high(sb->members[i].event))
			return true;
	return too_high(sb->event) || too_high(sb->start) || too_high(sb->era);
}

/* NUL-terminated, without control characters, which a terminal would act on. */
static bool text_ok(const u8 *text)
{
	u32 i;

	for (i = 0; i < RAIZN_NAME_SIZE; i++) {
		if (!text[i])
			return true;
		if (text[i] < 0x20 || text[i] == 0x7f)
			return false;
	}
	return false;
}

/* A name becomes a file in /dev/mapper: only characters that device-mapper takes unmangled. */
static bool name_ok(const u8 *name)
{
	u32 i;

	if (!text_ok(name) || !name[0] || name[0] == '.' || name[0] == '-')
		return false;

	for (i = 0; name[i]; i++) {
		if ((name[i] >= '0' && name[i] <= '9') ||
		    (name[i] >= 'A' && name[i] <= 'Z') ||
		    (name[i] >= 'a' && name[i] <= 'z'))
			continue;
		if (!strchr("#+-.:=@_", name[i]))
			return false;
	}
	return true;
}

static const char *check_member_table(const struct raizn_superblock *sb)
{
	const struct raizn_member_entry *m = sb->members;
	bool listed = false;
	u32 i, j;

	for (i = 0; i < sb->nr_members; i++) {
		if (m[i].state > RAIZN_MEMBER_REBUILDING)
			return "unknown member state";
		if (!counter_ok(m[i].event))
			return "impossible event count of a member";
		for (j = 0; j < i; j++) {
			if (!memcmp(m[i].uuid, m[j].uuid, RAIZN_UUID_SIZE))
				return "two members with the same UUID";
		}
		if (!memcmp(m[i].uuid, sb->member_uuid, RAIZN_UUID_SIZE))
			listed = true;
	}
	return listed ? NULL : "member is not in its own member table";
}

int raizn_sb_geometry(const struct raizn_superblock *sb,
		      struct raizn_geometry *geo, const char **why)
{
	int ret;

	ret = raizn_geometry_init(geo, sb->level, sb->nr_members,
				  le32_to_cpu(sb->stripe_unit),
				  le32_to_cpu(sb->block_size),
				  le64_to_cpu(sb->zone_size),
				  le64_to_cpu(sb->zone_capacity),
				  le32_to_cpu(sb->first_zone),
				  le32_to_cpu(sb->nr_reserved),
				  le32_to_cpu(sb->nr_zones), why);
	if (ret)
		return ret;

	if (sb->nr_parity != geo->nr_parity)
		*why = "number of parities does not match the level";
	else if (!name_ok(sb->name))
		*why = "bad name";
	else if (!text_ok(sb->label))
		*why = "bad label";
	else if (!counter_ok(sb->event) || !counter_ok(sb->start) ||
		 !counter_ok(sb->era))
		*why = "impossible event count";
	else
		*why = check_member_table(sb);

	return *why ? -EINVAL : 0;
}
