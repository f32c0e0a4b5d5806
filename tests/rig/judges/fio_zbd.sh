# SPDX-License-Identifier: GPL-2.0
# Runs t/zbd/test-zbd-support of fio's source on the volume and on a plain
# drive. `scripts/lab run GUEST --judge fio` brings it along; it is run as it
# is. Source this file behind harness.sh.
#
# JUDGE_TESTS: numbers of the tests to run; all if it is empty.
# JUDGE_LOGS: where to leave the log files of the script; nowhere if it is empty.
: "${JUDGE_TESTS:=}" "${JUDGE_LOGS:=}"

JUDGE=$RIG_TOP/judges/fio
JUDGE_KNOWN=$RIG_TOP/tests/rig/judges/fio-zbd-differences

# A zone report on a mapped device that is suspended fails with EAGAIN, and the
# script does not ask again.
MET_A_SUSPEND='Resource temporarily unavailable'

judge_is_there()
{
	[ -x "$JUDGE/t/zbd/test-zbd-support" ] || {
		echo "run the guest with --judge fio"
		return 1
	}
}

# linear NAME DEVICE: a linear mapping of all of it, in LINEAR. Of the device
# mapper's targets the script knows linear, flakey and crypt by name and ends
# on any other, for it wants to set the I/O scheduler below. It wants a name
# that sysfs knows, too.
linear()
{
	dmsetup create "$1" --table \
		"0 $(blockdev --getsz "$2") linear $2 0" || return 1
	at_exit "dmsetup remove --retry $1"
	dmsetup mknodes "$1"
	LINEAR=/dev/$(sysfs_name "/dev/mapper/$1")
}

# judge NAME DEVICE [TEST...]: the script's log files are below $TMP/NAME.
judge()
{
	local dir=$TMP/$1 device=$2 from=1 at test options=()
	shift 2

	if [ ! -d "$dir" ]; then
		cp -r "$JUDGE" "$dir"
		ln -s "$(type -P fio)" "$dir/fio"
		# Without the SCSI tools the script assumes that a zone cannot be read
		# behind its write pointer; with a sg_inq that knows nothing of
		# the device it assumes that it can.
		mkdir "$dir/bin"
		ln -s "$(type -P false)" "$dir/bin/sg_inq"
	fi
	for test; do
		options+=(-t "$test")
	done
	# Without -w tests find zones active that other tests left so, and
	# cannot open as many as they want. fio leaves files where it is run.
	: >"$dir/output"
	for _ in {1..20}; do
		(cd "$dir" && PATH=$dir/bin:$PATH t/zbd/test-zbd-support -w -s "$from" \
			"${options[@]}" "$device") >>"$dir/output" 2>&1 </dev/null
		# It fails if a test did, which the results tell.
		! grep -q '^[0-9]* tests passed' "$dir/output" || return 0
		# Of some zone reports it must have the answer, and may say so in a
		# line more: then it goes on with the test that it ended in.
		tail -n 2 "$dir/output" | grep -q "$MET_A_SUSPEND" || return 1
		at=$(sed -n 's/^Running test 0*\([0-9]*\) .*/\1/p' "$dir/output" | tail -n 1)
		from=${at:-1}
	done
	return 1
}

judge_log()
{
	echo "$TMP/$1/t/zbd/test-zbd-support.log.$2"
}

# results NAME: "NUMBER RESULT" of each test, from the last line of its log
results()
{
	local log

	for log in "$TMP/$1"/t/zbd/*.log.[0-9]*; do
		echo "${log##*.} $(tail -n 1 "$log")"
	done | sort -n
}

counts()
{
	awk '{ n[$2]++ } END { printf "%d pass, %d fail, %d not run",
		n["PASS"], n["FAIL"], n["SKIP"] }' "$1"
}

# known STATE TEST PLAIN VOLUME: the reason for a known difference
known()
{
	local state test plain volume reason

	while read -r state test plain volume reason; do
		case $state in
		"$1" | any)
			[ "$test $plain $volume" = "$2 $3 $4" ] || continue
			echo "$reason"
			return 0
			;;
		esac
	done <"$JUDGE_KNOWN"
	return 1
}

# compare STATE: results of "plain" and "volume", difference by difference
compare()
{
	local test plain volume reason new=0

	[ -z "$JUDGE_LOGS" ] || cp -r "$TMP"/{plain,volume} "$JUDGE_LOGS"
	results plain >"$TMP/plain.results"
	results volume >"$TMP/volume.results"
	note "plain drive: $(counts "$TMP/plain.results")"
	note "volume, $1: $(counts "$TMP/volume.results")"
	check_equal "as many tests on the volume as on the plain drive" \
		"$(wc -l <"$TMP/volume.results")" \
		"$(wc -l <"$TMP/plain.results")"
	while read -r test plain volume; do
		if [ "$plain" = FAIL ]; then
			note "test $test fails on a plain drive," \
			     "$volume on the volume"
		fi
		[ "$plain" != "$volume" ] || continue
		if reason=$(known "$1" "$test" "$plain" "$volume"); then
			note "test $test: plain drive $plain, volume $volume:" \
			     "$reason"
			continue
		fi
		new=$((new + 1))
		not_ok "test $test: as on a plain drive" \
			"plain drive $plain, volume $volume"
		RIG_SHOW_LINES=15 rig_show "$(judge_log volume "$test")"
	done < <(join <(sort "$TMP/plain.results") \
		      <(sort "$TMP/volume.results") | sort -n)
	[ $new != 0 ] || ok "no difference that is not explained"
}

# judges_begin: on linear mappings of the plain drive and of the volume, side by
# side, for most of the time passes in tests that take 30 seconds by the clock.
# Each is a process group, so that an early exit ends all of it.
judges_begin()
{
	local tests

	read -ra tests <<<"$JUDGE_TESTS"
	# The script has fio leave files there.
	at_exit "rm -f /tmp/local-*-verify.state"
	set -m
	check "a linear mapping of the plain drive" \
		linear on-plain "$PLAIN" || return 1
	judge plain "$LINEAR" "${tests[@]}" &
	ON_PLAIN=$!
	at_exit "kill -- -$ON_PLAIN; wait $ON_PLAIN"
	check "a linear mapping of the volume" \
		linear on-volume "$DEV" || return 1
	judge volume "$LINEAR" "${tests[@]}" &
	ON_VOLUME=$!
	at_exit "kill -- -$ON_VOLUME; wait $ON_VOLUME"
	set +m
}

judges_end()
{
	check "the script ends on the volume" wait "$ON_VOLUME" ||
		rig_show "$TMP/volume/output"
	check "the script ends on the plain drive" wait "$ON_PLAIN" ||
		rig_show "$TMP/plain/output"
}

# Two results that are alike because the script did nothing are no verdict.
judge_was_thorough()
{
	local there passed

	passed=$(grep -c PASS "$TMP/plain.results")
	check_true "most of what can run passes on the plain drive" \
		"$passed > 4 * $(grep -c FAIL "$TMP/plain.results")"
	[ -z "$JUDGE_TESTS" ] || return 0
	there=$(grep -c '^test[0-9]*()' "$JUDGE/t/zbd/test-zbd-support")
	check_equal "all tests of the script ran" \
		"$(wc -l <"$TMP/volume.results")" "$there"
}
