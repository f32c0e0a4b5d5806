/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Records: fill, seal, verify.  Pure; the input of every verify function is hostile.
 */
#ifndef RAIZN_CODEC_H
#define RAIZN_CODEC_H

#include "portable.h"
#include "format.h"
#include "payload.h"
#include "geometry.h"

/**
 * raizn_record_init() - zero a header block and fill the fields that all records share
 * @rec:	header block, followed in memory by its payload
 * @type:	enum raizn_record_type
 * @uuid:	array UUID
 * @payload_len: bytes, a multiple of 4096, at most RAIZN_RECORD_MAX - 4096
 *
 * raizn_record_seal() fills seq, epoch, member and role.  zone is RAIZN_ZONE_ALL in a
 * SUPERBLOCK or CHECKPOINT, 0 in all other records.
 */
void raizn_record_init(struct raizn_record *rec, u16 type, const u8 *uuid,
		       u32 payload_len);

/**
 * raizn_record_seal() - make a record ready to be appended to one log
 * @rec:	header block, followed in memory by its payload
 * @seq:	sequence number
 * @epoch:	epoch of the log zone it goes to
 * @member:	slot of the member it goes to
 * @role:	enum raizn_log_role
 *
 * Computes the CRC; nothing may change in the record afterwards.
 */
void raizn_record_seal(struct raizn_record *rec, u64 seq, u64 epoch, u16 member,
		       u8 role);

enum raizn_record_verdict {
	RAIZN_RECORD_OK = 0,
	RAIZN_RECORD_NO_MAGIC,		/* not a record at all */
	RAIZN_RECORD_BAD_VERSION,	/* another format, or damaged */
	RAIZN_RECORD_BAD_LENGTH,	/* length impossible or beyond @avail */
	RAIZN_RECORD_BAD_CRC,
	RAIZN_RECORD_BAD_TYPE,		/* CRC right, type unknown */
	RAIZN_RECORD_BAD_FIELD,		/* CRC right, a field is invalid */
};

/**
 * raizn_record_verify() - is there a whole, sound record at @buf?
 * @buf:	bytes read from a log zone, 4096-aligned in the zone
 * @avail:	bytes at @buf
 *
 * Checks magic, version, length, CRC, type, and the fields as far as that needs no geometry
 * (raizn_record_fits() checks the rest).
 *
 * Return: verdict.
 */
enum raizn_record_verdict raizn_record_verify(const void *buf, size_t avail);

/**
 * raizn_record_is_whole() - is the checksum of a record right, of any version or type?
 * @buf:	bytes read from a log zone, 4096-aligned in the zone
 * @avail:	bytes at @buf
 *
 * Checks checksum and length by the rules of this format version.  If they are right, an
 * unknown version field means another format; if not, the field may be damaged.
 *
 * Return: true for magic, a possible length and the right checksum.
 */
bool raizn_record_is_whole(const void *buf, size_t avail);

/**
 * raizn_record_is_unknown() - was a record written by newer code?
 * @buf:	bytes read from a log zone, 4096-aligned in the zone
 * @avail:	bytes at @buf
 * @verdict:	result of raizn_record_verify()
 * @what:	filled, if so, with the name of the unknown thing, in English
 * @size:	bytes at @what
 *
 * True for a record of another format version or of an unknown type, and for a superblock
 * with unknown incompatible features.  A record with a wrong checksum is only damaged.
 *
 * Return: true if so.  Nothing may be written to an array with such a record.
 */
bool raizn_record_is_unknown(const void *buf, size_t avail,
			     enum raizn_record_verdict verdict, char *what,
			     size_t size);

/**
 * raizn_record_verdict_name() - name of a verdict, in English
 * @verdict:	verdict
 *
 * Return: static text, never NULL.
 */
const char *raizn_record_verdict_name(enum raizn_record_verdict verdict);

/**
 * raizn_record_type_name() - name of a record type, in English
 * @type:	enum raizn_record_type, or anything
 *
 * Return: static text, never NULL.
 */
