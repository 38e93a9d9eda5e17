import { HARMLESS_NAMES } from '../words/variables.js';
import type { OptionGrammar } from './option-grammar.js';

const HELP = '--help --version';

/** The names under which the environment of a build may be set on the command line of make. */
const MAKE_HARMLESS = `${HARMLESS_NAMES}=[^$]*$`;

const MAKE: OptionGrammar = {
  harmless:
    '-b -m -B --always-make -d --debug? -e --environment-overrides -h -i --ignore-errors -j? --jobs? -k --keep-going -l? --load-average? --max-load? -L --check-symlink-times -n --just-print --dry-run --recon -o= --old-file= --assume-old= -O? --output-sync? -p --print-data-base -q --question -r --no-builtin-rules -R --no-builtin-variables -s --silent --quiet --no-silent -S --no-keep-going --stop --trace --shuffle? -v -w --print-directory --no-print-directory -W= --what-if= --new-file= --assume-new= --warn-undefined-variables ' +
    HELP,
  runs: '-f= --file= --makefile= -E= --eval=',
  names: '-t --touch',
  elsewhere: '-C= --directory= -I= --include-dir=',
  // An assignment overrules the makefile even after `--`; a `$` in it, or in a goal, is expanded.
  suspicious: new RegExp(`^(?!${MAKE_HARMLESS})[^-=][^=]*=|^(?!-).*\\$`, 's'),
  literal: true,
  numbers: true,
};

const GREP: OptionGrammar = {
  harmless:
    '-A= --after-context= -B= --before-context= -C= --context= -E --extended-regexp -F --fixed-strings -G --basic-regexp -P --perl-regexp -H --with-filename -I -L --files-without-match -R --dereference-recursive -T --initial-tab -U --binary -V -X= -Z --null -a --text -b --byte-offset -c --count --color? --colour? -d= --directories= -D= --devices= -e= --regexp= -f= --file= -h --no-filename -i --ignore-case --no-ignore-case -y -l --files-with-matches --label= --line-buffered -m= --max-count= -n --line-number -o --only-matching -q --quiet --silent -r --recursive -s --no-messages -u --unix-byte-offsets -v --invert-match -w --word-regexp -x --line-regexp -z --null-data --binary-files= --exclude= --exclude-from= --exclude-dir= --include= --group-separator= --no-group-separator ' +
    HELP,
  digits: true,
};

const TAR: OptionGrammar = {
  harmless:
    '-d --diff --compare -t --list -x --extract --get --test-label -G --incremental --ignore-failed-read --level= -n --seek --no-seek --no-check-device --check-device --occurrence? --sparse-version= -S --sparse --hole-detection= -k --keep-old-files --keep-newer-files --keep-directory-symlink --no-overwrite-dir --one-top-level? --overwrite --overwrite-dir --recursive-unlink --skip-old-files -U --unlink-first -W --verify --ignore-command-error --no-ignore-command-error -O --to-stdout --atime-preserve? --delay-directory-restore --no-delay-directory-restore --group= --group-map= --owner= --owner-map= --mode= --mtime= --clamp-mtime -m --touch --no-same-owner --same-owner --no-same-permissions --numeric-owner -p --preserve-permissions --same-permissions --preserve-order --same-order -s --sort= --acls --no-acls --selinux --no-selinux --xattrs --no-xattrs --xattrs-exclude= --xattrs-include= -b= --blocking-factor= -B --read-full-records -i --ignore-zeros --record-size= -H= --format= --old-archive --portability --pax-option= --posix -V= --label= -a --auto-compress --no-auto-compress -j --bzip2 -J --xz --lzip --lzma --lzop -z --gzip --gunzip --ungzip -Z --compress --uncompress --zstd --backup? --suffix= -C= --directory= --exclude= --exclude-backups --exclude-caches --exclude-caches-all --exclude-caches-under --exclude-ignore= --exclude-ignore-recursive= --exclude-tag= --exclude-tag-all= --exclude-tag-under= --exclude-vcs --exclude-vcs-ignores -X= --exclude-from= -h --dereference --hard-dereference -K= --starting-file= --newer-mtime= -N= --newer= --after-date= --no-null --no-recursion --recursion --no-unquote --unquote --no-verbatim-files-from --verbatim-files-from --null --one-file-system --absolute-names -P -T= --files-from= --strip-components= --transform= --xform= --add-file= --anchored --no-anchored --ignore-case --no-ignore-case --no-wildcards --no-wildcards-match-slash --wildcards --wildcards-match-slash --checkpoint? --full-time -l --check-links --no-quote-chars= --quote-chars= --quoting-style= -R --block-number --restrict --show-defaults --show-omitted-dirs --show-transformed-names --show-stored-names --show-snapshot-field-ranges --totals? --utc -v --verbose --warning= -w --interactive --confirmation -o -? --usage ' +
    HELP,
  runs: '-I= --use-compress-program= -F= --info-script= --new-volume-script= --to-command= --checkpoint-action= --rsh-command= --rmt-command= --remove-files -M --multi-volume',
  writes: '-g= --listed-incremental= --index-file= --volno-file=',
  archive: '-f= --file=',
  packs: '-A --catenate --concatenate -c --create --delete -r --append -u --update',
  oldBundle: true,
};

