# SPDX-License-Identifier: GPL-2.0
# Through the life of an array of drives that have the geometry of real ones: see
# whole_life(), below, or many_resets(). What the members get by each step is counted; the
# bounds follow from the geometry. No step costs anything for zones that it does not touch, but for those
# that read a zone report, and those that write the state of all zones to a log: a start, what
# follows a power cut, and replace.
. "$(dirname "${BASH_SOURCE[0]}")/../../lib/rig.sh"
. "$(dirname "${BASH_SOURCE[0]}")/../../lib/simulated.sh"
scenario

VOLUME=geometry
DEV=/dev/mapper/$VOLUME
SU=64			# stripe unit, KiB
RECORD=4		# KiB of a record without payload
TRIAL=68		# KiB that create appends and removes, to try a drive
MAX_IO=1024		# KiB of the largest command of a simulated drive
BATCH=1024		# KiB of data that the module issues at a time
LOG_ZONES=5		# zones of each drive for metadata
LOG_GROWS=4096		# KiB that a running array appends to a general log before that moves on
FEW=16			# commands to read or write metadata; of no geometry

# profile NAME: its numbers go to the array PROFILE.
profile()
{
	local word words

	read -ra words <<<"$(drive-profile "$1" table)"
	declare -gA PROFILE=()
	for word in "${words[@]}"; do
		PROFILE[${word%%=*}]=${word#*=}
	done
}

# array_of N PROFILE: drives member0.., and what follows from their number and zones.
array_of()
{
	local zones usable spares i

	W=$1
	read -ra SIMULATED_SETTINGS \
		<<<"$(drive-profile "$2" zonesim --drives $((W + 1)))"
	[ ${#SIMULATED_SETTINGS[@]} -gt 0 ] || exit 1
	profile "$2"
	zones=${PROFILE[zones]}
	CAPACITY=${PROFILE[capacity_mib]}
	BLOCK=${PROFILE[physical]}
	# Of what drives do not limit the module takes 128.
	ACTIVE=$((PROFILE[active] ? PROFILE[active] - LOG_ZONES : 128))
	simulated_group geometry && load_module || exit 1
	faster >/dev/null || exit 1
	echo "$SEED" >"$GROUP/seed"
	note "$2, seed $SEED"
	MEMBERS=()
	for ((i = 0; i < W; i++)); do
		simulated_drive "member$i" || exit 1
		MEMBERS+=("member$i")
	done

	D=$((W - 1))
	usable=$((zones - PROFILE[conventional]))
	spares=$((usable / 256 < 2 ? 2 : usable / 256))
	VOLUME_ZONES=$((usable - LOG_ZONES - spares))
	ZONE_CAP=$((D * CAPACITY * 2048))		# sectors
	for ((ZONE_SIZE = 1; ZONE_SIZE < ZONE_CAP; ZONE_SIZE *= 2)); do :; done
	STRIPE=$((D * SU * 2))				# sectors
	# libzbd asks for 8192 zones at a time.
	REPORT=$(((zones + 8191) / 8192))
	# The state of all zones, 16 bytes each, in records of 64 KiB.
	TABLE=$((zones * 16 / 1024 + (zones / 4000 + 1) * RECORD))
}

# step NAME COMMAND...: does it, notes how long it takes, also in the file GEOMETRY_TIMES if
# that is set. got() says what members got.
step()
{
	local begun us drive
	STEP=$1
	shift

	for drive in "$GROUP"/*/; do
		echo 0 >"$drive/counters"
	done
	begun=${EPOCHREALTIME/./}
	check "$STEP" "$@"
	us=$((${EPOCHREALTIME/./} - begun))
	printf '# step %s: %d.%d s\n' "$STEP" $((us / 1000000)) $((us / 100000 % 10))
	[ -z "${GEOMETRY_TIMES:-}" ] ||
		printf '%s\t%d.%02d\n' "$STEP" $((us / 1000000)) $((us / 10000 % 100)) \
			>>"$GEOMETRY_TIMES"
}

# got KIND=LOW..HIGH...: commands of these kinds that each of MEMBERS got by the last step;
# KIND_kib for their KiB, all_KIND and all_KIND_kib for the sum of all members. One number
# is both bounds. There must be none of other kinds, and no errors.
got()
{
	local files=("${MEMBERS[@]/#/$GROUP/}")

	# shellcheck disable=SC2016 # of awk
	awk -v bounds="$*" -v wrong="$TMP/wrong" '
	# in bounds, or none if there are no bounds
	function judge(who, what, n, anything)
	{
		if (what in low ? n < low[what] || n > high[what] : n && !anything)
			print "# " who " got " what " " n >wrong
	}

	function note_range(kind, n)
	{
		if (!(kind in sum) || n < least[kind])
			least[kind] = n
		if (!(kind in sum) || n > most[kind])
			most[kind] = n
		sum[kind] += n
	}

	function range_of(kind)
	{
		return least[kind] == most[kind] ? most[kind] : least[kind] ".." most[kind]
	}

	BEGIN {
		printf "" >wrong
		nr = split(bounds, words, " ")
		for (i = 1; i <= nr; i++) {
			split(words[i], word, "=")
			ends = split(word[2], range, "[.][.]")
			low[word[1]] = range[1] + 0
			high[word[1]] = range[ends] + 0
		}
	}

	NF == 4 {
		n = split(FILENAME, path, "/")
		note_range($1, $2)
		note_range($1 "_kib", $3 / 2)
		judge(path[n - 1], $1, $2)
		judge(path[n - 1], $1 "_kib", $3 / 2, 1)
		if ($4)
			print "# " path[n - 1] " had errors: " $1 " " $4 >wrong
		if (!kinds[$1]++)
			order[++nr_kinds] = $1
	}

	END {
		for (i = 1; i <= nr_kinds; i++) {
			kind = order[i]
			judge("all", "all_" kind, sum[kind], 1)
			judge("all", "all_" kind "_kib", sum[kind "_kib"], 1)
			if (most[kind])
				text = text (text ? ", " : "") range_of(kind) " " kind
			if (most[kind "_kib"])
				text = text " (" range_of(kind "_kib") " KiB)"
		}
		print "# each member got: " (text ? text : "nothing")
	}' "${files[@]/%//counters}"
	if [ -s "$TMP/wrong" ]; then
		not_ok "$STEP: what members get" "not $*"
		head -n 20 "$TMP/wrong"
	else
		ok "$STEP: what members get"
	fi
}

# zone N: its first sector
zone()
{
	echo $(($1 * ZONE_SIZE))
}

# part N FROM SECTORS: of a zone, as the program pattern wants it
part()
{
	echo "$(($1 * ZONE_SIZE + $2)):$3"
}

# All zones are reported, empty and as large as they should be.
all_empty()
{
	blkzone report "$DEV" | awk -v nr=$VOLUME_ZONES \
		-v len="$(printf '0x%06x,' $ZONE_SIZE)" \
		-v cap="$(printf '0x%06x,' $ZONE_CAP)" \
		-v last="$(printf '0x%09x,' "$(zone $LAST)")" '
	$4 != len || $6 != cap || !/\(em\)/ { wrong++ }
	{ start = $2 }
	END {
		print NR " zones, " wrong + 0 " of them wrong, the last one at " start
		exit NR != nr || wrong || start != last
	}'
}

# condition N: of a zone of the volume
condition()
{
	blkzone report -o "$(zone "$1")" -c 1 "$DEV" | sed 's/.*(\(..\)).*/\1/'
}

# shows REGEX COMMAND...: in its output
shows()
{
	local pattern=$1
	shift

	"$@" >"$TMP/shown" || return 1
	grep -Eq -- "$pattern" "$TMP/shown" && return
	head -n 20 "$TMP/shown"
	return 1
}

start()
{
	raizn start $VOLUME && dmsetup mknodes $VOLUME
}

stop()
{
	[ ! -e $DEV ] || raizn stop $VOLUME
}

replace()
{
	raizn replace --no-copy $VOLUME 2 /dev/new --force && raizn rebuild $VOLUME --wait
}

# ---- the life of an array -------------------------------------------------

begin()
{
	step "create" raizn create $VOLUME "${MEMBERS[@]/#//dev/}"
	at_exit stop
	dmsetup mknodes $VOLUME
	# One report of all zones; of those that were empty, one is reset, after the trial.
	got report=$REPORT..$((REPORT + FEW)) read=1..$((4 * FEW)) read_kib=1..1024 \
		reset=1..$LOG_ZONES write=0..$FEW append=4..$FEW \
		append_kib=$((2 * RECORD + TRIAL))..$((64 + TRIAL)) flush=0..$FEW
	step "report of all zones" all_empty
	got report=0
	step "status" shows "in $VOLUME_ZONES zones of" raizn status $VOLUME
	got report=0..$FEW read=0..$FEW read_kib=0..256
	step "list" shows $VOLUME raizn list
	got report=0..$FEW read=0..$FEW read_kib=0..256
	step "inspect" shows "logical zones *$VOLUME_ZONES$" raizn inspect /dev/member0
	got report=0..$((REPORT + FEW)) read=0..$FEW all_report=$REPORT..$((REPORT + FEW))
}

# The first, a middle and the last zone get 16 stripes, the middle one half a unit more.
write_some()
{
	local kib=$((3 * 16 * SU)) batches=$((3 * 16 * D * SU / BATCH + 3))

	step "write in the first, a middle and the last zone" pattern write $DEV 1 \
		"$(part $FIRST 0 $((16 * STRIPE)))" \
		"$(part $MIDDLE 0 $((16 * STRIPE + SU)))" \
		"$(part $LAST 0 $((16 * STRIPE)))"
	# Every stripe is a unit on each member, and each batch a command on most of them; a
	# batch that ends inside a unit, two.
	got write=$((kib / MAX_IO))..$((2 * batches)) write_kib=$kib..$((kib + SU / 2)) \
		all_write_kib=$((W * kib + SU / 2))
	step "flush" sync $DEV
	# One stripe is incomplete: a record with the parity of half a unit's rows.
	got flush=1 append=0..1 append_kib=0..$((RECORD + SU / 2)) all_append=1 \
		all_append_kib=$((RECORD + SU / 2))
	step "stop" raizn stop $VOLUME
	got report=0..$FEW read=0..$FEW append=1 append_kib=$RECORD flush=0..1
	step "check" raizn check $VOLUME
	# All that was written and the logs, which are small, and one report.
	got report=$REPORT..$((REPORT + FEW)) read=3..$((3 * 16 + 2 * FEW)) \
		read_kib=$kib..$((kib + SU / 2 + 1024))
	step "start" start
	started 1
}

# started TABLES: got by a start after a clean stop: new logs, of which the general one has
# the state of all zones so many times at most, and what users wrote is not read.
started()
{
	local kib=$(($1 * TABLE))

	got report=1..$FEW read=1..$((2 * FEW)) read_kib=$RECORD..$((1024 + 3 * kib)) \
		append=2..$((FEW + kib / 64)) append_kib=$((2 * RECORD))..$((256 + kib)) \
		reset=0..$LOG_ZONES flush=0..$FEW
}

fill_one()
{
	local kib=$((CAPACITY * 1024))

	step "fill a zone" pattern write $DEV 1 "$(part $FULL 0 $ZONE_CAP)"
	# All that the zone of each member holds, and no partial parity of it.
	got write=$((kib / MAX_IO))..$((2 * D * kib / BATCH)) write_kib=$kib flush=0..1
	check_equal "... it is full" "$(condition $FULL)" fu
	step "verify its ends and the first zone" pattern verify $DEV 1 \
		"$(part $FULL 0 $((16 * STRIPE)))" \
		"$(part $FULL $((ZONE_CAP - 16 * STRIPE)) $((16 * STRIPE)))" \
		"$(part $FIRST 0 $((16 * STRIPE)))"
	# Data are read, parity is not.
	got read=3..$((3 * 16 * 2)) read_kib=$((3 * 15 * SU * D / W))..$((3 * 16 * SU)) \
		all_read_kib=$((3 * 16 * SU * D))
	step "finish the first zone" blkzone finish -o "$(zone $FIRST)" -c 1 $DEV
	# A record that says so; no stripe lacks its parity.
	got finish=1 append=1 append_kib=$RECORD flush=0..1
	step "finish the middle zone" blkzone finish -o "$(zone $MIDDLE)" -c 1 $DEV
	# The same, and the parity of half a unit's rows.
	got finish=1 append=1 append_kib=$RECORD flush=0..2 write=0..1 \
		write_kib=0..$((SU / 2)) all_write=1 all_write_kib=$((SU / 2))
	step "reset the full zone" blkzone reset -o "$(zone $FULL)" -c 1 $DEV
	# One record before, one behind.
	got reset=1 append=2 append_kib=$((2 * RECORD)) flush=0..1
	step "reset the first zone" blkzone reset -o "$(zone $FIRST)" -c 1 $DEV
	got reset=1 append=2 append_kib=$((2 * RECORD)) flush=0..1
	step "reset of all zones" blkzone reset $DEV
	# Of those that are not empty: the middle and the last one.
	got reset=2 append=2 append_kib=$((2 * RECORD)) flush=0..1
	step "report of all zones, again" all_empty
	got report=0
	step "stop, again" raizn stop $VOLUME
	got report=0..$FEW read=0..$FEW append=1 append_kib=$RECORD flush=0..1
	step "start, again" start
	started 2
}

# As many zones as can be active get a stripe and half a unit, which are flushed, and one
# stripe more, which is not.
cut_power()
{
	local active more=() first=$((STRIPE + SU)) i n

	active=$(status_field max_active)
	check_true "as many zones may be active as the drives allow" \
		"$active == $ACTIVE"
	for ((i = 0; i < active; i++)); do
		n=$((i * LAST / (active - 1) * ZONE_SIZE))
		flushed+=("$n:$first")
		more+=("$((n + first)):$STRIPE")
	done
	# Records of columns that are moved, of zones, and partial parity.
	LOGS=$((active * (W * RECORD + RECORD + SU) + 3 * TABLE + 256))
	step "write in all zones that may be active" pattern write $DEV 2 "${flushed[@]}"
	# A stripe is a unit on each member; what is behind it is on one.
	got write=$active..$((2 * active)) write_kib=$((active * SU))..$((2 * active * SU)) \
		all_write_kib=$((active * (W * SU + SU / 2)))
	step "flush them" sync $DEV
	got flush=1 append=0..$active append_kib=0..$((active * (RECORD + SU / 2))) \
		all_append=$active all_append_kib=$((active * (RECORD + SU / 2)))
	step "write more" pattern write $DEV 2 "${more[@]}"
	got write=$active..$((2 * active)) write_kib=0..$((2 * active * SU)) \
		all_write_kib=$((active * W * SU))
	check_equal "... all are active" "$(status_field active)" "$active"
	# The volume goes first: it cannot be stopped cleanly any more.
	echo 0 >"$GROUP/power"
	step "remove the volume without power" dmsetup remove --retry $VOLUME
	echo 1 >"$GROUP/power"
	step "start after the power cut" start
	# For each open zone: the tail is read, units are filled in, or a column is moved, which
	# has up to two and a half of them, its former place is reset, every member records
	# that, and partial parity is logged again. A unit that is computed from the others is
	# read block by block, one of each zone at most. Nothing for any other zone.
	got report=1..$FEW \
		read=1..$((8 * active + active * SU * 1024 / BLOCK + 2 * FEW + TABLE / 32)) \
		read_kib=$RECORD..$((4 * active * SU + 4 * TABLE + 1024)) \
		write=0..$((4 * active)) write_kib=0..$((active * 5 * SU / 2)) \
		reset=0..$((active + LOG_ZONES)) flush=0..$((active + FEW)) \
		append=2..$((active * (W + 1) + TABLE / 16 + FEW)) \
		append_kib=$((2 * RECORD))..$LOGS
	step "verify what was flushed" pattern verify $DEV 2 "${flushed[@]}"
	got read=1..$((2 * active)) read_kib=1..$((2 * active * SU)) \
		all_read_kib=$((active * (D * SU + SU / 2)))
}

fail_and_replace()
{
	local active=${#flushed[@]} without=("${MEMBERS[@]:0:2}" "${MEMBERS[@]:3}")

	MEMBERS=("${without[@]}")
	step "fail a member" raizn fail $VOLUME 2 --force
	# The others record that. Programs read all logs, twice.
	got report=0..$FEW read=1..$((LOGS / 64 + 2 * FEW)) read_kib=1..$((2 * LOGS)) \
		append=1..2 append_kib=$RECORD..$((2 * RECORD)) flush=0..1
	check_equal "... it is failed" "$(status_field letters)" \
		"$(printf 'A%.0s' "${without[@]}" | sed 's/^AA/&F/')"
	step "verify without it" pattern verify $DEV 2 "${flushed[@]}"
	# Its units are computed from those of all others.
	got read=1..$((3 * active * SU / RECORD)) read_kib=1..$((3 * active * SU)) \
		all_read_kib=$((active * (D - 1) * SU))..$((3 * W * active * SU))
	simulated_drive new || exit 1
	step "replace it" replace
	# The others are read as far as zones were written; new logs are begun. They are told which
	# columns are whole: in a checkpoint, then by a record for each, then nothing any more.
	got report=0..$((2 * FEW)) read=1..$((4 * active + LOGS / 32 + 4 * FEW)) \
		read_kib=$((active * SU / 2))..$((3 * active * SU + 4 * LOGS)) \
		append=1..$((2 * active + TABLE / 4 + FEW)) append_kib=$RECORD..$LOGS \
		reset=0..$((active + LOG_ZONES)) flush=0..$((2 * active + FEW))
	MEMBERS=(new)
	# It is asked how far each column that is written is.
	got report=$REPORT..$((active + 2 * REPORT + 2 * FEW)) read=0..$((4 * active + 8 * FEW)) \
		read_kib=0..$((active * SU + LOGS)) \
		write=$active..$((3 * active + FEW)) \
		write_kib=$((active * SU))..$((active * 5 * SU / 2 + 64)) \
		append=1..$((2 * active + TABLE / 4 + FEW)) append_kib=$RECORD..$LOGS \
		reset=0..$((2 * LOG_ZONES)) flush=0..$((2 * active + FEW))
	MEMBERS=("${without[@]:0:2}" new "${without[@]:2}")
	check_equal "... the array is whole" "$(status_field letters)" \
		"$(printf 'A%.0s' "${MEMBERS[@]}")"
	step "scrub" raizn scrub $VOLUME check --wait
	# One stripe or two of each zone are complete.
	got read=$active..$((2 * active * SU / RECORD)) \
		read_kib=$((active * SU))..$((2 * active * SU)) \
		append=0..$FEW append_kib=0..$((FEW * RECORD)) flush=0..$FEW
	check_equal "... nothing is wrong" \
		"$(raizn status $VOLUME --json | jq '.arrays[0].mismatches')" 0
	step "verify with it" pattern verify $DEV 2 "${flushed[@]}"
	got read=1..$((2 * active)) read_kib=1..$((2 * active * SU)) \
		all_read_kib=$((active * (D * SU + SU / 2)))
	step "stop, in the end" raizn stop $VOLUME
	got report=0..$FEW read=1..$((LOGS / 64 + 2 * FEW)) read_kib=1..$((2 * LOGS)) \
		append=1 append_kib=$RECORD flush=0..1
	step "check, in the end" raizn check $VOLUME
	got report=$REPORT..$((REPORT + FEW)) read=$active..$((8 * active + LOGS / 32 + 2 * FEW)) \
		read_kib=$((active * SU))..$((5 * active * SU / 2 + 5 * LOGS))
}

# whole_life: all of it. Some zones are looked at more closely.
whole_life()
{
	FIRST=0
	MIDDLE=$((VOLUME_ZONES / 2))
	LAST=$((VOLUME_ZONES - 1))
	FULL=$((VOLUME_ZONES / 3))
	begin
	write_some
	fill_one
	cut_power
	fail_and_replace
}

# ---- many zone resets -----------------------------------------------------

# log_kib: of the general log of the first member, whose log is as long as the others'
log_kib()
{
	raizn inspect /dev/member0 zones --json |
		jq '.zones[] | select(.role | test("general")) | .written_sectors / 2'
}

# cut_after N: resets of zones, then all drives lose power.
cut_after()
{
	local records=$((2 * $1)) switches=$((2 * $1 * RECORD / LOG_GROWS + 1))

	step "$1 zone resets" zone_resets $DEV 0 100 "$1"
	# Two records for each reset, and a checkpoint each time that the log moves on, for which
	# two empty log zones are looked at.
	got report=0..$((2 * switches)) write=1..$1 write_kib=1..$((RECORD * $1)) \
		append=$records..$((records + 4 * switches)) \
		append_kib=$((RECORD * records))..$((RECORD * (records + 8 * switches))) \
		reset=$1..$(($1 + switches)) flush=0..$((W * switches))
	TABLE_LINE=$(dmsetup table $VOLUME)
	step "status" shows "in $VOLUME_ZONES zones of" raizn status $VOLUME
	got report=0..$FEW read=0..$FEW read_kib=0..$((FEW * RECORD))
	step "monitor" raizn monitor --once --program /bin/true
	got report=0..$FEW read=0..$FEW read_kib=0..$((FEW * RECORD))
	echo 0 >"$GROUP/power"
	step "remove the volume without power" dmsetup remove --retry $VOLUME
	echo 1 >"$GROUP/power"
	KIB=$(log_kib)
	note "general log: $KIB KiB"
	check_true "the log is as long as some resets make it" \
		"KIB > 0 && KIB <= LOG_GROWS + 64"
}

# many_resets: a start reads each log once, however many zones were reset, status of an array
# that runs reads none.
many_resets()
{
	local n large

	n=$(scaled 50000 2000)
	LAST=$((VOLUME_ZONES - 1))
	check "create" raizn create $VOLUME "${MEMBERS[@]/#//dev/}"
	at_exit stop
	dmsetup mknodes $VOLUME
	cut_after "$n"
	large=$((KIB / MAX_IO + 1))
	step "status of an array that does not run" shows "stopped" raizn status $VOLUME
	# Of each log zone the first block tells if a drive answers, and which log it is.
	got report=0..$FEW read=1..$((large + FEW)) read_kib=$KIB..$((KIB + FEW * RECORD))
	step "the module reads it" dmsetup create $VOLUME --readonly --table "$TABLE_LINE"
	got report=1..$FEW read=1..$((large + FEW)) read_kib=$KIB..$((KIB + FEW * RECORD))
	dmsetup remove --retry $VOLUME
	check "start" start
	step "report of all zones" all_empty
	got report=0
	check "some resets" zone_resets $DEV 0 100 200
	step "stop" raizn stop $VOLUME
	# The log is long enough to be written anew.
	got report=0..$FEW read=0..$FEW append=3..5 append_kib=$((3 * RECORD))..$((8 * RECORD)) \
		reset=1 flush=0..$((2 * W))
	check_true "its log is short" "$(log_kib) <= $((8 * RECORD))"
	step "start after a stop" start
	# Zone states are read and written, few of which are not the default.
	got report=1..$FEW read=1..$((2 * FEW)) read_kib=1..$((2 * FEW * RECORD)) \
		append=2..$FEW append_kib=$((2 * RECORD))..64 reset=0..$LOG_ZONES flush=0..$FEW
	step "report of all zones, again" all_empty
	got report=0
}
