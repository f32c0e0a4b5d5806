#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# raizn(8): what it does, what it refuses, and that refusing changes nothing.

. "$(dirname "$0")/../lib/rig.sh"
suite tools

# ---- helpers --------------------------------------------------------------

# A helper process looks at drives and forges metadata; it is asked through a
# pipe, because starting a program for every look takes long in a guest.
cat >"$TMP/helper" <<'PYTHON'
import ctypes, fcntl, hashlib, mmap, os, random, struct, sys

BLKREPORTZONE, BLKRESETZONE, BLKPG = 0xc0101282, 0x40101283, 0x1269
BLKFINISHZONE = 0x40101288
CONVENTIONAL, READ_ONLY, FULL, OFFLINE = 1, 13, 14, 15
PIECE = 1 << 20
buffer = mmap.mmap(-1, PIECE)   # O_DIRECT wants aligned memory

def queue(device, attribute):
    node = os.path.basename(os.path.realpath(device))
    return int(open(f"/sys/class/block/{node}/queue/{attribute}").read())

def report(fd, nr):
    """Start, length, wp, type, condition, capacity of every zone."""
    data = bytearray(16 + 64 * nr)
    struct.pack_into("<QII", data, 0, 0, nr, 0)
    fcntl.ioctl(fd, BLKREPORTZONE, data)
    nr, flags = struct.unpack_from("<II", data, 8)
    for i in range(nr):
        start, length, wp, kind, cond, _, _, capacity = struct.unpack_from(
            "<QQQBBBB4xQ", data, 16 + 64 * i)
        yield start, length, wp, kind, cond, capacity if flags & 1 else length

def read_all(fd, start, length, digest):
    while length:
        got = os.preadv(fd, [memoryview(buffer)[:min(length, PIECE)]], start)
        if not got:
            raise EOFError(start)
        digest.update(buffer[:got])
        start, length = start + got, length - got

def fingerprint(devices):
    """All that can be read back: zone reports, every written sector of
    sequential zones, the first MiB of conventional ones."""
    digest = hashlib.sha256()
    for device in devices:
        fd = os.open(device, os.O_RDONLY | os.O_DIRECT)
        zoned = queue(device, "chunk_sectors") and queue(device, "nr_zones")
        for zone in report(fd, queue(device, "nr_zones")) if zoned else ():
            start, length, wp, kind, cond, capacity = zone
            digest.update(repr(zone).encode())
            if kind == CONVENTIONAL:
                length = 2048
            elif cond == FULL:
                length = capacity
            elif cond in (READ_ONLY, OFFLINE):
                length = 0
            else:
                length = max(wp - start, 0)
            read_all(fd, start * 512, length * 512, digest)
        if not zoned:
            read_all(fd, 0, PIECE, digest)
        os.close(fd)
    return digest.hexdigest()

FIELDS = {  # offset in the record, format
    "magic": (0, "<Q"), "version": (12, "<H"), "type": (14, "<H"),
    "payload_len": (16, "<I"), "seq": (40, "<Q"), "member": (56, "<H"),
    "ro_compat": (136, "<Q"), "incompat": (144, "<Q"),
    "member_uuid": (152, "16s"), "name": (168, "64s"), "label": (232, "64s"),
    "event": (296, "<Q"), "flags": (304, "<I"), "nr_members": (308, "B"),
    "nr_parity": (309, "B"), "level": (310, "B"), "stripe_unit": (312, "<I"),
    "first_zone": (320, "<I"), "nr_reserved": (324, "<I"),
    "nr_zones": (328, "<I"), "zone_size": (336, "<Q"),
    "zone_capacity": (344, "<Q"),
}
TABLE = []
for i in range(256):
    for _ in range(8):
        i = i >> 1 ^ (0x82f63b78 if i & 1 else 0)
    TABLE.append(i)

def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc = crc >> 8 ^ TABLE[(crc ^ byte) & 255]
    return crc

def edit(data, key, value):
    if key == "noise":
        rng = random.Random(int(value))
        for _ in range(rng.randint(1, 40)):
            # Not what makes it a superblock record of this array.
            data[rng.randint(40, 1600)] = rng.choice(
                (0, 1, 127, 255, rng.randint(0, 255)))
        return
    if key == "events":     # of all members, in the member table
        for i in range(data[308]):
            struct.pack_into("<Q", data, 128 + 384 + 32 * i + 24, int(value))
        return
    offset, form = FIELDS[key]
    value = (value.encode().decode("unicode_escape").encode("latin-1")
             if form.endswith("s") else int(value, 0))
    struct.pack_into(form, data, offset, value)

def seal(data):
    data[8:12] = bytes(4)
    struct.pack_into("<I", data, 8, crc32c(data))
    return data

def zone_table(superblock, generation):
    """A record that gives zone 0 a generation, behind this superblock."""
    record = bytearray(8192)
    record[:72] = superblock[:72]
    struct.pack_into("<HI", record, 14, 3, 4096)
    struct.pack_into("<Q", record, 40, 2)
    struct.pack_into("<I", record, 76, 1)
    struct.pack_into("<Q", record, 4096, generation)
    return seal(record)

def forge(device, *edits):
    """Rewrite the superblock and checkpoint of a new member, changed."""
    fd = os.open(device, os.O_RDWR | os.O_DIRECT)
    view = memoryview(buffer)[:8192]
    os.preadv(fd, [view], 0)
    data, checkpoint = bytearray(view[:4096]), bytearray(view[4096:])
    table, flip = b"", 0
    for key, _, value in (e.partition("=") for e in edits):
        if key == "bad-crc":
            flip = 1
        elif key == "drop-checkpoint":
            checkpoint = b""
        elif key == "generation":
            table = zone_table(data, int(value, 0))
            struct.pack_into("<Q", checkpoint, 40, 3)
            seal(checkpoint)
        else:
            edit(data, key, value)
    seal(data)
    data[8] ^= flip
    data += table + checkpoint
    memoryview(buffer)[:len(data)] = data
    fcntl.ioctl(fd, BLKRESETZONE,
                struct.pack("<QQ", 0, queue(device, "chunk_sectors")))
    for block in range(0, len(data), 4096):
        os.pwritev(fd, [memoryview(buffer)[block:block + 4096]], block)
    os.fsync(fd)
    os.close(fd)
    return "forged"

def disturb(data, rng):
    """Change fields of some records, and make their CRC right."""
    at = 0
    while at < len(data):
        payload, = struct.unpack_from("<I", data, at + 16)
        size = 4096 + payload
        if rng.random() < 0.2 and payload <= 8192:
            for _ in range(rng.randint(1, 3)):
                # Not magic, version, length and array.
                field = rng.choice((14, 20, 40, 48, 56, 58, 59, 64, 72, 76, 80,
                                    88, 96, 100, 296, 304, 360, 368, 4096, 4104))
                if field < size:
                    data[at + field] = rng.choice((0, 1, 2, 8, 127, 255))
            data[at:at + size] = seal(data[at:at + size])
        at += size

def copy(source, target, *edits):
    """What a drive holds, to a new one: as it would be without power. Edits
    are cut=ZONE:SECTORS (no more than these of a zone survive),
    flip=ZONE:SECTOR (a byte of it is another one) and noise=ZONE:SEED (the
    records of a log zone say something else, with the right CRC)."""
    cuts, flips, noise = {}, {}, {}
    for key, _, value in (e.partition("=") for e in edits):
        zone, sector = map(int, value.split(":"))
        if key == "cut":
            cuts[zone] = sector
        elif key == "noise":
            noise[zone] = sector
        else:
            flips.setdefault(zone, []).append(sector)
    a = os.open(source, os.O_RDONLY | os.O_DIRECT)
    b = os.open(target, os.O_RDWR | os.O_DIRECT)
    size = queue(target, "chunk_sectors")
    fcntl.ioctl(b, BLKRESETZONE,
                struct.pack("<QQ", 0, size * queue(target, "nr_zones")))
    for i, (start, _, wp, _, cond, capacity) in enumerate(
            report(a, queue(source, "nr_zones"))):
        end = start + capacity if cond == FULL else wp
        end = min(end, start + cuts.get(i, capacity))
        at = start
        while at < end:
            n = min(PIECE // 512, end - at)
            view = memoryview(buffer)[:n * 512]
            os.preadv(a, [view], at * 512)
            for sector in flips.get(i, ()):
                if at <= start + sector < at + n:
                    buffer[(start + sector - at) * 512 + 5] ^= 1
            if i in noise:
                data = bytearray(view)
                disturb(data, random.Random(noise[i]))
                view[:] = data
            os.pwritev(b, [view], at * 512)
            at += n
        # What was not written up to its end was finished.
        if cond == FULL and i not in cuts:
            fcntl.ioctl(b, BLKFINISHZONE, struct.pack("<QQ", start, size))
    os.close(a)
    os.close(b)
    return "copied"

def records(device, zone, seq, path):
    """A file with what looks like records of the log in that zone."""
    fd = os.open(device, os.O_RDONLY | os.O_DIRECT)
    view = memoryview(buffer)[:4096]
    os.preadv(fd, [view], int(zone) * queue(device, "chunk_sectors") * 512)
    os.close(fd)
    with open(path, "wb") as file:
        for i in range(4):
            record = bytearray(view[:128]) + bytes(4096 - 128)
            struct.pack_into("<H", record, 14, 2)
            struct.pack_into("<Q", record, 40, int(seq) + i)
            file.write(seal(record))
    return "written"

def partition(device):
    """Make a partition of 4 MiB, whatever tables this kernel reads."""
    fd = os.open(device, os.O_RDWR)
    entry = ctypes.create_string_buffer(struct.pack("qqi64s64s4x", 1 << 20,
                                                    4 << 20, 1, b"", b""))
    fcntl.ioctl(fd, BLKPG, struct.pack("iii4xP", 1, 0, len(entry) - 1,
                                       ctypes.addressof(entry)))
    os.close(fd)
    return "made"

for line in sys.stdin:
    words = line.rstrip("\n").split("\t")
    try:
        if words[0] == "forge":
            answer = forge(*words[1:])
        elif words[0] == "copy":
            answer = copy(*words[1:])
        elif words[0] == "records":
            answer = records(*words[1:])
        elif words[0] == "partition":
            answer = partition(words[1])
        else:
            answer = fingerprint(words[1:])
    except Exception as error:
        answer = f"error: {error!r}"
    print(answer, flush=True)
PYTHON
coproc HELPER { exec python3 "$TMP/helper"; }

# ask WORD...: the helper's answer; fails if it has none.
ask()
{
	local answer IFS=$'\t'
	echo "$*" >&"${HELPER[1]}"
	IFS= read -r answer <&"${HELPER[0]}"
	echo "$answer"
	case $answer in
	'' | error:*) note "helper: $answer" >&2; return 1 ;;
	esac
}

