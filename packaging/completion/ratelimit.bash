# Completion of ratelimit(1) for bash.

_ratelimit() {
	local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command='' word options

	for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
		case $word in
			top | bans | watch | stats | metrics | peek | ban | unban | reset | check) command=$word && break ;;
		esac
	done
	case $previous in
		--count | --keys | --identities | --interval | --for | --limit | --store) return ;;
	esac
	options='--json --here --store='
	case $command in
		'') options="top bans watch stats metrics peek ban unban reset check --help --version $options" ;;
		top) options="--count= $options" ;;
		bans) options="--count= --keys= $options" ;;
		watch) options="--interval= --count= $options" ;;
		peek) options="--limit= --limiter --by= $options" ;;
		unban | reset) options="--limit= --limiter --by= --stdin $options" ;;
		ban) options="--for= --limit= --limiter --by= --stdin $options" ;;
		check) options="--identities= $options" ;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current"; [[ $command != check ]] || compgen -f -- "$current")
	[[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace
}
complete -F _ratelimit ratelimit
