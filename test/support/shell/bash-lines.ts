import { BashWords } from './bash-words.js';
import type { LineSource } from './line-source.js';

/** Lines from the grammar of bash. */
export class BashLines {
  private readonly words: BashWords;
  /** Bodies of here-documents that the next newline brings. */
  private bodies: string[] = [];

  constructor(private readonly source: LineSource) {
    this.words = new BashWords(source, () => this.inner());
  }

  line(): string {
    const { source } = this;
    if (source.chance(0.3)) return this.focused() + this.flushed();
    const parts = source.some(1, 3, () => this.command());
    const joined = parts.reduce((line, part) => line + this.separator() + part);
    return joined + source.maybe(0.1, () => ` # ${source.danger().replaceAll('\n', ' ')}`) + this.flushed();
  }

  /** What stands in a substitution or a body: shorter. */
  private inner(): string {
    const { source } = this;
    const outer = this.bodies;
    this.bodies = [];
    const made = source.choose(
      [() => this.simple(), () => `${source.program()} a`],
      [() => this.command(), () => this.simple() + this.separator() + this.simple()],
    );
    const whole = made + this.flushed();
    this.bodies = outer;
    return whole;
  }

  // prettier-ignore
  private separator(): string {
    const { source } = this;
    if (this.bodies.length > 0 && source.chance(0.7)) return this.flushed();
    return source.choose(['; ', ' && ', ' || ', ' | ', '\n'], [';', '&&', '|', ' |& ', ' & ', '&', ' &&\n', '\n\n', '\\\n;', ' |\\\n',
      ' && \\\n ', ';\n']);
  }

  private flushed(): string {
    if (this.bodies.length === 0) return '';
    const text = `\n${this.bodies.join('')}`;
    this.bodies = [];
    return text;
  }

  private command(): string {
    const { source } = this;
    return source.nested(
      () =>
        source.choose(
          [() => this.simple(), () => this.simple(), () => this.simple(), () => this.heredoc()],
          [() => this.compound(), () => this.compound(), () => this.heredoc(), () => this.simple()],
        ),
      () => this.simple(),
    );
  }

  // prettier-ignore
  private compound(): string {
    const { source, words } = this;
    const script = (): string => this.command() + this.flushed();
    return source.one([
      () => `(${script()})`,
      () => `( ${script()} )${this.redirect()}`,
      () => `{ ${script()}; }`,
      () => `{ ${script()}\n}${this.redirect()}`,
      () => `if ${script()}; then ${script()}; fi`,
      () => `if ${script()}; then ${script()}\nelse ${script()}; fi`,
      () => `for i in ${words.word()} b; do ${script()}; done`,
      () => `for i in a b\ndo ${script()}\ndone`,
      () => `for ((i=0;i<2;i++)); do ${script()}; done`,
      () => `while ${script()}; do ${script()}; break; done`,
      () => `until ${script()}; do break; done`,
      () => `case ${words.word()} in ${words.word()}) ${script()};; *) ${script()};; esac`,
      () => `case a in (a|${words.word()}) ${script()};& b) ${script()}\nesac`,
      () => `[[ ${words.word()} == ${words.word()} ]]`,
      () => `[[ ${words.word()} =~ ${source.one([() => words.word(), 'a|b', '(a)', () => `(${source.danger()})`, () => `a\\ ${source.danger()}`])} ]]`,
      () => `[[ -f ${words.word()} && ! ( ${words.word()} < b ) ]]`,
      () => `((${source.one(['i++', '1', 'i<3', () => `'${source.danger()}'`, () => `a[${source.danger()}]`])}))`,
      () => `! ${script()}`,
      () => `time ${script()}`,
      () => `time -p -- ${script()}`,
      () => `select i in a; do ${script()}; done`,
      () => `x=${words.word()}; ${script()}`,
    ]);
  }

  // prettier-ignore
  simple(): string {
    const { source, words } = this;
    const program = source.choose(
      ['echo', 'ls', 'cat', 'git status', 'npm test', 'printf %s', () => source.program(), ':'],
      [
        'test -n', '[ a =', 'cd', 'bash -c', 'sh -c', 'env', 'xargs', 'command', 'builtin echo', 'nice', 'timeout 1', 'find . -name',
        'set --', 'true', 'read', 'export', 'local', 'declare', 'eval', 'exec',
        () => `'${source.program()}'`, () => `"${source.program()}"`, () => `\\${source.program()}`,
        () => source.program().split('').join('\\\n'), () => source.program().split('').join("''"), () => `$'${source.program()}'`,
        () => `./${source.program()}`, () => `/usr/bin/${source.program()}`,
        () => `CI=${words.word()} ${source.program()}`, () => `a=${words.word()} ${source.program()}`, () => `a=${words.word()}`,
        () => `a+=${words.word()}`, () => `a[${words.word()}]=1`, () => `a=(${words.word()})`,
      ],
    );
    const args = source.some(0, 3, () => source.choose([() => words.word()], [() => words.word() + this.redirect(),
      () => this.redirect()]));
    const gap = (): string => source.choose([' '], ['  ', '\t', '\\\n', ' \\\n ', '\\\n\\\n', ' ']);
    return args.reduce((line, arg) => line + gap() + arg, program) + source.maybe(0.25, () => this.redirect());
  }