fingerprint()
{
	ask fingerprint "$@"
}

# forge DEVICE EDIT...: rewrite the superblock of a member that was just made.
# Edits are FIELD=VALUE (the CRC is made right), bad-crc, drop-checkpoint,
# noise=SEED (random bytes, CRC right), or generation=N (of zone 0).
forge()
{
	ask forge "$@" >/dev/null
}

# refused WHAT CODE REGEX COMMAND...: the exit code is CODE, every line it says
# begins as errors do, one of them matches, and the drives in $GUARDED are as
# they were.
GUARDED=()
refused()
{
	local what=$1 code=$2 pattern=$3 before after status
	shift 3
	rig_mark "$SUITE: $what"
	before=$(fingerprint "${GUARDED[@]}")
	"$@" >"$TMP/out" 2>"$TMP/err" </dev/null
	status=$?
	after=$(fingerprint "${GUARDED[@]}")
	if [ "$status" != "$code" ]; then
		not_ok "$what" "exit code $status, want $code"
	elif ! grep -Eq -- "$pattern" "$TMP/err"; then
		not_ok "$what" "no '$pattern' on standard error"
	elif grep -qv '^raizn: ' "$TMP/err"; then
		not_ok "$what" "a line that does not begin with 'raizn: '"
	elif [ "$before" != "$after" ]; then
		not_ok "$what" "the drives were changed"
	else
		ok "$what"
		return 0
	fi
	note "command: $*"
	rig_show "$TMP/err"
	return 1
}

# shows WHAT REGEX COMMAND...: it succeeds and its output matches.
shows()
{
	local what=$1 pattern=$2
	shift 2
	if "$@" >"$TMP/out" 2>&1 </dev/null &&
	   grep -Eq -- "$pattern" "$TMP/out"; then
		ok "$what"
		return 0
	fi
	not_ok "$what" "no success, or no '$pattern' in its output"
	note "command: $*"
	rig_show "$TMP/out"
	return 1
}

# json WHAT FILTER WANTED COMMAND...: what jq finds in the output.
json()
{
	local what=$1 filter=$2 wanted=$3
	shift 3
	"$@" >"$TMP/out" 2>"$TMP/err" </dev/null
	check_equal "$what" "$(jq -rc "$filter" "$TMP/out" 2>&1)" "$wanted"
}

# drive NAME [KEY=VALUE...]: one drive, its device in $DRIVE.
drive()
{
	local kept=("${DRIVES[@]}") name=$1
	shift
	drives "$name" 1 "$@" || return 1
	DRIVE=${DRIVES[0]}
	DRIVES=("${kept[@]}")
}

fresh_array()
{
	raizn create "$@" --no-start --force >"$TMP/out" 2>&1 || {
		rig_show "$TMP/out"
		return 1
	}
}

# ---- the command line -----------------------------------------------------

check_fails "no command is a usage error" '^usage: raizn COMMAND' raizn
refused "an unknown command is a usage error" 2 "no command 'frob'" raizn frob
shows "help lists the commands" 'inspect DEVICE' raizn help
shows "--version" '^raizn [0-9]' raizn --version
for command in create start stop list status inspect maintain fail remove replace \
	       add rebuild scrub set events monitor; do
	shows "$command --help" "^usage: raizn $command" raizn $command --help
	shows "help $command" "^usage: raizn $command" raizn help $command
	refused "$command with an unknown option" 2 "no option '--frob'" \
		raizn $command --frob
done
shows "check --help" "^usage: raizn check" raizn check --help
refused "maintain without a name" 2 'name an array or its drives' raizn maintain
refused "start --all --degraded" 2 '--degraded is for one array' \
	raizn start --all --degraded
refused "list takes no names" 2 'takes no names' raizn list tank
refused "stop without a name" 2 'name one array' raizn stop
refused "start without a name" 2 'name an array' raizn start
refused "status of two arrays" 2 'one array' raizn status a b
refused "inspect of an unknown part" 2 "not 'frob'" raizn inspect /dev/null frob
refused "an option without its value" 2 'needs a value' raizn create --label
refused "who is not root hears so" 1 'run it as root' \
	setpriv --reuid=65534 --clear-groups "$(command -v raizn)" list
check "help needs no root" \
	setpriv --reuid=65534 --clear-groups "$(command -v raizn)" list --help

# ---- without arrays -------------------------------------------------------

drives t 6
ALL=("${DRIVES[@]}")
GUARDED=("${ALL[@]}")
FIVE=("${DRIVES[@]:0:5}")
SPARE=${DRIVES[5]}

before=$(fingerprint "$SPARE")
dd if=/dev/urandom of="$SPARE" bs=4K count=1 oflag=direct status=none
after=$(fingerprint "$SPARE")
check_true "these tests would notice a write" \
	"$([ "$before" != "$after" ] && echo 1 || echo 0)"
blkzone reset "$SPARE"
check_equal "and its being taken back" "$(fingerprint "$SPARE")" "$before"

shows "list without arrays" '^no arrays found' raizn list
json "list --json without arrays" .arrays '[]' raizn list --json
shows "status without arrays" '^no arrays found' raizn status
refused "status of an unknown array" 4 '^raizn: tank: no array' raizn status tank
refused "start of an unknown array" 4 '^raizn: tank: no array' raizn start tank
refused "start --all without arrays" 4 'no arrays found' raizn start --all
refused "stop of an unknown array" 4 '^raizn: tank: no array' raizn stop tank
refused "inspect of an empty drive" 4 "$SPARE: holds no array's metadata" \
	raizn inspect "$SPARE"

# ---- create: words --------------------------------------------------------

create()
{
	raizn create tank "${FIVE[@]}" "$@"
}

refused "create without a name" 2 'a name' raizn create
refused "create without drives" 2 'name the drives' raizn create tank
for name in a/b .hidden control '' 'a b' "$(printf 'n%.0s' {1..64})"; do
	refused "create with the name '${name:0:12}'" 2 "can not be an array's name" \
		raizn create "$name" "${FIVE[@]}"
done
refused "create of a stripe unit that is no size" 2 'is a size' \
	create --stripe-unit lots
refused "create of a stripe unit that overflows" 2 'is a size' \
	create --stripe-unit 99999999999G
refused "create of a stripe unit of 48K" 2 '48K is not a power of two' \
	create --stripe-unit 48K
for size in 2K 2M 0; do
	refused "create of a stripe unit of $size" 2 'between 4 KiB and 1 MiB' \
		create --stripe-unit $size
done
refused "create of a stripe unit too large for the zones" 3 \
	'stripe unit 1 MiB is too large: .* use up to 512 KiB' \
	create --stripe-unit 1M
for level in 0 1 6; do
	refused "create of level $level" 3 "level $level is not available yet" \
		create --level $level
done
for level in 4 7 five; do
	refused "create of level $level" 2 "not '$level'" create --level $level
done
refused "create with a label too long" 2 'up to 63 bytes' \
	create --label "$(printf 'l%.0s' {1..64})"
refused "create with a label that controls terminals" 2 'printable' \
	create --label $'a\033[31mb'
refused "create with a strange write cache" 2 "not 'maybe'" \
	create --write-cache maybe
refused "create with one spare zone" 2 "from 2 on" create --spare-zones 1
refused "create with more spare zones than zones" 3 \
	'metadata and spare zones would take 105' create --spare-zones 100

# ---- create: drives -------------------------------------------------------

refused "create on two drives" 3 'needs at least 3 drives, 2 given' \
	raizn create tank "${FIVE[@]:0:2}"