const DIFF_OUTPUT =
  '--text -a -b -B -d -E -i -t -w -W= --width= --tabsize= --minimal --expand-tabs --ignore-all-space --ignore-blank-lines --ignore-case --ignore-matching-lines= -I= --ignore-space-change --ignore-tab-expansion -Z --ignore-trailing-space --strip-trailing-cr --left-column -l --suppress-common-lines -s --speed-large-files -H -v';

/**
 * Programs that filter text or walk files, with every option that they know: an option that is missing here is refused. Gathered from
 * the usage of the versions of Debian 12 and 13; the operands of readers are files that their name promises to read.
 */
export const WHOLE_GRAMMARS: Readonly<Record<string, OptionGrammar>> = {
  sort: {
    harmless: `-b --ignore-leading-blanks -d --dictionary-order -f --ignore-case -g --general-numeric-sort -i --ignore-nonprinting -M --month-sort -h --human-numeric-sort -n --numeric-sort -R --random-sort --random-source= -r --reverse --sort= -V --version-sort --batch-size= -c --check? -C --debug --files0-from= -k= --key= -m --merge -s --stable -S= --buffer-size= -t= --field-separator= -T= --temporary-directory= --parallel= -u --unique -z --zero-terminated ${HELP}`,
    runs: '--compress-program=',
    writes: '-o= --output=',
  },
  shuf: {
    harmless: `-e --echo -i= --input-range= -n= --head-count= --random-source= -r --repeat -z --zero-terminated ${HELP}`,
    writes: '-o= --output=',
  },
  uniq: {
    harmless: `-c --count -d --repeated -D --all-repeated? -f= --skip-fields= --group? -i --ignore-case -s= --skip-chars= -u --unique -z --zero-terminated -w= --check-chars= ${HELP}`,
    digits: true,
    writtenFrom: 1,
  },
  tee: { harmless: `-a --append -i --ignore-interrupts -p --output-error? ${HELP}`, writtenFrom: 0 },
  split: {
    harmless: `-a= --suffix-length= -b= --bytes= -C= --line-bytes= -d --numeric-suffixes? -x --hex-suffixes? -e --elide-empty-files -l= --lines= -n= --number= -t= --separator= -u --unbuffered --verbose --additional-suffix= ${HELP}`,
    runs: '--filter=',
    digits: true,
    makes: true,
  },
  csplit: {
    harmless: `-k --keep-files --suppress-matched -n= --digits= -b= --suffix-format= -f= --prefix= -s -q --silent --quiet -z --elide-empty-files ${HELP}`,
    makes: true,
  },
  xxd: {
    harmless:
      '-a -autoskip -b -bits -C -capitalize -d -e -E -EBCDIC -h -help -i -include -p -ps -plain -postscript -r -revert -u -v -version -c= -cols= -g= -groupsize= -l= -len= -n= -name= -o= -offset= -s= -seek= -R=',
    singleDash: true,
    prompt: true,
    writtenFrom: 1,
  },
  date: {
    harmless: `-d= --date= -I? --iso-8601? -r= --reference= -R --rfc-email --rfc-2822 --rfc-822 --rfc-3339= --resolution -s= --set= --debug -u --utc --universal ${HELP}`,
    reads: '-f= --file=',
  },
  iconv: {
    harmless: `-f= --from-code= -t= --to-code= -c -l --list -s --silent --verbose --byte-subst= --widechar-subst= --unicode-subst= -? --usage -V ${HELP}`,
    writes: '-o= --output=',
  },
  tree: {
    harmless:
      '-a -d -l -f -x -L= -P= -I= --gitignore --ignore-case --matchdirs --metafirst --prune --info --noreport --charset= --filelimit= -q -N -Q -p -u -g -s -h --si --du -D --timefmt= -F --inodes --device -v -t -c -U -r --dirsfirst --filesfirst --sort= -i -A -S -n -C -X -J -H= -T= --nolinks --opt-toggle --help --version',
    writes: '-o=',
    reads: '--gitfile= --infofile= --hintro= --houtro=',
    // It writes a page into every folder; the others read a list of names.
    runs: '-R --fromfile --fromtabfile',
    wholeWords: true,
    abbreviates: false,
  },
  diff: {
    harmless: `${DIFF_OUTPUT.replace(' -l ', ' ')} --normal -q --brief -s --report-identical-files -c -C= --context? -u -U= --unified? -e --ed -n --rcs -y --side-by-side -p --show-c-function -F= --show-function-line= --label= -L= -T --initial-tab --suppress-blank-empty --no-dereference -N --new-file --unidirectional-new-file -P --ignore-file-name-case --no-ignore-file-name-case -x= --exclude= -X= --exclude-from= -r --recursive -S= --starting-file= --from-file= --to-file= -D= --ifdef= --old-group-format= --new-group-format= --unchanged-group-format= --changed-group-format= --line-format= --old-line-format= --new-line-format= --unchanged-line-format= --horizon-lines= --color? --palette= ${HELP}`,
    // Its output goes through another program.
    runs: '-l --paginate',
    digits: true,
  },
  diff3: {
    harmless: `-A --show-all -e --ed -E --show-overlap -3 --easy-only -x --overlap-only -X -i -m --merge -a --text --strip-trailing-cr -T --initial-tab -L= --label= -v ${HELP}`,
    runs: '--diff-program=',
  },
  sdiff: { harmless: `${DIFF_OUTPUT} ${HELP}`, runs: '--diff-program= -o= --output=' },
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  cut: {
    harmless: `-b= --bytes= -c= --characters= -d= --delimiter= -f= --fields= -n --complement -s --only-delimited --output-delimiter= -z --zero-terminated ${HELP}`,
  },
  tr: {
    harmless: `-c -C --complement -d --delete -s --squeeze-repeats -t --truncate-set1 ${HELP}`,
    prompt: true,
  },
  head: {
    harmless: `-c= --bytes= -n= --lines= -q --quiet --silent -v --verbose -z --zero-terminated -b -k -m -l ${HELP}`,
    digits: true,
  },
  tail: {
    harmless: `-c= --bytes= -f --follow? -F -n= --lines= --max-unchanged-stats= --pid= -q --quiet --silent --retry -s= --sleep-interval= -v --verbose -z --zero-terminated -b -l ${HELP}`,
    digits: true,
  },
  wc: {
    harmless: `-c --bytes -m --chars -l --lines --files0-from= -L --max-line-length -w --words --total= ${HELP}`,
  },
  xargs: {
    harmless: `-0 --null -d= --delimiter= -E= -e? --eof? -I= -i? --replace? -L= -l? --max-lines? -n= --max-args= -P= --max-procs= -o --open-tty -p --interactive --process-slot-var= -r --no-run-if-empty -s= --max-chars= --show-limits -t --verbose -x --exit ${HELP}`,
    reads: '-a= --arg-file=',
    prompt: true,
  },
  tar: TAR,
  make: MAKE,
  gmake: MAKE,
};
