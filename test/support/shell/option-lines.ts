import type { LineSource } from './line-source.js';

/** Lines of programs whose options run, read or write: make, find, xargs, sort, uniq, the shells and the wrappers. */
export class OptionLines {
  constructor(
    private readonly source: LineSource,
    /** A whole line, for what stands inside another. */
    private readonly line: () => string,
  ) {}

  // prettier-ignore
  any(): string {
    return this.source.one([() => this.make(), () => this.find(), () => this.find(), () => this.xargs(), () => this.sort(),
      () => this.uniq(), () => this.shell(), () => this.shell(), () => this.wrapped(), () => this.wrapped(), () => this.filter()]);
  }

  private command(): string {
    const { source } = this;
    return source.choose(
      [() => source.program(), () => `${source.program()} a`, 'cat', 'ls -l', 'echo a', 'grep a'],
      [
        () => `sed -n ${source.one(['p', "'$p'"])}`,
        () => `bash -c ${source.quote(this.line())}`,
        () => `sh -c ${source.quote(`${source.program()} "$@"`)} x`,
        () => `nice ${source.program()}`,
        () => `env ${source.one(['', 'A=1', '-i', '-u A'])} ${source.program()}`,
        () => `xargs ${source.program()}`,
        () => `"${source.program()}"`,
        'awk 1',
        'sort',
        'sed',
        'find',
        "bash -c 'echo $1' x",
        "sh -c 'cat $0'",
      ],
    );
  }

  // prettier-ignore
  make(): string {
    const { source } = this;
    const rule = (): string => source.quote(source.one([() => `x:;${source.program()}`, () => `$(shell ${source.program()})`,
      () => `all:\n\t${source.program()}`, () => `x != ${source.program()}`, () => `include ${source.one(['f', 'd/g'])}`,
      () => `$(file >${source.file()},x)`]));
    const words = source.some(0, 4, () =>
      source.choose(
        ['all', 'one', 'clean', '-n', '-j2', '-s', '-k', '-B', '-C .', '--always-make', 'CI=1'],
        [
          '-p', '-q', '-d', '-i', '-r', '-R', '-w', '-t', '--touch', '--tou', '-nt', '-tn', '-C d', '-Cd', '-I d', '-j', '-j 2', '-l 2',
          '-o one', '-W f', '-O', '-Oline', '--trace', '-v', '-h', '--', '-', '-e', '-S', '--debug=a', '--no-print-directory',
          '--warn-undefined-variables', '--jobs=2', '--direc=.', '--directory d', '-kC .', 'f', 'out', 'd/g.o', 'none', 'X=1',
          () => `X=${source.quote(`; ${source.program()}`)}`,
          () => `--eval=${rule()}`, () => `--eval ${rule()}`, () => `--ev=${rule()}`, () => `-E ${rule()}`, () => `-E${rule()}`, '-f f',
          '-ff', '-f d/g', '-f - <<< "$x"', () => `-f - <<< ${rule()}`, '--file=f', '--fi f', '--makefile=d/g', '--mak=f', '-sf f',
          '-kf d/g', () => `-f /dev/stdin <<< ${rule()}`, () => `SHELL=${source.program()}`, () => `MAKEFLAGS=--eval=${rule()}`,
          () => `MAKEFLAGS=f`, () => `.SHELLFLAGS='-c ${source.program()};'`, () => `CC=${source.program()} x.o`,
          () => `X:=${source.quote(`$(shell ${source.program()})`)}`, () => `X!=${source.program()}`, () => `X::=${rule()}`,
          () => `'X =a' one`, () => `X+=${source.quote(`;${source.program()}`)}`,
          () => `CI=${source.quote(`$(shell ${source.program()})`)}`, () => `LANG=${source.quote(`; ${source.program()}`)}`,
          () => `MAKEFILES=f`, '-j2f', '-l2', '-W', () => `-W${source.file()} -t`, () => `-t ${source.file()}`,
          () => `one -t ${source.file()}`, '-Bt', '--what-if=f', '--new-file f', '--assume-old=one', '--old-fi one',
          '--output-sync=target', '--shuffle', '-L', '-I.', '--include-dir=d', () => `CI!=${source.program()}`,
          () => `CI:=$(${source.program()})`,
        ],
      ),
    );
    return `${source.maybe(0.1, () => source.one(['CI=1 ', 'X=1 ', 'LANG=C ']))}make ${words.join(' ')}`;
  }