# shellcheck disable=SC2046
refused "create on 33 drives" 3 'at most 32 drives, 33 given' \
	raizn create tank $(seq -f /dev/none%g 33)
refused "create on a drive that is not there" 4 '/dev/none: no such device' \
	raizn create tank "${FIVE[@]}" /dev/none
refused "create on a regular file" 3 "$TMP/helper: not a block device" \
	raizn create tank "${FIVE[@]}" "$TMP/helper"
refused "create on a character device" 3 '/dev/null: not a block device' \
	raizn create tank "${FIVE[@]}" /dev/null
refused "create on the same drive twice" 3 \
	"${FIVE[0]}: the same drive as ${FIVE[0]}" \
	raizn create tank "${FIVE[@]}" "${FIVE[0]}"
ln -sf "${FIVE[1]}" "$TMP/alias"
refused "create on the same drive by another name" 3 \
	"$TMP/alias: the same drive as ${FIVE[1]}" \
	raizn create tank "${FIVE[@]}" "$TMP/alias"

# odd WHAT CODE REGEX [KEY=VALUE...]: five drives and one that is different.
odd()
{
	local what=$1 code=$2 pattern=$3
	shift 3
	drive odd "$@" || { not_ok "$what" "no such drive"; return; }
	GUARDED=("${ALL[@]}" "$DRIVE")
	refused "$what" "$code" "${pattern//DRIVE/$DRIVE}" \
		raizn create tank "${FIVE[@]}" "$DRIVE" --force
	GUARDED=("${ALL[@]}")
	drive_gone odd0
}

drive odd zoned=0
refused "create on a conventional drive" 3 \
	"$DRIVE: not a host-managed zoned drive .zoned model: none" \
	raizn create tank "${FIVE[@]}" "$DRIVE" --force
if ask partition "$DRIVE" >/dev/null && sleep 1 &&
   partition=$(ls "$DRIVE"?* 2>/dev/null); then
	refused "create on a partition" 3 "$partition: a partition" \
		raizn create tank "${FIVE[@]}" "$partition"
else
	skip "create on a partition" "none could be made"
fi
refused "inspect of a conventional drive" 3 "$DRIVE: not a host-managed" \
	raizn inspect "$DRIVE"
drive_gone odd0

odd "create with another zone size" 3 \
	'DRIVE: its zone size is 32 MiB, .* has 16 MiB' \
	zone_size=32 zone_capacity=12 size=1536
odd "create with another zone capacity" 3 \
	'DRIVE: its zone capacity is 11 MiB, .* has 12 MiB' zone_capacity=11
odd "create with another block size" 3 \
	'DRIVE: its logical block is 512 bytes, .* has 4096' blocksize=512
odd "create with another number of zones" 3 \
	'DRIVE: it has 64 zones .* has 48' size=1024
odd "create with conventional zones on one drive" 3 \
	'DRIVE: it has 48 zones .2 conventional., .* .0 conventional.' \
	zone_nr_conv=2
odd "create on a drive with 5 active zones" 3 \
	'DRIVE: takes only 5 active zones; a member needs at least 6' \
	zone_max_active=5 zone_max_open=5
odd "create on a drive with 3 open zones" 3 \
	'DRIVE: takes only 3 open zones; a member needs at least 6' \
	zone_max_open=3

drive odd
GUARDED=("${ALL[@]}" "$DRIVE")
blockdev --setro "$DRIVE"
refused "create on a read-only drive" 3 "$DRIVE: read-only" \
	raizn create tank "${FIVE[@]}" "$DRIVE"
blockdev --setrw "$DRIVE"
for condition in readonly offline; do
	attribute=/sys/kernel/config/nullb/odd0/zone_$condition
	if [ -e "$attribute" ] && echo $((16 * 2048 * 7)) >"$attribute"; then
		refused "create on a drive with a zone that is $condition" 3 \
			"$DRIVE: zone 7 is ${condition/readonly/read-only}" \
			raizn create tank "${FIVE[@]}" "$DRIVE" --force
	else
		skip "create on a drive with a zone that is $condition" \
			"null_blk can not simulate it"
	fi
done
GUARDED=("${ALL[@]}")
drive_gone odd0

# Every problem is told, not only the first.
drive odd zoned=0
blkzone reset "$SPARE"
dd if=/dev/urandom of="$SPARE" bs=4K count=1 oflag=direct status=none
raizn create tank "${FIVE[@]:0:2}" "$SPARE" "$DRIVE" 2>"$TMP/err"
check_equal "create tells of every drive that does not fit" \
	"$(grep -c "^raizn: \($SPARE\|$DRIVE\): " "$TMP/err")" 2
drive_gone odd0

# ---- create: drives in use ------------------------------------------------

refused "create on a drive with data" 3 \
	"$SPARE: holds data in 1 of 48 sequential zones; use --force" \
	raizn create tank "${FIVE[@]:0:4}" "$SPARE"
shows "a dry run says what would be lost" \
	"would destroy on $SPARE: data in 1 of 48" \
	raizn create tank "${FIVE[@]:0:4}" "$SPARE" --force --dry-run
blkzone reset "$SPARE"

# holds WHAT REGEX: $SPARE is in use, also for --force.
holds()
{
	refused "$1" 3 "$SPARE: in use: $2" \
		raizn create tank "${FIVE[@]:0:4}" "$SPARE" --force
}

length=$(blockdev --getsz "$SPARE")
modprobe dm-mod 2>/dev/null
if dmsetup create --noudevsync lin --table "0 $length linear $SPARE 0"; then
	holds "create on a drive of a mapped device" \
		'part of the mapped device lin'
	dmsetup remove --retry lin
else
	skip "create on a drive of a mapped device" "no dm-linear"
fi

python3 - "$SPARE" "$TMP/held" <<-'PYTHON' &
	import os, sys, time
	os.open(sys.argv[1], os.O_RDONLY | os.O_EXCL)
	open(sys.argv[2], "w").close()
	time.sleep(1000)
PYTHON
holder=$!
at_exit "kill $holder"
check "a process opens a drive" await 60 test -e "$TMP/held"
holds "create on a drive a process holds" "opened by process $holder .python3"
kill $holder
wait $holder 2>/dev/null

modprobe -q btrfs
if mkfs.btrfs -q -f -O zoned -d single -m single "$SPARE" >"$TMP/mkfs" 2>&1; then
	refused "create on a drive with a file system" 3 \
		"$SPARE: holds data in .* a signature .btrfs.; use --force" \
		raizn create tank "${FIVE[@]:0:4}" "$SPARE"
	mkdir -p "$TMP/mnt"
	at_exit "umount $TMP/mnt"
	if mount -t btrfs "$SPARE" "$TMP/mnt" 2>>"$TMP/mkfs"; then
		holds "create on a mounted drive" "mounted on $TMP/mnt"
		umount "$TMP/mnt"
	else
		skip "create on a mounted drive" "btrfs does not mount it"
	fi
else
	skip "create on a drive with a file system" "mkfs.btrfs fails"
fi
blkzone reset "$SPARE"

# ---- create: what it makes ------------------------------------------------

GUARDED=("${ALL[@]}")
before=$(fingerprint "${ALL[@]}")
shows "a dry run shows the layout" \
	'^volume: +1.92 GiB in 41 zones of 64 MiB, of which 48 MiB' \
	create --dry-run
check_equal "a dry run changes nothing" "$(fingerprint "${ALL[@]}")" \
	"$before"
check_equal "a dry run has no limits but the drives'" \
	"$(raizn create tank "${FIVE[@]}" --dry-run | grep '^limits:')" \
	"limits:   9 open and 9 active zones"
check "create --no-start" create --no-start --label 'für Äpfel' \
	--write-cache through
check_true "it does not start" "$([ -e /dev/mapper/tank ] && echo 0 || echo 1)"
GUARDED=("${ALL[@]}")
superblock()
{
	local filter=$1 device=${2:-${FIVE[0]}}
	raizn inspect "$device" superblock --json | jq -rc ".superblock|$filter"
}
check_equal "its superblock" \
	"$(superblock '[.name,.label,.level,.nr_members,.nr_parity,.stripe_unit_sectors,.block_size,.zone_size_sectors,.zone_capacity_sectors,.first_zone,.nr_reserved,.nr_zones,.clean,.write_through,.event,.seq]')" \
	'["tank","für Äpfel",5,5,1,128,4096,32768,24576,0,7,41,true,true,1,1]'
check_equal "members know their slots" \
	"$(for d in "${FIVE[@]}"; do superblock .slot "$d"; done | xargs)" \
	"0 1 2 3 4"
check_equal "members have identities" \
	"$(for d in "${FIVE[@]}"; do superblock .member_uuid "$d"; done |
	   sort -u | wc -l)" 5
json "the log of a new member" \
	'[.log[]|[.zone,.role,.complete,(.records|map(.type+" "+.verdict))]]|.[0:2]' \
	'[[0,"general log",true,["superblock ok","checkpoint ok"]],[1,"no log",false,[]]]' \
	raizn inspect "${FIVE[1]}" log --json
