// SPDX-License-Identifier: GPL-2.0
/*
 * Which machine this is, and whether an array was last used by another.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uuid/uuid.h>

#include "host.h"
#include "text.h"

/* What identities are made in; a random UUID. */
static const char machines[] = "7c2f5d0e-4a0b-4b5e-9a43-64d1f9a2c7b8";

/* machine-id(5) asks for its contents not to be shown around. */
static bool read_machine_id(u8 *host)
{
	char line[64] = "";
	uuid_t namespace;
	FILE *file;
	u8 id[RAIZN_UUID_SIZE];

	file = fopen("/etc/machine-id", "re");
	if (!file)
		return false;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	line[strcspn(line, "\n")] = '\0';
	if (!parse_uuid(line, id) || uuid_parse(machines, namespace))
		return false;
	uuid_generate_sha1(host, namespace, (const char *)id, sizeof(id));
	return true;
}

bool host_identity(u8 *host)
{
	const char *given = getenv("RAIZN_HOST");

	memset(host, 0, RAIZN_UUID_SIZE);
	return given ? parse_uuid(given, host) : read_machine_id(host);
}

bool host_is_other(const struct raizn_superblock *sb)
{
	u8 host[RAIZN_UUID_SIZE];

	/* Without an identity it is zero, which differs from all others. */
	host_identity(host);
	return !uuid_is_null(sb->host) && memcmp(sb->host, host, RAIZN_UUID_SIZE);
}

const char *host_other_text(void)
{
	u8 host[RAIZN_UUID_SIZE];

	return host_identity(host) ? "another machine" :
	       "a machine that may be another (this one has no identity in /etc/machine-id)";
}
