#!/usr/bin/env bash
# Checks the prose by the rules of CONTRIBUTING.md: prose.sh [--long] [files ...]
#
# Prints "file:line: reason" for each offence, and exits with 1 if there is one. It reads documents (*.md), comments (C, Lua,
# PHP) and the titles of tests (*.phpt). It finds:
#   - a word of scripts/prose.words,
#   - a sentence that begins with Who, What, Whose, Which, Whoever, Whatever or Whichever and is no question,
#   - a file that a comment or document names and that does not exist,
#   - a test's title of more than 120 characters,
#   - more sentences above 35 words than LONG_MAX permits. --long lists them.
set -euo pipefail
cd "$(dirname "$0")/.."

# Lower it when the number falls; never raise it.
LONG_MAX=${LONG_MAX:-12}

long=0
if [ "${1:-}" = --long ]; then
	long=1
	shift
fi
if [ $# -gt 0 ]; then
	files=("$@")
	LONG_MAX=${#files[@]}000000
else
	mapfile -t files < <(find ./*.md docs src bench examples scripts bin tests ratelimit.c php_ratelimit.h ratelimit.php ratelimit.stub.php \
		-type f \( -name '*.md' -o -name '*.phpt' -o -path './*.php' -o -name '*.lua' -o -name '*.[ch]' -o -name '*.php' -o -path bin/ratelimit \) \
		! -name '*_lua.h' ! -path 'tests/*.[ch]' | sed 's|^\./||' | LC_ALL=C sort -u)
	# run-tests.php has a .php beside each test that runs, and one of its --SKIPIF--, and removes them.
	mapfile -t files < <(for file in "${files[@]}"; do
		test=${file%.php} test=${test%.skip} test=${test%.clean}
		[ -f "$test.phpt" ] || echo "$file"
	done)
fi
exec perl - "$long" "$LONG_MAX" "${files[@]}" <<'PERL'
use strict;
use warnings;
use utf8;
use open qw(:std :encoding(UTF-8));

use constant WORDS_MAX => 35;
use constant TITLE_MAX => 120;

my ($list_long, $long_max, @files) = @ARGV;
my ($offences, $long) = (0, 0);
my (@words, %allowed, %exists);
my @lines_out; # of the file that is being read: [line, text]

open my $list, '<', 'scripts/prose.words' or die "prose.sh: scripts/prose.words: $!\n";
while (<$list>) {
	chomp;
	next if /^\s*(#|$)/;
	if (/^allow (\S+): (.*)$/) {
		push @{$allowed{$1}}, $2;
	} elsif (/^(.*) => (.*)$/) {
		push @words, [qr/(?<![\w\/.-])(?:$1)(?![\w\/]|\.\w|-\w)/i, $2];
	} else {
		die "prose.sh: scripts/prose.words:$.: neither a pattern nor a permission\n";
	}
}
close $list;
my $any_word = join '|', map { $_->[0] } @words;
$any_word = qr/$any_word/i;

# Base names, by which one file is mentioned in another.
open my $tree, '-|', 'find . \( -name .git -o -path ./out \) -prune -o -type f -print' or die "prose.sh: find: $!\n";
while (<$tree>) {
	$exists{$1} = 1 if m{([^/]+)\n$};
}
close $tree;
# Other projects' files, those that a build makes, and placeholders.
$exists{$_} = 1 for qw(counter_lua.h limiter_lua.h config.h php.h php.ini x.phpt t_zset.c server.c phpunit.xml);

sub offence {
	my ($file, $line, $reason) = @_;
	push @lines_out, [$line, "$file:$line: $reason\n"];
	$offences++;
}

# One paragraph: a list of [line number, text].
sub paragraph {
	my ($file, $heading, @lines) = @_;
	my ($text, @at) = ('');
	for (@lines) {
		push @at, [length $text, $_->[0]];
		$text .= "$_->[1] ";
	}
	my $line_of = sub {
		my $line = $at[0][1];
		for (@at) {
			$line = $_->[1] if $_->[0] <= $_[0];
		}
		return $line;
	};

	for my $file_with_rules (grep { $file =~ /\Q$_\E$/ } keys %allowed) {
		for my $phrase (@{$allowed{$file_with_rules}}) {
			$text =~ s/\Q$phrase\E/'_' x length $phrase/gei;
		}
	}
	for ($text =~ $any_word ? @words : ()) {
		my ($pattern, $reason) = @$_;
		while ($text =~ /($pattern)/g) {
			offence($file, $line_of->($-[0]), "\"$1\": $reason");
		}
	}
	my $names_file = $text =~ /\.(?:c|h|lua|inc|phpt|sh|md)\b/;
	while ($names_file && $text =~ m{(?<![\w./*<{}-])((?:[\w-]+/)*([\w-]+\.(?:c|h|lua|inc|phpt|sh|md)))\b(?![\w/>*-]|\.\w)}g) {
		offence($file, $line_of->($-[0]), "\"$1\": there is no such file") unless $exists{$2};
	}

	# Links and quotations are not this sentence's own words; a full stop within a number, a name or an abbreviation ends none.
	$text =~ s/\[([^\]]*)\]\([^)]*\)/'x' . '_' x (length($&) - 1)/ge;
	$text =~ s/\b(e\.g|i\.e|etc|vs|cf)\./'_' x length $&/ge;
	while ($text =~ /\S.*?(?:[.!?]["')*_]*(?=\s)|$)/gs) {
		my ($sentence, $where) = ($&, $-[0]);
		next if $sentence =~ /^\s*$/;
		my $n = () = $sentence =~ /[\w`]\S*/g;
		if ($n > WORDS_MAX) {
			$long++;
			my $line = $line_of->($where);
			push @lines_out, [$line, "$file:$line: a sentence of $n words\n"] if $list_long;
		}
		if (!$heading && $sentence =~ /^[\W_]*(?:[\w ]+: )?(Who(?:ever|se)?|What(?:ever)?|Which(?:ever)?)\b/ && $sentence !~ /\?["')*_]*$/) {
			offence($file, $line_of->($where), "the sentence begins with \"$1\": make a noun its subject");
		}
	}
}

# Lines of prose: [line number, text], where undef ends a paragraph and '#' before the text marks a heading.
sub paragraphs {
	my ($file, @lines) = @_;
	my @open;
	for (@lines, [0, undef]) {
		if (defined $_->[1] && $_->[1] =~ /\S/) {
			push @open, $_;
		} elsif (@open) {
			paragraph($file, 0, @open);
			@open = ();
		}
	}
}

sub markdown {
	my ($file, $content) = @_;
	my ($line, $fence, @lines) = (0, 0);
	for (split /\n/, $content) {
		$line++;
		if (/^\s*```/) {
			$fence = !$fence;
			push @lines, [$line, undef];
			next;
		}
		next if $fence;
		s/<!--.*?-->//g;
		s/`[^`]*`/`x`/g if /`/;
		if (/^#+ (.*)/) {
			paragraph($file, 1, [$line, $1]);
			push @lines, [$line, undef];
		} elsif (/^\s*\|/) {
			push @lines, [$line, undef];
			paragraph($file, 0, [$line, $_]) for grep { /\w/ } split /(?<!\\)\|/;
		} else {
			push @lines, [$line, undef] if s/^\s*(?:[-*]|\d+\.) //;
			push @lines, [$line, $_];
		}
	}
	paragraphs($file, @lines);
}

# Strings are skipped, so that a comment's beginning within one is none.
sub comments {
	my ($file, $content, $pattern) = @_;
	my ($line, $last, @lines) = (1, 0);
	while ($content =~ /$pattern/g) {
		my ($comment, $before) = ($+{comment}, substr $content, $last, $-[0] - $last);
		$line += $before =~ tr/\n//;
		$last = $+[0];
		my $whole = $&;
		if (defined $comment) {
			# Comments of one line each, on lines that follow each other, are one text.
			push @lines, [$line, undef] unless @lines && $whole =~ m{^(?://|#|--)} && $before =~ /^[ \t]*\n?[ \t]*$/;
			my $at = $line;
			for (split /\n/, $comment) {
				s{^\s*(?:\*(?!\*)|//|--|#)?\s?}{};
				s/`[^`]*`/`x`/g;
				# An indented example, a row of a table, a tag.
				push @lines, [$at++, /^\s{3,}\S/ || /^@/ || /^(?:-+ |\w+  )/ ? undef : $_];
			}
		} else {
			push @lines, [$line, undef];
		}
		$line += $whole =~ tr/\n//;
	}
	paragraphs($file, @lines);
}

my $string = qr/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/s;
my %pattern = (
	c => qr{/\*(?<comment>.*?)\*/|//(?<comment>[^\n]*)|"(?:[^"\\]|\\.)*"|'(?:[^'\\\n]|\\.)*'}s,
	lua => qr{--(?<comment>[^\n]*)|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'}s,
	php => qr{/\*(?<comment>.*?)\*/|(?://|\#(?!\[))(?<comment>[^\n]*)|<<<'?(\w+)'?\n.*?\n\s*\g{-1}|$string}s,
);
$pattern{h} = $pattern{c};

for my $file (@files) {
	next if $file =~ /\.php$/ && -e "${file}t"; # run-tests.php writes the body of a running test there
	open my $handle, '<', $file or die "prose.sh: $file: $!\n";
	my $content = do { local $/; <$handle> };
	close $handle;
	if ($file =~ /\.md$/) {
		markdown($file, $content);
	} elsif ($file =~ /\.phpt$/) {
		my ($title) = $content =~ /\A--TEST--\n(.*)\n/ or next;
		offence($file, 2, 'a title of ' . length($title) . ' characters, more than ' . TITLE_MAX) if length $title > TITLE_MAX;
		paragraph($file, 0, [2, $title]);
	} elsif ($file =~ /\.(c|h|lua)$/) {
		comments($file, $content, $pattern{$1});
	} else {
		$content =~ s/\A#![^\n]*//;
		# The page of a PHP file is not PHP.
		$content =~ s/\?>.*?(?=<\?(?:php|=)|\z)/"\n" x ($& =~ tr|\n||)/gse;
		comments($file, $content, $pattern{php});
	}
	print map { $_->[1] } sort { $a->[0] <=> $b->[0] } @lines_out;
	@lines_out = ();
}

print "$offences offences; $long sentences of more than ", WORDS_MAX, " words\n";
if ($long > $long_max) {
	print "prose.sh: that is more than the $long_max that scripts/prose.sh permits: prose.sh --long lists them\n";
	exit 1;
}
exit($offences > 0);
PERL