json "the zones of a new member" \
	'[.contradictions,(.zones|length),.zones[5].role,.zones[7].role,.zones[47].role,.zones[47].generation]' \
	'[0,48,"spare","data 0","data 40",0]' \
	raizn inspect "${FIVE[1]}" zones --json
json "inspect --json of all parts is one object" 'keys|length' 8 \
	raizn inspect "${FIVE[1]}" --json
shows "inspect for people" 'checkpoint +of superblock 1; ok' \
	raizn inspect "${FIVE[1]}"
before=$(fingerprint "${ALL[@]}")
raizn inspect "${FIVE[2]}" >/dev/null
check_equal "inspect changes nothing" "$(fingerprint "${ALL[@]}")" "$before"
json "list of a stopped array" \
	'.arrays[]|[.name,.label,.running,.state,.nr_members,.nr_found]' \
	'["tank","für Äpfel",false,"stopped",5,5]' raizn list --json
json "status of a stopped array" \
	'.arrays[]|[.state,.level,.stripe_unit,.write_cache,.nr_zones,(.members|map(.state)|unique)]' \
	'["stopped",5,65536,"through",41,["found"]]' raizn status tank --json
shows "list for people" '^tank .* stopped +5/5 +für Äpfel' raizn list
shows "status for people" "action: 'raizn start tank' starts it" raizn status

refused "create on members" 3 \
	"${FIVE[0]}: holds a member of array 'tank' .*; use --force" \
	raizn create other "${FIVE[@]}"
drives u 3
THREE=("${DRIVES[@]}")
GUARDED=("${ALL[@]}" "${THREE[@]}")
refused "create with the name of another array" 3 \
	'tank: .* belongs to an array of this name' \
	raizn create tank "${THREE[@]}"
if dmsetup create --noudevsync taken --table "0 $length linear $SPARE 0"; then
	refused "create with the name of a mapped device" 3 \
		'taken: a mapped device has this name' \
		raizn create taken "${THREE[@]}"
	dmsetup remove --retry taken
fi
uuid=$(superblock .array_uuid)
shows "create --force says what it destroys" \
	"^destroys on ${FIVE[4]}: a member of array 'tank' .$uuid.*data in 1 of" \
	raizn create tank "${FIVE[@]}" --force --no-start
check_true "and makes a new array" \
	"$([ "$(superblock .array_uuid)" != "$uuid" ] && echo 1 || echo 0)"

# ---- create: other drives -------------------------------------------------

# shaped WHAT N FILTER WANTED [KEY=VALUE...]: the superblock on such drives.
shaped()
{
	local what=$1 n=$2 filter=$3 wanted=$4 kept=("${DRIVES[@]}")
	shift 4
	drives shaped "$n" "$@"
	if fresh_array shaped "${DRIVES[@]}"; then
		check_equal "$what" "$(superblock "$filter" "${DRIVES[0]}")" \
			"$wanted"
	else
		not_ok "$what" "create failed"
	fi
	mapfile -t names < <(nullblk list | grep '^shaped')
	drive_gone "${names[@]}"
	DRIVES=("${kept[@]}")
}

shaped "conventional zones at the front are stepped over" 3 \
	'[.first_zone,.nr_zones]' '[3,38]' zone_nr_conv=3
shaped "a shorter last zone is left out" 3 '[.nr_zones]' '[40]' size=760 \
	zone_capacity=16
shaped "drives with blocks of 512 bytes" 3 '[.block_size,.nr_zones]' \
	'[512,41]' blocksize=512
shaped "drives without limits" 3 '[.nr_zones]' '[41]' zone_max_open=0 \
	zone_max_active=0
shaped "one spare zone of 256" 3 '[.nr_reserved]' '[9]' size=4400 zone_size=4 \
	zone_capacity=4 memory_backed=1

drives conv 3 zone_nr_conv=2
GUARDED=("${DRIVES[@]}")
truncate -s 16M "$TMP/ext4"
mkfs.ext4 -q -F "$TMP/ext4"
dd if="$TMP/ext4" of="${DRIVES[1]}" bs=64K count=1 oflag=direct status=none
refused "create on a drive with a signature in a conventional zone" 3 \
	"${DRIVES[1]}: holds a signature .ext4.; use --force" \
	raizn create conv "${DRIVES[@]}"
shows "create --force says which signature it destroys" \
	"destroys on ${DRIVES[1]}: a signature .ext4." \
	raizn create conv "${DRIVES[@]}" --force --no-start
check_equal "and erases it" \
	"$(blkid -p -o value -s TYPE "${DRIVES[1]}")" ""
shows "conventional zones are mentioned" 'conventional zones of each drive' \
	raizn status conv
drive_gone conv0 conv1 conv2

# big GIB REGEX: what create says of zones of 4 * GIB.
big()
{
	drives big 5 zone_size=$(($1 * 1024)) zone_capacity=$(($1 * 1024)) \
		size=$(($1 * 16 * 1024)) memory_backed=0
	raizn create big "${DRIVES[@]}" --dry-run >"$TMP/out" 2>&1
	if [ -n "$2" ]; then
		check "zones of $((4 * $1)) GiB come with a note" \
			grep -q "^note: $2" "$TMP/out"
	else
		check_fails "zones of $((4 * $1)) GiB need no note" '^$' \
			grep '^note:' "$TMP/out"
	fi
	drive_gone big0 big1 big2 big3 big4
}
drives small 5 zone_size=512 zone_capacity=512 size=8192 memory_backed=0
check "zones of 2 GiB need no note" \
	bash -c "! raizn create small ${DRIVES[*]} --dry-run | grep '^note:'"
drive_gone small0 small1 small2 small3 small4
big 1 'mkfs.f2fs'
big 4 'mkfs.btrfs'

# ---- metadata that is not what it should be -------------------------------

GUARDED=("${FIVE[@]}" "$SPARE")

# damaged WHAT CODE REGEX EDIT...: what start says with a member forged so.
damaged()
{
	local what=$1 code=$2 pattern=$3
	shift 3
	fresh_array tank "${FIVE[@]}"
	forge "${FIVE[2]}" "$@"
	refused "start: $what" "$code" "$pattern" raizn start tank
	refused "start with drives named: $what" 3 "${FIVE[2]}" \
		raizn start tank "${FIVE[@]}"
}

damaged "a corrupt superblock" 4 \
	"slot 2 .* is missing; it may be ${FIVE[2]}: its superblock is corrupt" bad-crc
refused "inspect of a corrupt superblock" 3 "${FIVE[2]}: its superblock is corrupt" \
	raizn inspect "${FIVE[2]}"
json "list tells of a damaged drive" '[.arrays[0].state,.unusable_drives[0].device]' \
	"[\"incomplete\",\"${FIVE[2]}\"]" raizn list --json
refused "create on a drive with a corrupt superblock" 3 \
	"${FIVE[2]}: holds a member of an array" \
	raizn create other "${THREE[@]}" "${FIVE[2]}"
damaged "an unknown incompatible feature" 3 \
	"${FIVE[2]} can not be used: it uses features unknown .*incompat 0x4" \
	incompat=4
damaged "a newer format" 4 'slot 2 .* is missing' version=9
damaged "a name from outside" 3 \
	'can not be used: its superblock holds an impossible array name' \
	'name=../../etc'
damaged "a name that controls terminals" 3 'impossible array name' \
	'name=a\x1b[2Jb'
damaged "200 members" 3 'makes no sense' nr_members=200
damaged "level 5 with two parity units" 3 'makes no sense' nr_parity=2
damaged "a stripe unit of 0" 3 'makes no sense' stripe_unit=0
damaged "zones without end" 3 'makes no sense|does not fit' \
	nr_zones=0xffffffff
damaged "more zones than the drive has" 3 'does not fit the drive' \
	nr_zones=43
damaged "another zone size" 3 'does not fit the drive .zone size' \
	zone_size=65536
damaged "another first zone" 3 'does not fit the drive .first' first_zone=1
damaged "a slot beyond the table" 3 'does not list the drive' member=31
damaged "the slot of another member" 3 'does not list the drive' member=1
damaged "another name than the others" 3 'disagree on what the array is' \
	name=tanker
damaged "another stripe unit than the others" 3 'disagree' stripe_unit=64
damaged "an event that no array reaches" 3 'a counter that no array reaches' \
	event=0xfffffffffffe0000
damaged "a sequence number that no array reaches" 3 \
	'a counter that no array reaches' seq=0xfffffffffffe0000
damaged "a creation that was interrupted" 3 \
	"its creation was interrupted .no checkpoint on ${FIVE[2]}" \
	drop-checkpoint
fresh_array tank "${FIVE[@]}"
for i in 0 1 3 4; do
	forge "${FIVE[i]}" event=3 events=2
done
refused "start: a member that the others went on without" 3 \
	"${FIVE[2]} is stale: it took part up to event 1, the others up to 3; .*--degraded" \
	raizn start tank
forge "${FIVE[1]}" event=1 events=1
refused "start: two members that are behind" 3 \
	"is stale: .*; without slots 1 and 2 there is too little to start from, parity makes up for 1" \
	raizn start tank --degraded