  // prettier-ignore
  find(): string {
    const { source } = this;
    const ended = (): string => source.choose([' \\;', ' +', " ';'"], ['', ' ;', ' {} +', ' + {} \\;', ' "+"', ' {}+', ' {} \\; -o',
      ' {} ";"', " {} ';' -print", ' {} + -exec id {} +', ' a+ +', ' {} + \\;', ' \\\\;']);
    const exec = (): string => `${source.choose(['-exec'], ['-execdir', '-ok', '-okdir', '-exec'])} ${this.command()} ${source.choose(['{}'], ['', 'a{}', '{}/x', '-{}', '"{}"', "'{}'", '{} {}', '\\{\\}', '{}{}', '{} x', '-n{}'])}${ended()}`;
    const tests = source.some(0, 3, () =>
      source.choose(
        ['-type f', "-name 'f*'", '-print', '-maxdepth 1', '-name g', '!  -name x', '-empty', '-print0', exec, exec],
        [
          exec, '-delete', () => `-fprint ${source.file()}`, () => `-fprint0 ${source.file()}`, () => `-fprintf ${source.file()} %p`,
            () => `-fls ${source.file()}`, '-o', '-a', '-not', ',', '\\(', '\\)', '-prune', '-quit', '-regex .*', '-newer f', '-size +1',
            '-perm -1', "-printf '%p\\n'", '-ls', '-files0-from f', '-files0-from -', '-D exec', '-O3', '-true', '-daystart', '-follow',
            () => `-name ${source.quote(source.danger())}`, '-name -delete', () => `-path ${source.one(['-exec', '-fprint', '-delete'])}`,
            () => `-printf ${source.quote(source.danger())}`, '$y', '"$y"', '*', '-ilname -exec', '-mmin -1', '-depth', '-xdev',
            '-execdir cat {} +', () => `-newer -fprint ${source.file()}`, () => `-fprintf -exec ${source.program()} \\;`,
            () => `-fprint -exec ${source.program()} \\;`, '-regextype sed', '-context -delete', '-samefile f', '-used 1', '-noleaf',
            '-wholename f', '-uid 0', '-fstype tmpfs', '-type f,d',
        ],
      ),
    );
    return `find ${source.choose(['.', 'd', 'f', ''], ['-L .', '-P d', './d -mindepth 1', '. d', '/workspace', '-H .', '-- .', '-O1 .', '-D tree .', '../workspace', '-O .', '-D .', '-D -delete .', '-D -exec d'])} ${tests.join(' ')}`;
  }

  // prettier-ignore
  xargs(): string {
    const { source } = this;
    const input = source.choose(['ls', 'echo a b', 'cat f', () => `echo ${source.program()}`, "printf 'a\\0b'"], ['',
      () => `printf '%s\\n' ${source.quote(`-exec ${source.program()} ;`)}`,
      () => `echo ${source.quote(`"--expression=1e ${source.program()}"`)}`,
      () => `printf ${source.quote(source.danger().replaceAll('%', ''))}`, 'echo f']);
    const options = source.some(0, 2, () =>
      source.choose(['-n1', '-r', '-0', '-t', '-I{} ', '-n 2', '-P2'], ['-I', '-I % ', '-i', '-iX', '-J', '-l', '-l1', '-L1', '-e', '-eX',
      '-E a', "-d '\\n'", '-d,', '-a f', '-a', '--arg-file=f', '--replace', '--replace=X', '--repl', '-x', '-p', '-o', '--', '-s 100',
      '--max-args=1', '--max-args 1', '-rn1', '-0I{}', '-tI %', '--process-slot-var=PATH', '--process-slot-var X', '--show-limits',
      '--null', '--delim=,', '-IX', '--max-lines', '--max-lines=1', '--exit', '--interactive', '--eof', '--eof=a', '-i{} ', '-P0',
      '-r0n1', '-n', '--max-chars=50', '--open-tty', '--verb', '--no-run']),
    );
    const command = source.choose([() => this.command()], ['', '{}', 'sh', 'bash', '$x', 'X', '%', () => `${source.program()} {} %`,
      () => `bash -c ${source.quote(`${source.program()} {}`)}`, () => `sh -c ${source.quote('{}')}`,
      () => `sh -c ${source.quote('$0 "$@"')}`, () => `bash -c ${source.quote('"$@"')} x`, 'sh -c', 'env', 'env -i', 'nice', 'timeout 1',
      'xargs', 'find . -name', 'find', 'sed', 'sed -n p', 'awk 1', 'awk', 'make', 'sort -o out', 'command', 'builtin echo', 'nohup',
      'uniq', 'uniq f', 'find .', 'bash -c {}', 'find . -name X', 'sed -e {}', 'sort', 'sort --', 'sed p --']);
    return `${input === '' ? '' : `${input} | `}xargs ${[...options, command].join(' ')}${source.maybe(0.2, ' {}')}`;
  }