  // prettier-ignore
  redirect(): string {
    const { source, words } = this;
    const target = (): string => source.choose(['out', './out', 'd/out', '/dev/null', '"out 1"', '/tmp/out'], [() => words.word(),
      () => source.file(), '&1', '$x', '../out', 'out\\\n2', '{a,b}', '*.none', '-', '1', '/dev/tcp/x/1', '/dev/stdout', '/dev/fd/1',
      "''"]);
    return source.choose(
      [() => ` > ${target()}`, () => ` >> ${target()}`, () => ` <f`, ' 2>&1', ' 2>/dev/null', () => ` >${target()}`,
        () => ` <<< ${words.word()}`],
      [
        () => `>${target()}`, () => ` 2> ${target()}`, () => ` &> ${target()}`, () => `&>>${target()}`, () => ` >| ${target()}`,
        () => ` <> ${target()}`, () => ` >& ${target()}`, () => `>&${target()}`,
        () => ` <${target()}`, () => ` {fd}>${target()}`, () => ` 3>${target()}`, () => ` 12>&${target()}`, () => `1>${target()}`,
        () => `a1>${target()}`, () => ` "1">${target()}`, () => ` \\1>${target()}`, () => ` 1\\\n>${target()}`, () => `>\\\n${target()}`,
        () => ` > \\\n ${target()}`, () => ` >\\\n>${target()}`, ' 3>&-', ' <&-', () => ` > >(${this.inner()})`,
        () => ` < <(${this.inner()})`, () => ` 1>(${source.program()})`, () => ` <<<${words.word()}`, () => ` {x>${target()}`,
        () => ` {1}>${target()}`, () => ` 1<>${target()}`, () => ` &>\\\n${target()}`, () => ` >&\\\n${target()}`,
        () => `<<\\\n<${words.word()}`,
      ],
    );
  }

  /** A command with a here-document; its body comes with the next newline. */
  // prettier-ignore
  private heredoc(): string {
    const { source } = this;
    const [written, end, ...others] = this.delimiter();
    const tabs = source.chance(0.25);
    const lines = source.some(0, 3, () => this.bodyLine(end));
    const last = source.choose(
      [end],
      [`\t${end}`, `${end} `, `${end})`, ` ${end}`, `\\\n${end}`, `${end}\\`, `${end.slice(0, 1)}\\\n${end.slice(1)}`, ''],
    );
    const close = last === end || (tabs && last === `\t${end}`) || source.chance(0.3) ? [last] : [last, end];
    // Where the body ends for another reader, who took another delimiter from the same text: commands stand between those ends.
    for (const other of others) close.push(`${source.program()} b`, other);
    this.bodies.push([...lines, ...close].map((line) => `${tabs && source.chance(0.5) ? '\t' : ''}${line}\n`).join(''));
    const program = source.choose(['cat', () => source.program()], ['cat f -', 'sed -n p', 'wc', 'bash', 'sh', 'xargs', 'cat 3',
      () => `cat >${source.file()}`]);
    const operator = source.choose([' <<', ' << '], ['<<', ' 3<<', ' <<\\\n', ' <<\t']);
    const after = source.maybe(0.3, () =>
      source.one([' a', () => this.redirect(), () => ` | ${source.program()}`, () => ` && ${source.program()}`]),
    );
    return `${program}${operator.replace('<<', tabs ? '<<-' : '<<')}${written}${after}`;
  }