fresh_array tank "${FIVE[@]}"
forge "${FIVE[2]}" drop-checkpoint
shows "create --force repairs that" \
	"destroys on ${FIVE[2]}: the unfinished array 'tank'" \
	raizn create tank "${FIVE[@]}" --no-start --force

crashed=0
for seed in $(seq "$(scaled 40 8)"); do
	fresh_array tank "${FIVE[@]}"
	forge "${FIVE[1]}" "noise=$seed"
	for words in "inspect ${FIVE[1]}" "inspect ${FIVE[1]} --json" \
		     "status" "start nobody" "list --json"; do
		# shellcheck disable=SC2086
		raizn $words >"$TMP/out" 2>&1
		[ $? -lt 124 ] || { crashed=1; note "seed $seed: raizn $words"; }
	done
done
check_equal "hostile superblocks do not crash the tool" $crashed 0

# ---- start: which drives --------------------------------------------------

fresh_array tank "${FIVE[@]}"
fresh_array other "${THREE[@]}"
GUARDED=("${FIVE[@]}" "${THREE[@]}" "$SPARE")
refused "start without one of its drives" 4 \
	"tank: the drive of slot 3 .member $(superblock '.members[3].uuid'). is missing; .*'raizn start tank --degraded'" \
	raizn start tank "${FIVE[@]:0:3}" "${FIVE[4]}"
refused "start without two of its drives" 4 \
	"tank: the drive of slot 3 .* is missing; without slots 3 and 4 there is too little" \
	raizn start tank --degraded "${FIVE[@]:0:3}"
refused "start with the same drive twice" 3 \
	"${FIVE[1]}: the same drive as ${FIVE[1]}" \
	raizn start tank "${FIVE[@]}" "${FIVE[1]}"
refused "start with a foreign member" 3 \
	"${THREE[0]}: a member of array 'other' .*, not of 'tank'" \
	raizn start tank "${FIVE[@]}" "${THREE[0]}"
refused "start with a drive that is no member" 3 \
	"$SPARE: not a member of any array" raizn start tank "${FIVE[@]}" "$SPARE"
refused "start with a drive that is not there" 4 '/dev/none: no such device' \
	raizn start tank "${FIVE[@]}" /dev/none
refused "start of an array that these drives are not" 4 'nobody: no array' \
	raizn start nobody "${FIVE[@]}"
refused "start with a strange write cache" 2 "not 'maybe'" \
	raizn start tank --write-cache maybe
if dmsetup create --noudevsync tank --table "0 $length linear $SPARE 0"; then
	refused "start under a name that is taken" 3 \
		'tank: another mapped device has this name' raizn start tank
	refused "stop of a mapped device that is no array" 3 \
		"tank: a mapped device, but not an array's" raizn stop tank
	dmsetup remove --retry tank
fi

# A drive below another mapped device is seen there, and only there.
if dmsetup create --noudevsync low --table \
   "0 $((length - 32768)) linear ${FIVE[3]} 32768"; then
	refused "start with a drive hidden below a mapped device" 4 \
		'tank: the drive of slot 3 .* is missing' raizn start tank
	json "status says which drive is missing" \
		'.arrays[]|select(.name=="tank")|[.state,(.members|map(.state))]' \
		'["incomplete",["found","found","found","missing","found"]]' \
		raizn status --json
	dmsetup remove --retry low
fi
if dd if="${FIVE[3]}" of="$SPARE" bs=4K count=2 iflag=direct oflag=direct \
   status=none; then
	refused "start with a copy of a member around" 3 \
		'hold the same member .slot 3., one is a copy' raizn start tank
	blkzone reset "$SPARE"
fi
for d in "${THREE[@]}"; do
	forge "$d" name=tank
done
refused "start of an ambiguous name" 3 'tank: two arrays have this name' \
	raizn start tank
fresh_array other "${THREE[@]}"

# ---- the running array ----------------------------------------------------

if ! load_module 2>"$TMP/err"; then
	refused "start without the kernel's target" 1 \
		"has no device-mapper target 'raizn'" raizn start tank
	refused "create without the kernel's target" 1 \
		"has no device-mapper target 'raizn'" \
		raizn create tank "${FIVE[@]}" --force
	note "$(cat "$TMP/err")"
	not_ok "the module loads" "nothing below can be tested"
	finish
fi
at_exit "raizn stop --all"

GUARDED=()
check "start in another order" raizn start tank "${FIVE[4]}" "${FIVE[0]}" \
	"${FIVE[2]}" "${FIVE[1]}" "${FIVE[3]}"
check "the volume is there" test -b /dev/mapper/tank
check_equal "it is host-managed" \
	"$(cat "/sys/block/$(sysfs_name /dev/mapper/tank)/queue/zoned")" \
	host-managed
check_equal "its device-mapper UUID is the array's" \
	"$(dmsetup info -c --noheadings -o uuid tank)" \
	"RAIZN-$(superblock .array_uuid | tr -d -)"
check_equal "slots do not depend on the order of drives" \
	"$(raizn status tank --json | jq -rc '[.arrays[0].members[].device]')" \
	"$(printf '%s\n' "${FIVE[@]}" | jq -Rnc '[inputs]')"
GUARDED=("${THREE[@]}")
refused "start of what runs" 3 'tank: already running as /dev/mapper/tank' \
	raizn start tank
refused "start by UUID of what runs" 3 'already running' \
	raizn start "$(superblock .array_uuid)"
refused "create on the drives of a running array" 3 \
	"${FIVE[2]}: in use: part of the running array tank" \
	raizn create new "${FIVE[@]}" --force
if ! kernel_at_least 6 10; then
	check "the scheduler that this kernel needs is set" \
		grep -q '\[mq-deadline\]' \
		"/sys/block/$(basename "${FIVE[0]}")/queue/scheduler"
fi

dd if=/dev/urandom of="$TMP/data" bs=64K count=20 status=none
dd if="$TMP/data" of=/dev/mapper/tank bs=64K oflag=direct conv=fsync status=none
json "status of a running array" \
	'.arrays[]|select(.running)|[.name,.state,.bytes.user_written,.bytes.data_written,.bytes.parity_written,.zones.empty,.zones.open,.limits.max_open,.limits.open,(.members|map(.state)|unique)]' \
	'["tank","active",1310720,1310720,327680,40,1,9,1,["active"]]' \
	raizn status --json
json "its write amplification" \
	'.arrays[0]|.write_amplification == .bytes.member_written / .bytes.user_written' \
	true raizn status tank --json
shows "status for people of a running array" 'written by users +1.25 MiB' \
	raizn status tank
json "list of a running array" '.arrays[]|select(.running)|[.name,.state]' \
	'["tank","active"]' raizn list --json
json "inspect of a running array" .superblock.clean false \
	raizn inspect "${FIVE[0]}" superblock --json

sleep 1000 </dev/mapper/tank &
holder=$!
await 60 grep -qx sleep "/proc/$holder/comm"
refused "stop of a volume that is open" 3 \
	"tank: in use: opened by process $holder .sleep" raizn stop tank
kill $holder
wait $holder 2>/dev/null
table="0 $(blockdev --getsz /dev/mapper/tank) linear /dev/mapper/tank 0"
if dmsetup create --noudevsync above --table "$table"; then
	refused "stop of a volume that is mapped" 3 \
		'tank: in use: part of the mapped device above' raizn stop tank
	dmsetup remove --retry above
fi

check "stop" raizn stop tank
check_true "the volume is gone" "$([ -e /dev/mapper/tank ] && echo 0 || echo 1)"
json "a stopped array is clean" \
	'.arrays[]|select(.name=="tank")|[.running,.state]' '[false,"stopped"]' \
	raizn status --json
check "start by UUID, searching the drives" \
	raizn start "$(superblock .array_uuid)"
dd if=/dev/mapper/tank of="$TMP/read" bs=64K count=20 iflag=direct status=none
check "what was written is there" cmp "$TMP/data" "$TMP/read"
check "stop by UUID" raizn stop "$(superblock .array_uuid)"
check "start with another write cache" raizn start tank --write-cache through
json "which is what it gets" '.arrays[0].write_cache' through \
	raizn status tank --json
check "start --all starts the rest" raizn start --all
json "all arrays run" '[.arrays[]|.running]|unique' '[true]' raizn list --json
check "start --all with nothing to do" raizn start --all
check "stop --all" raizn stop --all
json "none runs" '[.arrays[]|.running]|unique' '[false]' raizn list --json

blkzone reset "$SPARE"
check "create starts what it made" raizn create tank "${FIVE[@]}" --force \
	--write-cache through --stripe-unit 16K
json "with the options given" '.arrays[0]|[.write_cache,.stripe_unit]' \
	'["through",16384]' raizn status tank --json
if mkfs.btrfs -q -f -O zoned -d single -m single /dev/mapper/tank \
   >"$TMP/mkfs" 2>&1 && mount -t btrfs /dev/mapper/tank "$TMP/mnt"; then
	refused "stop of a mounted volume" 3 "tank: in use: mounted on $TMP/mnt" \
		raizn stop tank
	umount "$TMP/mnt"
else
	skip "stop of a mounted volume" "no zoned btrfs here"
	rig_show "$TMP/mkfs"