  // prettier-ignore
  sort(): string {
    const { source } = this;
    const words = source.some(0, 4, () => source.choose(['f', '-r', '-u', '-n', '-k1', '-k 2', '-t:', 'g.txt', '-ru'],
      [() => `-o ${source.file()}`, () => `-o${source.file()}`, () => `-uo ${source.file()}`, () => `--output=${source.file()}`,
      () => `--output ${source.file()}`, () => `--out=${source.file()}`, () => `--o ${source.file()}`, () => `-t o -o ${source.file()}`,
      () => `-to ${source.file()}`, () => `-k1o ${source.file()}`, () => `-nro${source.file()}`, () => `-ko ${source.file()}`, '-c', '-m',
      '-C', '-s', '-z', '-S1b', '-S 1M', '-T d', '-T.', '--', () => `-- -o ${source.file()}`,
      () => `--compress-program=${source.program()} -S1b`, () => `--compress-prog ${source.program()} -S1b`, '--files0-from=f',
      '--batch-size=2', '--parallel=1', '--debug', '-R', '--random-source=f', '-h', '-V', '--version', '-', () => `f -o ${source.file()}`,
      () => `-S o -o ${source.file()}`, () => `-To${source.file()}`, '+1', '+1 -2', '--key=1', '--key 1', '--field-separator=o',
      () => `-S1 -o${source.file()}`, '-y', () => `-yo ${source.file()}`, '*', '--check', '--check=quiet', '--sort=general',
      '--sort general', () => `--output=d/${source.file()}`, '--temp d', () => `-zo${source.file()}`]));
    return `sort ${words.join(' ')}`;
  }

  // prettier-ignore
  uniq(): string {
    const { source } = this;
    const words = source.some(0, 3, () => source.choose(['f', '-c', '-d', '-u', '-i'], [() => source.file(), '-f 1', '-f1', '-s1', '-w 3',
      '-z', '--', '-', '-1', '+1', '-D', '--all-repeated=none', '--group', '--count', '--skip-fields=1', '--skip-fields 1',
      '--skip-chars 1', '--check-chars 1', '--ski 1', '-cd', '-cf 1', '-f', '-dw2', '*', '--version', '"$x"', '--rep', '--uni',
      () => `f ${source.file()}`, () => `- ${source.file()}`, () => `-- f ${source.file()}`, () => `-f f ${source.file()}`,
      () => `--skip-fields f ${source.file()}`, () => `f -- ${source.file()}`, () => `f -c ${source.file()}`, () => `+1 ${source.file()}`,
      () => `-f 1 f ${source.file()}`, () => `-1 f ${source.file()}`]));
    return `uniq ${words.join(' ')}`;
  }

  // prettier-ignore
  shell(): string {
    const { source } = this;
    const shell = source.choose(['bash', 'sh'], ['dash', 'bash', '/bin/sh', '/usr/bin/bash', 'command bash', 'rbash']);
    const flags = source.some(0, 2, () => source.choose(['-e', '-u', '-x'], ['-ex', '--', '-', '-o pipefail', '+e', '-n', '-v', '--norc',
      '--noprofile', '--posix', '-O extglob', '+O extglob', '-o', '-c', '-i', '-l', '-s', '-k', '-a', '-p', '-r', '--rcfile f',
      '--init-file f', '-D', '--dump-strings', '--login', '--version', '--debugger', '--verbose', '-f', '-b', '-m', '-t', '-h', '-B', '-H',
      '-P', '-T', '-E', '-C', '-oc', '+c', '-eo pipefail', '-euxo pipefail', '-o posix', '-o errexit -e', '--help', '-O expand_aliases',
      '-ceu', '-o allexport']));
    const code = (): string => source.quote(source.choose([() => this.line(), () => `${source.program()}; ${source.program()} a`], ['"$@"',
      '$0', '$1 a', () => `[[ a && ${source.program()} ]]`, () => `((a||${source.program()}))`,
      () => `echo $'\\'; ${source.program()}; #'`, () => `x=${source.danger()}`, () => `cat <<< ${source.program()}`,
      () => `a=(${source.program()})`, () => `function ${source.program()} { :; }`, () => `echo {a,${source.program()}}`,
      () => `echo $"${source.danger()}"`, () => `echo a &> ${source.file()}`, () => `echo a >& ${source.file()}`,
      () => `echo a |& ${source.program()}`, () => `time ${source.program()}`, () => `select x in a; do ${source.program()}; done`,
      () => `echo \${x/a/${source.danger()}}`, () => `echo $[${source.program()}]`, () => `! ${source.program()}`,
      () => `echo a &>>${source.file()}`, () => `coproc ${source.program()}`, () => `{fd}>${source.file()} echo`,
      () => `echo {fd}>${source.file()}`, () => `: \${x:='${source.danger()}'}`, () => `case a in (a) ${source.program()};& esac`,
      () => `echo \${x^${source.danger()}}`, () => `echo \${x:1:${source.danger()}}`, () => `[[ -n a ]] && ${source.program()}`,
      () => `export A=${source.danger()}`, () => `echo "\${x:-'${source.danger()}'}"`, () => `echo 10>${source.file()}`,
      () => `echo a >| ${source.file()}`, () => `cat <<-E\n\t${source.danger()}\n\tE\n`]));
    return source.choose([`${shell} ${flags.join(' ')} -c ${code()}`],
      [() => `${shell} -c ${flags.join(' ')} ${code()} ${source.program()}`, () => `${shell} -c ${code()} ${code()} a`,
      () => `${shell} ${flags.join(' ')}`, `${shell} f`, `${shell} d/g a`, `${shell} <f`, () => `${shell} -c -- ${code()}`,
      () => `${shell} -e${source.one(['c', 'uc', 'xc'])} ${code()}`, () => `${shell} <<< ${code()}`, () => `${shell} -s <f`,
      () => `${shell} <<'E'\n${source.program()}\nE\n`, () => `${shell} -c${code()}`, () => `echo ${code()} | ${shell}`,
      () => `${shell} /dev/stdin <f`, () => `${shell} --rcfile f -c ${code()}`, () => `${shell} -O extglob -c ${code()}`]);
  }

