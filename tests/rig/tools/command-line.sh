#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Every command has its help, and words it does not know are a usage error.
. "$(dirname "$0")/harness.sh"

nobody()
{
	setpriv --reuid=65534 --clear-groups "$(command -v raizn)" "$@"
}

check_fails "no command is a usage error" '^usage: raizn COMMAND' raizn
refused "an unknown command is a usage error" 2 "no command 'frob'" raizn frob
shows "help lists the commands" 'inspect DEVICE' raizn help
shows "--version" '^raizn [0-9]' raizn --version
for command in create start stop list status map inspect maintain fail remove \
	       replace add rebuild scrub set events monitor; do
	shows "$command --help" "^usage: raizn $command" raizn $command --help
	shows "help $command" "^usage: raizn $command" raizn help $command
	refused "$command with an unknown option" 2 "no option '--frob'" \
		raizn $command --frob
done
shows "check --help" "^usage: raizn check" raizn check --help
refused "maintain without a name" 2 'name an array or its drives' raizn maintain
refused "start --all --degraded" 2 '--degraded, --as and --force are for one array' \
	raizn start --all --degraded
refused "list takes no names" 2 'takes no names' raizn list tank
refused "stop without a name" 2 'name one array' raizn stop
refused "start without a name" 2 'name an array' raizn start
refused "status of two arrays" 2 'one array' raizn status a b
refused "inspect of an unknown part" 2 "not 'frob'" raizn inspect /dev/null frob
refused "an option without its value" 2 'needs a value' raizn create --label
refused "check without a name" 3 'name an array or its drives' raizn check
refused "check with an unknown option" 3 "no option '--frob'" raizn check --frob
refused "who is not root hears so" 1 'run it as root' nobody list
refused "check as who is not root" 3 'run it as root' nobody check tank
check "help needs no root" nobody list --help
finish