fi
check "stop after that" raizn stop tank

# A drive may be found below another mapped device.
if dmsetup create --noudevsync moved --table "0 $length linear ${FIVE[3]} 0"; then
	dmsetup mknodes moved
	check "start with a member on a mapped device" raizn start tank
	json "where it is found" '.arrays[0].members[3].device|test("dm-")' \
		true raizn status tank --json
	check "stop with a member on a mapped device" raizn stop tank
	dmsetup remove --retry moved
fi

fresh_array tank "${FIVE[@]}"
for d in "${FIVE[@]}"; do
	forge "$d" flags=0
done
GUARDED=("${FIVE[@]}")
json "status of an array that was not stopped cleanly" '.arrays[0].state' \
	unclean raizn status tank --json
GUARDED=()
shows "start of an empty array that was not stopped cleanly" '^tank: recovered' \
	raizn start tank
check "stop it" raizn stop tank

fresh_array tank "${FIVE[@]}"
for d in "${FIVE[@]}"; do
	forge "$d" ro_compat=2
done
GUARDED=("${FIVE[@]}")
shows "an unknown ro-compatible feature lets it start" \
	'tank: read-only, it has features unknown here .ro-compat 0x2' \
	raizn start tank
json "read-only" '.arrays[0].state' read-only raizn status tank --json
check_fails "and takes no writes" 'error' \
	dd if="$TMP/data" of=/dev/mapper/tank bs=64K count=1 oflag=direct
check "a read-only array stops" raizn stop tank

# ---- check ----------------------------------------------------------------

# checked WHAT CODE FILTER WANTED ARGUMENT...: check exits with CODE, jq finds
# WANTED in what it says, and the drives in $GUARDED are as they were.
checked()
{
	local what=$1 code=$2 filter=$3 wanted=$4 before after status got
	shift 4
	rig_mark "$SUITE: $what"
	before=$(fingerprint "${GUARDED[@]}")
	raizn check --json "$@" >"$TMP/out" 2>"$TMP/err" </dev/null
	status=$?
	after=$(fingerprint "${GUARDED[@]}")
	got=$(jq -rc "$filter" "$TMP/out" 2>&1)
	if [ "$status" != "$code" ]; then
		not_ok "$what" "exit code $status, want $code"
	elif [ "$got" != "$wanted" ]; then
		not_ok "$what" "got '$got', want '$wanted'"
	elif [ "$before" != "$after" ]; then
		not_ok "$what" "the drives were changed"
	else
		ok "$what"
		return 0
	fi
	note "command: raizn check --json $*"
	rig_show "$TMP/err"
	RIG_SHOW_LINES=60 rig_show "$TMP/out"
	return 1
}

# copies [SLOT EDIT...]: what the members hold goes to $COPIES, that of one slot
# edited.
copies()
{
	local i
	for i in "${!FIVE[@]}"; do
		if [ "$i" = "${1:-}" ]; then
			ask copy "${FIVE[i]}" "${COPIES[i]}" "${@:2}"
		else
			ask copy "${FIVE[i]}" "${COPIES[i]}"
		fi
	done >"$TMP/copies" || not_ok "copies of the members"
}

# recopy SLOT EDIT...: one of them again.
recopy()
{
	ask copy "${FIVE[$1]}" "${COPIES[$1]}" "${@:2}" >"$TMP/copies" ||
		not_ok "a copy of a member"
}

# log_zone SLOT ROLE: number of the one log zone of that role.
log_zone()
{
	raizn inspect "${FIVE[$1]}" log --json |
		jq ".log[]|select(.role==\"$2\")|.zone"
}

# log_offset SLOT ROLE TYPE [FILTER]: where the last such record is, sectors.
log_offset()
{
	raizn inspect "${FIVE[$1]}" log --json |
		jq "[.log[]|select(.role==\"$2\")|.records[]|
		     select(.type==\"$3\" and (${4:-true}))|.offset]|first/512"
}

drives c 5
COPIES=("${DRIVES[@]}")
fresh_array tank "${FIVE[@]}"
GUARDED=("${FIVE[@]}")
checked "check of a new array" 0 '[.result,.clean,.parity.stripes,.records]' \
	'["clean",true,0,10]' "${FIVE[@]}"
check "check for people" raizn check "${FIVE[@]}"
check_equal "it says the result" "$(grep '^result:' "$TMP/output")" \
	"result:   clean and consistent"
check "start an array to check" raizn start tank "${FIVE[@]}"
dmsetup mknodes tank
refused "check of a running array" 3 \
	"${FIVE[0]}: in use: part of the running array tank; only an array" \
	raizn check "${FIVE[@]}"
GUARDED=()
# Zones of 48 MiB in 64 MiB, stripes of 256 KiB.
# cell Z SECTOR: this sector of the members' zone that holds zone Z.
home=$(superblock .nr_reserved)
cell()
{
	echo $((home + $1)):$2
}
# put ZONE 4KIB-BLOCKS [AT]
put()
{
	dd if=/dev/urandom of=/dev/mapper/tank bs=4K count="$2" \
		seek=$(($1 * 16384 + ${3:-0})) oflag=direct conv=fsync status=none
}
put 0 $((3 * 64 + 21))
put 1 $((9 * 64))
put 2 $((2 * 64 + 7))
put 3 5
put 4 70
check "finish a zone" blkzone finish -o $((2 * 131072)) -l 131072 \
	/dev/mapper/tank
check "reset a zone" blkzone reset -o $((4 * 131072)) -l 131072 \
	/dev/mapper/tank
put 4 30
copies
GUARDED=("${COPIES[@]}")
checked "check after a power cut in which nothing was lost" 1 \
	'[.result,.clean,.logs_agree,(.zones|length),.parity.stripes,.parity.mismatches]' \
	'["work",false,true,0,14,0]' "${COPIES[@]}"
# Stripe 3 of zone 0 has its parity on slot 1, data on 2, 3, 4, 0.
recopy 2 "cut=$(cell 0 $((3 * 128 + 16)))"
checked "check after a power cut: data that partial parity makes up for" 1 \
	'.zones|map([.zone,.action,.write_pointer_sectors,(.columns|map([.slot,.fill_sectors,.debris_sectors]))])' \
	"[[0,\"repair\",$(((3 * 64 + 21) * 8)),[[2,112,0]]]]" "${COPIES[@]}"
# Without the record on slot 1 nothing does, and what is behind it is debris.
pp=$(log_zone 1 "partial-parity log")
recopy 1 "cut=$pp:8"
recopy 2 "cut=$(cell 0 $((3 * 128)))"
checked "check after a power cut: debris behind data that is lost" 1 \
	'.zones|map([.zone,.write_pointer_sectors,(.columns|map([.slot,.fill_sectors,.debris_sectors,.debris_removed_by]))])' \
	'[[0,1536,[[3,0,40,"move"]]]]' "${COPIES[@]}"
check_fails "check for people tells the same" \
	"slot 3 .${COPIES[3]}.: remove 40 sectors by moving the 384 before them" \
	raizn check "${COPIES[@]}"
pp=$(log_zone 0 "partial-parity log")
copies 0 "cut=$pp:8"
recopy 1 "cut=$(cell 4 0)"
checked "check after a power cut: nothing but debris" 1 \
	'.zones|map([.zone,.write_pointer_sectors,(.columns|map([.slot,.fill_sectors,.debris_sectors,.debris_removed_by]))])' \
	'[[4,0,[[2,0,112,"reset"]]]]' "${COPIES[@]}"
copies 2 "cut=$(cell 1 $((4 * 128)))"
recopy 4 "cut=$(cell 1 $((8 * 128)))"
checked "check after a power cut: parity and data of a stripe are lost" 1 \
	'.zones|map([.zone,.write_pointer_sectors,(.columns|map([.slot,.valid_sectors,.fill_sectors,.debris_sectors]))])' \
	'[[1,4224,[[0,1024,0,128],[2,512,512,0],[3,1024,0,128]]]]' "${COPIES[@]}"
copies 3 "cut=$(cell 2 256)"
checked "check after a power cut in a finish" 1 \
	'.zones|map([.zone,.action,.write_pointer_sectors])' \
	"[[2,\"finish\",$(((2 * 64 + 7) * 8))]]" "${COPIES[@]}"
for i in 0 1 2 3 4; do
	zone=$(log_zone $i "general log")
	end=$(log_offset $i "general log" reset '.flags==2')
	recopy $i "cut=$zone:$end" "cut=$(cell 4 0)"
done
recopy 0 "cut=$zone:$end" "cut=$(cell 4 0)" "cut=$(log_zone 0 "partial-parity log"):$(
	log_offset 0 "partial-parity log" "partial parity" '.zone==4 and .generation==1')"
checked "check after a power cut in a reset" 1 \
	'[.zones|map([.zone,.action])]' '[[[4,"reset"]]]' "${COPIES[@]}"
copies 1 "cut=$(log_zone 1 "general log"):$(log_offset 1 "general log" reset '.flags==2')"
checked "check after a power cut: a reset is done by one log, begun by another" 1 \
	'[.logs_agree,.degraded,(.zones|length)]' '[false,false,0]' "${COPIES[@]}"