  /** As it is written, the line that ends the body if bash reads it as we think, and lines that end it for others. */
  // prettier-ignore
  private delimiter(): readonly [string, string, ...string[]] {
    const { source } = this;
    const plain = [['E', 'E'], ['EOF', 'EOF'], ["'E'", 'E'], ['"E"', 'E'], ['\\E', 'E']] as const;
    if (!source.chance(Math.max(0.15, source.wildness))) return source.pick(plain);
    const inside = source.program();
    return source.pick([
      ['E"F"', 'EF', 'E"F"', 'E'], ["E'F'G", 'EFG', 'E'], ['$E', '$E', ''], ['"$E"', '$E', ''], ['${E}', '${E}', ''], ['E\\ F', 'E F', 'E'],
      ["''", '', "''"], ['""', '', '""'], ['"E F"', 'E F', 'E'], ["$'E'", 'E', '$E', "$'E'"], ["$'E'", "$'E'", 'E'], ['$"E"', 'E', '$E',
        '$"E"'],
      ["$'\\x45'", 'E', "$'\\x45'", '\\x45'], ['E\\\nF', 'EF', 'E'], ['"E\\\nF"', 'EF', 'E'], ["'E\\\nF'", 'E\\', 'EF'], ['-E', '-E', 'E'],
      ['E#', 'E#', 'E'], ['E #', 'E', 'E #'], ['E;', 'E', 'E;'], ['E|a', 'E', 'E|a'], ['E&', 'E', 'E&'], ['E>out', 'E', 'E>out'], ['E<f',
        'E'],
      ['{E,F}', '{E,F}', 'E'], ['*', '*'], ['~', '~', '/home/user'], ['"E', 'E'], ['E\\', 'E'], ["'E\nF'", 'E', 'F'], ['!', '!'], ['E}',
        'E}', 'E'],
      ['\\$E', '$E', '\\$E'], ["E$'F'", 'EF', 'E$F', "E$'F'"], ['$((1))', '$((1))', '1'], ['$((1 + 2))', '$((1 + 2))', '$((1', '3'],
      ['${x:-E}', '${x:-E}', 'E'], ['${x:-E F}', '${x:-E F}', '${x:-E', 'E F'], ["'E'\"F\"\\G", 'EFG', 'E'], ['E)', 'E', 'E)'], ['E(a)',
        'E'],
      [`$(${inside})`, `$(${inside})`, '$('], [`$(${inside} a)`, `$(${inside} a)`, `$(${inside}`], [`$(${inside};a)`, `$(${inside};a)`,
        `$(${inside}`],
      [`"$(${inside} a)"`, `$(${inside} a)`, `$(${inside}`], [`\`${inside}\``, `\`${inside}\``], [`\`${inside} a\``, `\`${inside} a\``,
        `\`${inside}`],
      [`E$(${inside} a)F`, `E$(${inside} a)F`, 'EF', `E$(${inside}`], [`<(${inside} a)`, `<(${inside} a)`, `<(${inside}`],
        [`$(${inside}\na)`, `$(${inside}`, 'a)'],
      [`'$(${inside}'`, `$(${inside}`], ['E""', 'E', 'E""'], ["E''", 'E', "E''"], ['E\\\\', 'E\\', 'E'], ['[E]', '[E]'], ['E"$x"', 'E$x',
        'E'],
    ] as const);
  }

  /** A plain line with one construct in which quotes and expansions meet. */
  private focused(): string {
    const { source, words } = this;
    const expansion = (): string => words.parameter(true);
    return source.one([
      () => `echo "${expansion()}"`,
      () => `echo ${words.parameter(false)} a`,
      () => `echo "a ${expansion()} b" ${words.word()}`,
      () => `cat <<E\n${expansion()}\nE`,
      () => `cat <<E\na "${expansion()}" b\nE`,
      () => `cat <<E\n${this.bodyLine('E')}\nE\n${source.program()}`,
      () => `cat <<-E\n\t${this.bodyLine('E')}\n\tE\nls`,
      () => `echo "$(cat <<E\n${this.bodyLine('E')}\nE\n)"`,
      () => `echo "$(echo "${expansion()}")"`,
      () => `echo ${words.substitution()}`,
      () => `echo "${words.substitution()}"`,
      () => `echo ${words.backquoted()}`,
      () => `echo "${words.backquoted(true)}"`,
      () => `x=${words.word()}; echo a`,
      () => `x="${expansion()}"; echo $x`,
      () => `[[ a == ${words.word()} ]] && ls`,
      () => `[[ "${expansion()}" =~ ${words.parameter(false)} ]] && ls`,
      () => `case "${expansion()}" in ${words.word()}) ls;; esac`,
      () => `for i in ${words.word()}; do ls; done`,
      () => `cat <<< ${words.word()}`,
      () => `ls > ${words.word()}`,
      () => `echo ${words.arithmetic()}`,
      () => this.heredoc() + this.flushed() + source.program(),
      () => this.heredoc() + this.flushed() + source.program(),
      () => `echo "$(${this.heredoc()}${this.flushed()})"`,
      () => `{ ${this.heredoc()}${this.flushed()}}`,
    ]);
  }

  // prettier-ignore
  private bodyLine(end: string): string {
    const { source, words } = this;
    return source.choose(
      ['a', 'b c', '$x', "it's", '', () => words.double(), () => source.danger().replaceAll('$', '\\$').replaceAll('`',
      '\\`').replaceAll('\n', ' ')],
      [
        () => `'${source.danger()}'`, () => `\\${source.danger()}`, () => `\\\\${source.danger()}`, () => `"${source.danger()}"`,
        () => source.danger(),
        () => words.parameter(true), () => `\${x:-'${source.danger()}'}`, () => `\${x:-"${source.danger()}"}`,
        () => `\${x:-$'${source.danger()}'}`, () => `"\${x:-'${source.danger()}'}"`, () => words.backquoted(), () => words.arithmetic(),
        () => words.substitution(),
        '\\', 'a\\', () => `${end}x`, () => `${end} # x`, () => `a\\\n${end}`, () => `$(cat <<${end}\n${source.program()}\n${end}\n)`, "'",
        '"', '`', '$(', '${', () => `\${x:-\n${source.program()}}`, () => `\${x#'${source.danger()}'}`,
        () => `\${x/'${source.danger()}'/b}`,
      ],
    );
  }
}
