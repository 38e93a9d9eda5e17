import type { OptionGrammar } from './option-grammar.js';

const PAGER: OptionGrammar = {
  harmless: '-b= -h= -j= -p= -P= -t= -T= -x= -y= -z=',
  runs: '-k --lesskey-file --lesskey-src --lesskey-content',
  writes: '-o= -O= --log-file= --LOG-FILE=',
  suspicious: /^\+/,
};
const EDITOR: OptionGrammar = {
  runs: '-c -S -s -u -U -i --cmd -f -l --eval --load --funcall --rcfile',
  writes: '-w= -W=',
  suspicious: /^\+/,
};
const NPM: OptionGrammar = {
  runs: '--script-shell --node-options -c --call --shell --init-module --git --editor --viewer --userconfig --globalconfig',
};
const FD: OptionGrammar = {
  harmless: '-c= -d= -e= -E= -o= -j= -S= -t= -T=',
  runs: '-x -X --exec --exec-batch',
};
const BAT: OptionGrammar = { harmless: '-l= -H= -m= -r=', runs: '--pager --config-file' };

/**
 * Options of everyday programs that run another program, load code, or open a file; every other option counts as harmless, because
 * there are too many, and new ones with each release. Gathered from public references on argument injection and restricted-shell
 * escapes. Interpreters, build tools and test runners are not here: a prefix that names one allows whatever its input says, and
 * `docs/policies.md` tells so.
 */
const ROWS: Readonly<Record<string, OptionGrammar>> = {
  install: { harmless: '-g= -m= -o= -t= -S=', runs: '--strip-program' },
  rg: { runs: '--pre --hostname-bin', abbreviates: false },
  ag: { runs: '--pager' },
  ack: { runs: '--pager --ackrc --output' },
  fd: FD,
  fdfind: FD,
  bat: BAT,
  batcat: BAT,
  zip: { runs: '--unzip-command', suspicious: /^-[A-Za-z]*TT/ },
  man: {
    harmless: '-L= -m= -M= -r= -R= -s= -S=',
    runs: '-P --pager -H --html -C --config-file -X -T -Z',
  },
  less: PAGER,
  more: PAGER,
  most: PAGER,
  vi: EDITOR,
  vim: EDITOR,
  nvim: EDITOR,
  view: EDITOR,
  rvim: EDITOR,
  nano: EDITOR,
  emacs: EDITOR,
  curl: {
    harmless: '-A= -b= -C= -d= -e= -E= -F= -H= -h= -m= -P= -Q= -r= -t= -T= -u= -U= -w= -x= -X= -y= -Y= -z=',
    runs: '-K --config --engine',
    names: '-O -J --remote-name --remote-name-all --remote-header-name --output-dir=',
    suspicious: /%output/,
    writes:
      '-o= --output= -D= --dump-header= -c= --cookie-jar= --trace= --trace-ascii= --stderr= --libcurl= --etag-save= --hsts= --alt-svc=',
  },
  wget: {
    harmless: '-A= -B= -D= -I= -i= -l= -Q= -R= -t= -T= -U= -w= -X=',
    runs: '--use-askpass --config -e --execute',
    writes:
      '-O= --output-document= -o= --output-file= -a= --append-output= -P= --directory-prefix= --save-cookies= --rejected-log= --warc-file= --hsts-file=',
  },
  rsync: { harmless: '-B= -f= -M= -T=', runs: '-e --rsh --rsync-path' },
  scp: { harmless: '-c= -i= -l= -P= -X=', runs: '-S -o -F -D -J' },
  sftp: { harmless: '-B= -c= -i= -l= -P= -R= -s=', runs: '-S -o -F -D -b -J' },
  cargo: { harmless: '-j= -p= -F=', runs: '--config -Z', suspicious: /^\+/ },
  go: {
    runs: '-exec -toolexec -vettool -overlay',
    writes:
      '-o= -coverprofile= -cpuprofile= -memprofile= -blockprofile= -mutexprofile= -trace= -outputdir= -test.outputdir=',
    singleDash: true,
  },
  npm: NPM,
  pnpm: NPM,
  hg: { harmless: '-R=', runs: '--config --debugger --remotecmd -e --ssh' },
  svn: { runs: '--diff-cmd --diff3-cmd --merge-cmd --editor-cmd --config-option --config-dir' },
  dc: { runs: '-f --file', suspicious: /!/, literal: true },
  sqlite3: {
    runs: '-cmd -init',
    singleDash: true,
    suspicious: /(?:^|\n)[^\S\n]*\.|load_extension|writefile|\bedit\s*\(/i,
    literal: true,
  },
  psql: {
    harmless: '-d= -h= -p= -U= -v= -F= -P= -R=',
    runs: '-f --file -o --output -L --log-file',
    suspicious: /\\/,
    literal: true,
  },
  mysql: {
    runs: '--pager --tee --init-command --defaults-file',
    suspicious: /\\!|\bsystem\b|\bsource\b/i,
    literal: true,
  },
  tcpdump: {
    harmless: '-B= -c= -C= -D= -E= -F= -G= -i= -j= -M= -r= -s= -T= -V= -W= -y= -Z=',
    runs: '-z',
    writes: '-w=',
  },
};

export const OPEN_GRAMMARS: Readonly<Record<string, OptionGrammar>> = Object.fromEntries(
  Object.entries(ROWS).map(([program, rows]) => [program, { ...rows, open: 'rows' }]),
);