end=$(log_offset 1 "general log" reset '.flags==1')
recopy 1 "cut=$(log_zone 1 "general log"):$end"
checked "check with a member that missed a reset" 1 \
	'[.degraded,.members[1].condition]' '[true,"stale"]' "${COPIES[@]}"
check_fails "the user hears why" 'slot 1 .* is stale: it knows nothing of a reset of zone 4' \
	raizn check "${COPIES[@]}"
copies
GUARDED=("${COPIES[@]}")
checked "check without a member" 1 \
	'[.result,.degraded,.members[3].condition,.parity.unverifiable,.parity.mismatches]' \
	'["work",true,"missing",15,0]' "${COPIES[@]:0:3}" "${COPIES[4]}"
refused "check without two members" 3 \
	"2 of 5 members can not be used, parity makes up for 1" \
	raizn check "${COPIES[@]:0:3}"

# damage WHAT REGEX SLOT EDIT...: check finds it, on that copy.
damage()
{
	local what=$1 pattern=$2
	copies "${@:3}"
	checked "check: $what" 2 \
		"[.result,(.problems|map(test(\"$pattern\"))|any)]" \
		'["damaged",true]' "${COPIES[@]}"
}

damage "a byte of data is wrong" "zone 1, stripe 2: parity P on ${COPIES[1]} does not agree with the data from row 3 on" \
	3 "flip=$(cell 1 $((2 * 128 + 3)))"
damage "a byte of parity is wrong" "zone 1, stripe 2: parity P on ${COPIES[1]} .* row 127" \
	1 "flip=$(cell 1 $((2 * 128 + 127)))"
damage "a byte in the tail of a finished zone is wrong" \
	"zone 2, stripe 2: parity P on ${COPIES[0]} .* row 11" 1 "flip=$(cell 2 $((2 * 128 + 11)))"
damage "a byte in the tail of an open zone is wrong" \
	"zone 0, stripe 3: partial parity [0-9]+ on ${COPIES[1]} .* row 9" \
	2 "flip=$(cell 0 $((3 * 128 + 9)))"
damage "a byte in the general log is wrong" \
	"${COPIES[2]}: zone [0-9]+, byte [0-9]+: 1 block: wrong checksum" \
	2 "flip=$(log_zone 2 "general log"):$(($(log_offset 2 "general log" finish) + 1))"
damage "the checkpoint of a log is gone" \
	"${COPIES[2]}: its general log has no complete checkpoint" \
	2 "flip=$(log_zone 2 "general log"):$(log_offset 2 "general log" checkpoint)"
copies 4 "flip=$(log_zone 4 "general log"):$(log_offset 4 "general log" reset '.flags==2')"
checked "check: the last record of a log was cut short by a power cut" 1 \
	'[.incomplete_records,.nr_problems]' '[1,0]' "${COPIES[@]}"
copies
dd if=/dev/urandom of="${COPIES[3]}" bs=4K count=1 seek=$(((home - 1) * 4096)) oflag=direct \
	status=none
checked "check: a copy that nobody needs" 1 '[.nr_problems,.leftovers]' \
	'[0,[{"slot":3,"member_zone":'$((home - 1))'}]]' "${COPIES[@]}"
if echo "+$(((home + 1) * 32768 + 130))-$(((home + 1) * 32768 + 130))" \
   >/sys/kernel/config/nullb/c0/badblocks; then
	GUARDED=()	# can not be read
	checked "check: a sector can not be read" 2 \
		'[.parity.unreadable,.parity.unverifiable,.problems[0]]' \
		"[1,1,\"${COPIES[0]}: data of zone 1, stripe 1 can not be read; see the kernel log\"]" \
		"${COPIES[@]}"
	echo "-$(((home + 1) * 32768 + 130))-$(((home + 1) * 32768 + 130))" \
		>/sys/kernel/config/nullb/c0/badblocks
else
	skip "check: a sector can not be read" "null_blk can not simulate it"
fi
if echo $(((home + 1) * 32768)) >/sys/kernel/config/nullb/c4/zone_offline; then
	GUARDED=("${COPIES[@]}")
	checked "check: a zone with data is offline" 1 \
		'[.nr_problems,.parity.unverifiable,.parity.mismatches,(.zones|map([.zone,.action,(.columns|map([.slot,.rebuild]))]))]' \
		'[0,9,0,[[1,"rebuild",[[4,true]]]]]' "${COPIES[@]}"
else
	skip "check: a zone with data is offline" "null_blk can not simulate it"
fi
drive_gone c4
drive c4
COPIES[4]=$DRIVE
copies
check_fails "--no-parity reads no data" "^parity: +not compared" \
	raizn check --no-parity "${COPIES[@]}"

crashed=0
for seed in $(seq "$(scaled 30 6)"); do
	slot=$((seed % 5))
	copies $slot "noise=$(log_zone $slot "general log"):$seed" \
		"noise=$(log_zone $slot "partial-parity log"):$seed"
	for words in "check" "check --json --no-parity" "inspect"; do
		# shellcheck disable=SC2086
		if [ "$words" = inspect ]; then
			raizn inspect "${COPIES[slot]}"
		else
			raizn $words "${COPIES[@]}"
		fi >"$TMP/out" 2>&1
		[ $? -lt 5 ] || {
			crashed=1
			note "seed $seed: raizn $words"
			rig_show "$TMP/out"
		}
	done
done
check_equal "hostile records do not crash check" $crashed 0

check "stop the array to check" raizn stop tank
GUARDED=("${FIVE[@]}")
checked "check of a stopped array" 0 \
	'[.result,.clean,.parity.stripes,.parity.tails,.parity.mismatches]' \
	'["clean",true,14,4,0]' "${FIVE[@]}"
copies 1 "cut=$(log_zone 1 "partial-parity log"):8"
checked "check: partial parity of a stopped array is gone" 2 '.nr_problems' 2 \
	"${COPIES[@]}"
copies
drive_gone c0 c1 c2 c3 c40
GUARDED=("${FIVE[@]}")
checked "check by name" 0 .name tank tank
checked "check by UUID" 0 .name tank "$(superblock .array_uuid)"
refused "check of an unknown array" 3 'nobody: no array' raizn check nobody
refused "check of a drive that is no member" 3 "$SPARE: not a member of any array" \
	raizn check "${FIVE[@]}" "$SPARE"
refused "check of the same drive twice" 3 'name each drive once' \
	raizn check "${FIVE[@]}" "${FIVE[0]}"
refused "check without a name" 3 'name an array or its drives' raizn check
refused "check with an unknown option" 3 "no option '--frob'" raizn check --frob
refused "check as who is not root" 3 'run it as root' \
	setpriv --reuid=65534 --clear-groups "$(command -v raizn)" check tank
fresh_array tank "${FIVE[@]}"
forge "${FIVE[2]}" bad-crc
checked "check with a member whose superblock is corrupt" 2 \
	'[.members[2].condition,.nr_problems]' '["missing",1]' "${FIVE[@]}"
fresh_array tank "${FIVE[@]}"
for i in 0 1 3 4; do
	forge "${FIVE[i]}" event=3 events=2
done
checked "check with a member that the others went on without" 1 \
	'.members|map(.condition)|join(" ")' 'ok ok stale ok ok' "${FIVE[@]}"
crashed=0
for seed in $(seq "$(scaled 40 8)"); do
	fresh_array tank "${FIVE[@]}"
	forge "${FIVE[1]}" "noise=$seed"
	raizn check "${FIVE[@]}" >"$TMP/out" 2>&1
	[ $? -lt 4 ] || { crashed=1; note "seed $seed: raizn check"; }
done
check_equal "hostile superblocks do not crash check" $crashed 0

# Nodes of the device mapper are no links where there is no udev.
if dmsetup create --noudevsync low0 --table "0 $length linear ${THREE[0]} 0" &&
   dmsetup create --noudevsync low1 --table "0 $length linear ${THREE[1]} 0"; then
	for node in low0 low1; do
		rm -f "/dev/mapper/$node"
		mknod "/dev/mapper/$node" b "$(dmsetup info -c --noheadings -o major $node)" \
			"$(dmsetup info -c --noheadings -o minor $node)"
	done
	GUARDED=()
	check "create on mapped devices" raizn create mapped /dev/mapper/low0 \
		/dev/mapper/low1 "${THREE[2]}" --force --no-start
	json "inspect of a mapped device" .superblock.name mapped \
		raizn inspect /dev/mapper/low0 --json
	checked "check of mapped devices" 0 .name mapped /dev/mapper/low0 \
		/dev/mapper/low1 "${THREE[2]}"
	dmsetup remove --retry low0
	dmsetup remove --retry low1
else
	skip "create on mapped devices" "no dm-linear"
fi

# ---- arrays that lack drives, or were not stopped cleanly -----------------

# An array with data, running.
with_data()
{
	fresh_array tank "${FIVE[@]}" && raizn start tank "${FIVE[@]}" >/dev/null &&
		dmsetup mknodes tank &&
		dd if="$TMP/data" of=/dev/mapper/tank bs=64K oflag=direct \
			conv=fsync status=none
}

