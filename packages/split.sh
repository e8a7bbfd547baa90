#!/usr/bin/env bash
# Publishes the Composer packages of packages/, each in a repository of its own: split.sh <version> <remote>
#
# <remote> is the address in front of a package's name: git@example.org:ratelimit/ gives git@example.org:ratelimit/psr15.git. A
# package's history is split off by git subtree, and goes to the branch main there. The tag v<version> has the files that
# scripts/packages.sh generates, too. All packages have one version, the extension's own: the script refuses another one, and a
# commit without the tag v<version>.
#
# DRY_RUN=1: splits, and prints what it would push.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
	echo "split.sh: $*" >&2
	exit 1
}

version=${1:?split.sh: the version is missing, as 0.1.0}
remote=${2:?split.sh: the remote is missing, as git@example.org:ratelimit/}

own=$(sed -n 's/^#define PHP_RATELIMIT_VERSION "\(.*\)"$/\1/p' php_ratelimit.h)
[ "$own" = "$version" ] || fail "the version of the extension is $own, not $version: php_ratelimit.h has it"
[ "$(git rev-parse --verify --quiet "v$version^{commit}")" = "$(git rev-parse HEAD)" ] ||
	fail "the commit is not tagged v$version: run git tag v$version"
[ -z "$(git status --porcelain -- packages)" ] || fail "packages/ has changes that are not committed"
git subtree --help >/dev/null 2>&1 || [ -x "$(git --exec-path)/git-subtree" ] || fail "git subtree is missing"

generated=$(mktemp -d)
trap 'rm -rf "$generated"' EXIT
scripts/packages.sh generate "$generated"

# Prints a commit that adds the generated files to the last one of a package's history; that one if there are none.
release() { # package, commit
	local tree
	if [ ! -d "$generated/$1" ]; then
		echo "$2"
		return
	fi
	export GIT_INDEX_FILE=$generated/index GIT_AUTHOR_DATE GIT_COMMITTER_DATE
	GIT_AUTHOR_DATE=$(git show -s --format=%cI HEAD)
	GIT_COMMITTER_DATE=$GIT_AUTHOR_DATE
	git read-tree "$2"
	git --work-tree="$generated/$1" add --force --ignore-removal .
	tree=$(git write-tree)
	git commit-tree "$tree" -p "$2" -m "Add the generated files of version $version"
}

for manifest in packages/*/composer.json; do
	folder=$(dirname "$manifest")
	package=$(basename "$folder")
	if grep -q '"version"' "$manifest"; then
		fail "$manifest has a version: the tag is the version"
	fi
	commit=$(git subtree split -q --prefix="$folder" HEAD)
	tagged=$(release "$package" "$commit")
	if [ "${DRY_RUN:-0}" = 1 ]; then
		echo "$package: $commit, v$version $tagged to $remote$package.git"
		continue
	fi
	git push --quiet "$remote$package.git" "$commit:refs/heads/main" "$tagged:refs/tags/v$version"
	echo "$package $version: $tagged"
done