  // prettier-ignore
  wrapped(): string {
    const { source } = this;
    const wrapper = source.choose(
      ['env', 'nice', 'timeout 1', 'nohup', 'command', 'nice -n 5', 'env A=1', 'time'],
      ['env -i', 'env -', 'env -u A', 'env --unset=A', 'env -S', () => `env -S ${source.quote(`${source.program()} a`)}`,
      () => `env -vS${source.quote(source.program())}`, () => `env --split-string=${source.program()}`, 'env -C d', 'env --chdir=d',
      'env -0', 'env --', 'env -i A=1 B=2', 'env -u', 'env --block-signal', 'env -v', 'env --ignore-env', 'env --ign -u A', 'env "$x"',
      'env A="$x"', 'env =a', 'env a.b=1', 'env -iu A', 'nice -5', 'nice -n5', 'nice --5', 'nice --adjustment=5', 'nice --adj 5',
      'nice -n', 'nice -n -5', 'nice +5', 'nice -1 -2', 'timeout -s 9 1', 'timeout -k 1 1', 'timeout --signal=9 1', 'timeout -v 1',
      'timeout --foreground 1s', 'timeout 1 --', 'timeout -- 1', 'timeout --pres 1', 'timeout', 'timeout -s9 1', 'timeout -k',
      'timeout --kill-after 1 1', 'nohup --', 'nohup nice', 'command -p', 'command --', 'command -v', 'command -V', 'command -pv',
      'command -vp', 'builtin', 'builtin command', 'exec', 'exec -a x', 'time -p', 'time --', 'time -v', 'time -o out', 'time -p -p',
      'time time', '! !', '! time', 'time !', 'command time', '\\time', 'env time', 'sudo', 'sudo -u x', 'setsid', 'stdbuf -oL',
      'xargs -r', '/usr/bin/env', '/bin/nice', 'env env', 'nice nice', '"env"', 'e\\nv', 'command command', 'command builtin',
      'command -p -p', 'stdbuf -o L', 'coproc'],
    );
    return `${source.maybe(0.05, 'A=1 ')}${wrapper} ${source.choose([() => this.command()], [() => this.line(), '', () => `A=1 ${source.program()}`, () => `-- ${source.program()}`, () => `-x ${source.program()}`, () => `"$x" ${source.program()}`, () => `$x ${source.program()}`, 'cd d', () => `printf -v x a`, () => `test -v 'a[$(${source.program()})]'`])}`;
  }

  /** Filters that only read, with words that could be taken for something else. */
  // prettier-ignore
  filter(): string {
    const { source } = this;
    const program = source.pick(['cat', 'grep a', 'head', 'tail', 'tr a b', 'cut -c1', 'wc', 'true', 'grep -r a', 'ls', 'git diff',
      'npm test']);
    const words = source.some(0, 3, () => source.choose(['f', '-n1', 'g.txt'], [() => source.quote(source.danger()), '-', '--', '*',
      '-f f', '-o out', '$x', '-l', '{f,g.txt}', '--help']));
    return `${program} ${words.join(' ')}`;
  }
}