data_there()
{
	dmsetup mknodes tank &&
		dd if=/dev/mapper/tank of="$TMP/read" bs=64K count=20 \
			iflag=direct status=none &&
		cmp "$TMP/data" "$TMP/read"
}

GUARDED=()
check "an array with data" with_data
check "stop it" raizn stop tank
HERE=("${FIVE[@]:0:2}" "${FIVE[@]:3}")
shows "start --degraded" \
	'raizn: tank: degraded: it works without the member of slot 2 and survives no further failure; see .raizn status tank.' \
	raizn start tank --degraded "${HERE[@]}"
check "its data is there" data_there
json "status of a degraded array" '.arrays[0]|[.state,.members[2].state]' \
	'["degraded","missing"]' raizn status tank --json
shows "status says what that means" \
	'status: the array works without the member of slot 2 and survives no further failure' \
	raizn status tank
shows "status says what to do" \
	"action: member 2 is missing, but its drive is there: if it works take it back: raizn add tank ${FIVE[2]}" \
	raizn status tank
check "stop a degraded array" raizn stop tank
GUARDED=("${FIVE[@]}")
checked "check of a degraded array" 1 '[.degraded,.clean,.members[2].condition,.nr_problems]' \
	'[true,true,"failed",0]' "${FIVE[@]}"
json "list of a degraded array" '.arrays[]|select(.name=="tank")|.state' \
	stopped raizn list --json
GUARDED=()
shows "start of an array that knows what it lacks" \
	'raizn: tank: degraded: it works without the member of slot 2' \
	raizn start tank
check "its data is there still" data_there
check "stop it again" raizn stop tank

drives c 5
COPIES=("${DRIVES[@]}")
# recovered WHAT [SLOT EDIT...]: power is cut while the array runs, and this
# much is lost; a start brings all of it back.
recovered()
{
	local what=$1 drive
	shift
	# One array of a name at a time.
	for drive in "${COPIES[@]}"; do
		blkzone reset "$drive"
	done
	check "$what: an array with data" with_data
	copies "$@"
	check "$what: power is cut" dmsetup remove --retry tank
	GUARDED=("${COPIES[@]}")
	checked "$what: check" 1 '[.clean,.nr_problems]' '[false,0]' \
		"${COPIES[@]}"
	GUARDED=()
	shows "$what: start" '^tank: recovered' \
		raizn start tank "${COPIES[@]}"
	check "$what: the data is there" data_there
	check "$what: stop" raizn stop tank
	GUARDED=("${COPIES[@]}")
	checked "$what: check again" 0 '[.result,.parity.mismatches]' \
		'["clean",0]' "${COPIES[@]}"
	GUARDED=()
}
recovered "recovery where nothing is lost"
recovered "recovery of a member that lost data" 3 "cut=$(cell 0 40)"

# What users write may look like records of a log, and partial parity of it does, too.
for drive in "${COPIES[@]}"; do
	blkzone reset "$drive"
done
check "an array for data like records" eval 'fresh_array tank "${FIVE[@]}" &&
	raizn start tank "${FIVE[@]}" >/dev/null && dmsetup mknodes tank'
zone=$(log_zone 4 "partial-parity log")
check "such data" ask records "${FIVE[4]}" "$zone" $((1 << 40)) "$TMP/records"
check "they are written" dd if="$TMP/records" of=/dev/mapper/tank bs=16K \
	oflag=direct conv=fsync,notrunc status=none
at=$(log_offset 4 "partial-parity log" "partial parity")
copies 4 "cut=$zone:$((at + 16))"
check "power is cut in the middle of their parity" dmsetup remove --retry tank
shows "start" '^tank: recovered' raizn start tank "${COPIES[@]}"
check "stop" raizn stop tank
json "no record is made of data" '[.log[].records[].seq]|max<1000000' true \
	raizn inspect "${COPIES[4]}" log --json

# ---- maintain -------------------------------------------------------------

refused "maintain of an unknown array" 4 'nobody: no array' raizn maintain nobody
check "start it" raizn start tank "${COPIES[@]}"
dmsetup mknodes tank
refused "maintain of a running array" 3 'it runs as /dev/mapper/tank; stop it first' \
	raizn maintain "${COPIES[@]}"
check "reset a zone" blkzone reset -o 0 -l 131072 /dev/mapper/tank
check "stop it" raizn stop tank
shows "maintain" 'tank: all counters of zone resets began anew .era [0-9]+.; it is stopped' \
	raizn maintain "${COPIES[@]}"
json "the counters are zero" '[.zones[]|.generation//0]|max' 0 \
	raizn inspect "${COPIES[1]}" zones --json
GUARDED=("${COPIES[@]}")
checked "check after maintain" 0 '[.result,.era>1,.clean]' '["clean",true,true]' \
	"${COPIES[@]}"
GUARDED=()
shows "maintain --start" 'began anew .era [0-9]+.; it runs as /dev/mapper/tank' \
	raizn maintain --start "${COPIES[@]}"
check "stop it" raizn stop tank
drive_gone c0 c1 c2 c3 c4
fresh_array tank "${FIVE[@]}"
for d in "${FIVE[@]}"; do
	forge "$d" flags=0
done
GUARDED=("${FIVE[@]}")
refused "maintain of an array that was not stopped cleanly" 3 \
	'tank: not stopped cleanly; start it and stop it' raizn maintain tank
refused "maintain without a drive" 4 'slot 0 .* is missing' \
	raizn maintain "${FIVE[@]:1}"
GUARDED=()

fresh_array tank "${FIVE[@]}"
check "start an array for its table" raizn start tank
table=$(dmsetup table tank)
uuid=$(dmsetup info -c --noheadings -o uuid tank)
check "stop it" raizn stop tank
check "a start that is interrupted" \
	dmsetup create --noudevsync --notable -u "$uuid" tank
shows "status" 'the array was stopped cleanly' raizn status
refused "start after that" 3 "a start of it was interrupted; 'raizn stop tank' clears" \
	raizn start tank
check_fails "start of all does not pass over it" 'a start of it was interrupted' \
	raizn start --all
shows "stop clears it away" 'removed what an interrupted start had left' \
	raizn stop tank
check "it starts then" raizn start tank
check "stop it" raizn stop tank
fresh_array tank "${FIVE[@]}"
forge "${FIVE[2]}" event=0xfffffffffffe0000
check_fails "the module believes no counter that no array reaches" '' \
	dmsetup create --noudevsync tank --table "$table"
check "it says so" eval \
	"dmesg | tail -n 20 | grep -q 'have a counter that no array reaches'"
check "it starts without the member" \
	dmsetup create --noudevsync tank --table "$table 1 degraded"
check "remove it" dmsetup remove --retry tank
json "the others did not take it over" '.event<100' true \
	raizn inspect "${FIVE[0]}" superblock --json

fresh_array tank "${FIVE[@]}"
for d in "${FIVE[@]}"; do
	forge "$d" generation=0xffffffffffff0000
done
GUARDED=("${FIVE[@]}")
checked "check of an array with a counter at its end" 0 .full_generations 1 tank
check "it starts" raizn start tank
json "read-only" '.arrays[0].state' read-only raizn status tank --json
shows "status says what helps" \
	"action: 'raizn stop tank', then 'raizn maintain tank --start'" \
	raizn status tank
refused "fail: a member of an array that takes no writes" 3 \
	'it is read-only, its members can not be changed now' \
	raizn fail tank 1 --force
check "it stops" raizn stop tank
GUARDED=()
shows "maintain" 'tank: all counters of zone resets began anew .era [0-9]+.; it is stopped' \
	raizn maintain tank
checked "check after that" 0 '[.full_generations,.era>1]' '[0,true]' tank
check "it starts again" raizn start tank
json "and takes writes" '.arrays[0].state' active raizn status tank --json
check "stop it" raizn stop tank

# ---- drives that do not take all data ----------------------------------------

# Data in many small pieces, which these drives can not take: that is nobody's failure.
cat >"$TMP/gaps.py" <<'PYTHON'
import mmap, os, sys
fd = os.open(sys.argv[1], os.O_RDWR | os.O_DIRECT)
pieces = memoryview(mmap.mmap(-1, 1 << 20))
pieces = [pieces[i << 10:(i << 10) + 512] for i in range(256)]
for function in os.preadv, os.pwritev:
    try:
        function(fd, pieces, 0)
    except OSError as error:
        print(function.__name__, error)
PYTHON
drives gap 3 virt_boundary=1
check "an array of drives that take no gaps" raizn create gap "${DRIVES[@]}"
dmsetup mknodes gap
check "some data" dd if=/dev/urandom of=/dev/mapper/gap bs=128K count=2 \
	oflag=direct status=none
check "reset it, and read and write in pieces" eval \
	"python3 $TMP/gaps.py /dev/mapper/gap && blkzone reset -c 1 /dev/mapper/gap &&
	 python3 $TMP/gaps.py /dev/mapper/gap"
json "no drive had an error" \
	'.arrays[]|select(.name=="gap")|[.state,([.members[]|.read_errors+.write_errors]|add)]' \
	'["active",0]' raizn status gap --json
check "stop it" raizn stop gap
drive_gone gap0 gap1 gap2

finish
