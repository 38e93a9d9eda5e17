/**
 * Options of everyday programs that run another program, load code, or open a file. Gathered from public references on argument
 * injection and restricted-shell escapes. Interpreters, build tools and test runners are not here: a prefix that names one
 * allows whatever its input says, and `docs/policies.md` tells so.
 */
export interface OptionTable {
  /** Options that run or load something. */
  runs?: readonly string[];
  /** Options whose argument is a file that is written. */
  writes?: readonly string[];
  /** Options whose argument is a file that is read and shown. */
  reads?: readonly string[];
  /** Letters with an argument, which ends a bundle of letters. */
  valued?: string;
  /** A long option may be shortened; false where the program's parser wants it whole. */
  abbreviates?: boolean;
  /** Long options start with one dash, as those of Go. */
  singleDash?: boolean;
  /** The first operand is a bundle of letters too, as with `tar cf`. */
  oldBundle?: boolean;
  /** The second operand is written. */
  secondOperandWritten?: boolean;
  /** A word that runs or loads something wherever it stands. */
  suspicious?: RegExp;
}

const PAGER: OptionTable = {
  runs: ['-k', '--lesskey-file', '--lesskey-src', '--lesskey-content'],
  writes: ['-o', '-O', '--log-file', '--LOG-FILE'],
  valued: 'bhjpPtTxyz',
  suspicious: /^\+/,
};
const EDITOR: OptionTable = {
  runs: ['-c', '-S', '-s', '-u', '-U', '-i', '--cmd', '-f', '-l', '--eval', '--load', '--funcall', '--rcfile'],
  writes: ['-w', '-W'],
  suspicious: /^\+/,
};
const MAKE: OptionTable = {
  runs: ['-f', '--file', '--makefile', '--eval', '-E'],
  valued: 'CIjlOoW',
  suspicious: /^(?!(?:CI|NODE_ENV|LANG|LC_[A-Z]+|TZ|FORCE_COLOR|NO_COLOR)=)[A-Za-z_.][^=\s/]*=/,
};
const NPM: OptionTable = {
  runs: [
    '--script-shell',
    '--node-options',
    '-c',
    '--call',
    '--shell',
    '--init-module',
    '--git',
    '--editor',
    '--viewer',
    '--userconfig',
    '--globalconfig',
  ],
};

export const OPTION_TABLES: ReadonlyMap<string, OptionTable> = new Map<string, OptionTable>([
  ['sort', { runs: ['--compress-program'], writes: ['-o', '--output'], valued: 'kStT' }],
  ['shuf', { writes: ['-o', '--output'], valued: 'in' }],
  ['uniq', { secondOperandWritten: true, valued: 'fsw' }],
  ['xxd', { secondOperandWritten: true }],
  ['tree', { writes: ['-o'], valued: 'HILPT' }],
  ['iconv', { writes: ['-o', '--output'], valued: 'ft' }],
  ['date', { reads: ['-f', '--file'], valued: 'drs' }],
  ['sdiff', { runs: ['--diff-program'], writes: ['-o', '--output'], valued: 'IW' }],
  ['diff3', { runs: ['--diff-program'] }],
  ['split', { runs: ['--filter'], valued: 'abClnt' }],
  ['install', { runs: ['--strip-program'], valued: 'gmotS' }],
  ['rg', { runs: ['--pre', '--hostname-bin'], abbreviates: false }],
  ['ag', { runs: ['--pager'] }],
  ['ack', { runs: ['--pager', '--ackrc', '--output'] }],
  ['fd', { runs: ['-x', '-X', '--exec', '--exec-batch'], valued: 'cdeEojStT' }],
  ['fdfind', { runs: ['-x', '-X', '--exec', '--exec-batch'], valued: 'cdeEojStT' }],
  ['bat', { runs: ['--pager', '--config-file'], valued: 'lHmr' }],
  ['batcat', { runs: ['--pager', '--config-file'], valued: 'lHmr' }],
  [
    'tar',
    {
      runs: [
        '-I',
        '-F',
        '--use-compress-program',
        '--to-command',
        '--checkpoint-action',
        '--rsh-command',
        '--rmt-command',
        '--info-script',
        '--new-volume-script',
      ],
      valued: 'bCfgHKLNTVX',
      oldBundle: true,
    },
  ],
  ['zip', { runs: ['--unzip-command'], suspicious: /^-[A-Za-z]*TT/ }],
  ['man', { runs: ['-P', '--pager', '-H', '--html', '-C', '--config-file', '-X', '-T', '-Z'], valued: 'LmMrRsS' }],
  ['less', PAGER],
  ['more', PAGER],
  ['most', PAGER],
  ['vi', EDITOR],
  ['vim', EDITOR],
  ['nvim', EDITOR],
  ['view', EDITOR],
  ['rvim', EDITOR],
  ['nano', EDITOR],
  ['emacs', EDITOR],
  [
    'curl',
    {
      runs: ['-K', '--config'],
      writes:
        '-o --output -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr --libcurl --etag-save --hsts --alt-svc --output-dir'.split(
          ' ',
        ),
      valued: 'AbCdeEFHhmPQrtTuUwxXyYz',
    },
  ],
  [
    'wget',
    {
      runs: ['--use-askpass', '--config', '-e', '--execute'],
      writes: '-O --output-document -o --output-file -a --append-output -P --directory-prefix'.split(' '),
      valued: 'ABDIilQRtTUwX',
    },
  ],
  ['rsync', { runs: ['-e', '--rsh', '--rsync-path'], valued: 'BfMT' }],
  ['scp', { runs: ['-S', '-o', '-F', '-D', '-J'], valued: 'cilPX' }],
  ['sftp', { runs: ['-S', '-o', '-F', '-D', '-b', '-J'], valued: 'BcilPRs' }],
  ['make', MAKE],
  ['gmake', MAKE],
  ['cargo', { runs: ['--config', '-Z'], valued: 'jpF', suspicious: /^\+/ }],
  [
    'go',
    {
      runs: ['-exec', '-toolexec', '-vettool', '-overlay'],
      writes:
        '-o -coverprofile -cpuprofile -memprofile -blockprofile -mutexprofile -trace -outputdir -test.outputdir'.split(
          ' ',
        ),
      singleDash: true,
    },
  ],
  ['npm', NPM],
  ['pnpm', NPM],
  ['hg', { runs: ['--config', '--debugger', '--remotecmd', '-e', '--ssh'], valued: 'R' }],
  ['svn', { runs: ['--diff-cmd', '--diff3-cmd', '--merge-cmd', '--editor-cmd', '--config-option', '--config-dir'] }],
  ['dc', { runs: ['-f', '--file'], suspicious: /!/ }],
  [
    'sqlite3',
    { runs: ['-cmd', '-init'], singleDash: true, suspicious: /(?:^|\n)\s*\.|load_extension|writefile|\bedit\s*\(/i },
  ],
  ['psql', { runs: ['-f', '--file', '-o', '--output', '-L', '--log-file'], valued: 'dhpUvFPR', suspicious: /\\/ }],
  [
    'mysql',
    { runs: ['--pager', '--tee', '--init-command', '--defaults-file'], suspicious: /\\!|\bsystem\b|\bsource\b/i },
  ],
  ['tcpdump', { runs: ['-z'], writes: ['-w'], valued: 'BcCDEFGijMrsTVWyZ' }],
]);