const char *raizn_record_type_name(u16 type);

/**
 * raizn_member_state_name() - name of a member state, in English
 * @state:	enum raizn_member_state, or anything
 *
 * Return: static text, never NULL.
 */
const char *raizn_member_state_name(u8 state);

/**
 * raizn_record_fits() - do a verified record's fields fit this array?
 * @rec:	record that raizn_record_verify() found sound
 * @geo:	the array's geometry
 * @uuid:	the array's UUID
 *
 * Checks zone numbers, offsets and rows.  A SUPERBLOCK must describe the same geometry, and
 * name the member that it was written to.
 *
 * Return: true if every number can be used without another check.
 */
bool raizn_record_fits(const struct raizn_record *rec,
		       const struct raizn_geometry *geo, const u8 *uuid);

/**
 * raizn_record_step() - bytes to step over at a record that is not sound
 * @rec:	at least one block of the log
 * @uuid:	UUID of the array
 * @epoch:	epoch of the log zone
 * @member:	slot of the log's member
 * @role:	role of the log
 * @block:	logical block size (bytes)
 *
 * Readers step block by block over an append that a power cut left incomplete.  But the
 * payload of partial parity may equal data of a user, which may look like a record; so
 * behind a header that belongs to the log the whole payload is stepped over.
 *
 * Return: bytes.
 */
u32 raizn_record_step(const struct raizn_record *rec, const u8 *uuid,
		      u64 epoch, u16 member, u8 role, u32 block);

/* Bytes a record occupies in the log. */
static inline u32 raizn_record_bytes(const struct raizn_record *rec)
{
	return RAIZN_BLOCK_SIZE + le32_to_cpu(rec->payload_len);
}

/* Payload bytes of a PARTIAL_PARITY record of @nr_rows rows (sectors). */
static inline u32 raizn_parity_payload(u32 nr_rows)
{
	return (nr_rows * 512 + RAIZN_BLOCK_SIZE - 1) & ~(RAIZN_BLOCK_SIZE - 1);
}

static inline struct raizn_superblock *raizn_record_sb(struct raizn_record *rec)
{
	return (struct raizn_superblock *)rec->body;
}

static inline const struct raizn_superblock *
raizn_record_sb_const(const struct raizn_record *rec)
{
	return (const struct raizn_superblock *)rec->body;
}

/**
 * raizn_pp_record_sectors() - log space of the partial parity of a whole stripe unit
 * @geo:	geometry
 *
 * Return: sectors, headers included.
 */
u32 raizn_pp_record_sectors(const struct raizn_geometry *geo);

/**
 * raizn_log_zone_min() - smallest capacity of a zone that can hold a log
 * @geo:	geometry
 *
 * A log moves to another zone when its zone is full.  So a complete checkpoint, and the
 * partial parity of at least one logical zone, must fit half of a zone.
 *
 * Return: sectors.
 */
u32 raizn_log_zone_min(const struct raizn_geometry *geo);

/**
 * raizn_record_overcounts() - does a record have a counter that no array reaches?
 * @rec:	verified record
 *
 * Checks the counters that all members share and that a start takes over from the members:
 * see RAIZN_SHARED_COUNTER_MAX.
 */
bool raizn_record_overcounts(const struct raizn_record *rec);

/**
 * raizn_sb_geometry() - check a superblock and derive the geometry
 * @sb:		body of a verified SUPERBLOCK record
 * @geo:	to fill
 * @why:	set on error to a static text that names the fault
 *
 * Also checks the name (characters that device-mapper takes unmangled, no leading '.' or
 * '-'), the label (NUL-terminated, no control characters), level against nr_parity and the
 * member table: states, no UUID twice, member_uuid among them.  The caller checks the
 * feature words.
 *
 * Return: 0 or -EINVAL.
 */
int raizn_sb_geometry(const struct raizn_superblock *sb,
		      struct raizn_geometry *geo, const char **why);

#endif /* RAIZN_CODEC_H */
