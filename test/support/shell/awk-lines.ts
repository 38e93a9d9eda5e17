import type { LineSource } from './line-source.js';

/** Lines from the grammar of mawk: divisions and regular expressions, strings, escapes and line ends, between which code changes sides. */
export class AwkLines {
  constructor(private readonly source: LineSource) {}

  // prettier-ignore
  line(): string {
    const { source } = this;
    const quoted = (): string => source.quote(this.program());
    const options = source.some(0, 2, () =>
      source.choose(
        ['-F:', '-F ,', '-v n=3', '-vn=3'],
        ['--', '-F', '-f f', '-W version', '-Winteractive', '-W dump', '-We x', '-W sprintf=10', '-W exec=f', '-We', '-W posix_space',
        '--version', '--dump', '--help', '-W usage', '-W random=1', '-v', '-', "-F '|'", "-F '$(q0)'", "-v 'x=\\\"'",
        () => `-f ${source.file()}`, '--field-separator=:', '--assign=n=1', '-e', '-E', '-n', '-vx=1 --', "-F '\\\\'", '-Wi',
        '-W random', '-i', '-F: --', '-W exec', '--traditional'],
      ),
    );
    const files = source.some(0, 2, () => source.choose(['f', 'g.txt'], ['-', 'x=1', 'n=2', '-f', '--', '-v', '*', '"$x"', 'd', 'FS=:',
      'f -f f', '/dev/stdin', 'x=\\n', '-F:', './f']));
    return [source.choose(['awk'], ['mawk', 'awk']), ...options, source.choose([quoted], [() => `-- ${quoted()}`,
      () => `-f d/g ${quoted()}`, () => `${quoted()} ${quoted()}`, '"$x"', () => `-f- <<< ${quoted()}`,
      () => `-f /dev/stdin <<'E'\n${this.program()}\nE\n`]), ...files].join(' ');
  }

  /** What must not happen unlisted. */
  // prettier-ignore
  private active(): string {
    const { source } = this;
    return source.one([
      () => `system("${source.program()}")`, () => `print | "${source.program()}"`, () => `print > "${source.file()}"`,
      () => `print >> "${source.file()}"`, () => `"${source.program()}" | getline`,
      () => `while (("${source.program()}" | getline x) > 0) y`, () => `getline x < "/etc/hosts"`,
      () => `printf "x" > "${source.file()}"`, () => `printf("x") | "${source.program()}"`, () => `system ("${source.program()}")`,
      () => `print("x")>"${source.file()}"`, () => `print "a","b" > ("${source.file()}")`, () => `print $1, $2 > $1 "${source.file()}"`,
      () => `getline < "/etc/hosts"`, () => `sys\\\ntem("${source.program()}")`, () => `print "a" ; print "b" > "${source.file()}"`,
      () => `print a[1] > "${source.file()}"`, () => `if (1) print > "${source.file()}"; else print`,
      () => `print (1)(2) > "${source.file()}"`, () => `print -1 " " -1 > "${source.file()}"`,
      () => `printf "%s", $0 >> "${source.file()}"`, () => `print\\\n> "${source.file()}"`,
    ]);
  }

  // prettier-ignore
  private program(): string {
    const { source } = this;
    if (source.chance(0.35)) return this.focused();
    const rules = source.some(1, 3, () => this.rule());
    return rules.reduce((program, rule) => program + source.choose(['\n', ' ', ';'], ['', ' # x\n', '\n\n', ';\n', '\\\n', '\r\n',
      () => `# ${this.active()}\n`]) + rule);
  }

  /** Little but a slash or a quote that readers may take in two ways, and active code behind it. */
  // prettier-ignore
  private focused(): string {
    const { source } = this;
    const pattern = (): string =>
      source.one(['1', 'NR==1', '$1', 'x', 'NF', '$1 == 1', '"a"', '(1)', 'a[1]', 'i++', '/a/', 'BEGIN {}', '{ print }', '{ x = 1 }',
        'f(1)', 'length', '!x', '1,2', 'getline', 'NR==1 # x', '1;', '-1', '.5', '1e3', 'x ~ /a/', 'x ? 1 : 2', '$NF--']);
    const slashes = (): string => source.one(['/"/', '/#/', '/[/]"/', '/\\"/', '/a"/', '/=/', '/="/', '/[/"]/', '/"[/]/', '/\\/"/', '/ "/',
      '/"/, /"/']);
    const end = (): string => source.one([' #"', ' # "', '', ' #"/', '\n#"', ' "/"', ';"', ' #/']);
    const gap = (): string => source.one(['\n', '\n\n', ' ', ';', ';\n', ' # x\n', '\\\n', '', '\n#"\n', ' && ', ', ', '\n!']);
    return source.one([
      () => `BEGIN { ${this.trap()} }`,
      () => `{ ${this.trap()}\n}`,
      () => `${pattern()}${gap()}${slashes()} { ${this.active()} }${end()}`,
      () => `${pattern()}${gap()}${slashes()} { ${this.active()} }${end()}\n`,
      () => `BEGIN { x = ${pattern()}${gap()}${slashes()}; ${this.active()} }${end()}`,
      () => `{ x = ${pattern()} ${slashes()}${gap()}${this.active()}${end()}\n}`,
      () => `{ if (${pattern()})${gap()}${slashes()}; ${this.active()} }${end()}`,
      () => `{ print ${pattern()} ${slashes()} ${pattern()} > "${source.file()}" }${end()}`,
      () => `{ print "a${source.one([';', '\\"', '\\\\', '\\\n', '}', '\n', '#', '/'])}"${source.one(['', ' ', ', 1', ' "b"', '\\\n'])} > "${source.file()}" }`,
      () => `{ print a[${source.one(['1', '";"', '"}"', 'x;', '/;/'])}] > "${source.file()}" }`,
      () => `{ printf("%s;${source.one(['', '\\n', '}'])}", $0) ${source.pick(['>', '>>', '|'])} "${source.file()}" }`,
      () => `{ print (1 > 2) ${source.pick(['>', '>>', '|'])} "${source.file()}" }`,
    ]);
  }

  // prettier-ignore
  private rule(): string {
    const { source } = this;
    const pattern = source.choose(
      ['', 'BEGIN', 'END', 'NR==1', () => `/${this.regex()}/`, () => this.expression(), 'NR==1,NR==2'],
      [() => `!/${this.regex()}/`, () => `$1 ~ /${this.regex()}/`, 'function g(a, b)', () => `/${this.regex()}/,/${this.regex()}/`,
        () => `NR / 2 / 1`, () => `/${this.regex()}/ && /${this.regex()}/`, () => `(/${this.regex()}/)`, 'BEGIN ', 'END\\\n', 'func h()'],
    );
    const body = source.choose([() => `{${this.statements()}}`], [() => `{ ${this.statements()}\n}`, () => `{\n${this.statements()};}`, '',
      () => `{${this.active()}}`, '{}', () => `{{${this.statements()}}}`]);
    return pattern + source.maybe(0.3, ' ') + (pattern === '' && body === '' ? '1' : body);
  }

  private statements(): string {
    const { source } = this;
    const all = source.some(1, 3, () => this.statement());
    return all.reduce(
      (code, one) =>
        code +
        source.choose(
          ['; ', '\n', ';'],
          [' ', ' ;\n', '\\\n;', ' # x\n', ' ', () => ` # ${this.active()}\n`, '\n\n', ';;', '}{', ' \\\n', ''],
        ) +
        one,
    );
  }

  // prettier-ignore
  private statement(): string {
    const { source } = this;
    return source.nested(
      () =>
        source.choose(
          [() => `print ${this.expression()}`, 'print', () => `x = ${this.expression()}`, () => `printf "%s\\n", ${this.expression()}`,
            () => `if (${this.expression()}) print`, () => `n += ${this.expression()}`, 'next',
            () => `gsub(/${this.regex()}/, ${this.string()})`],
          [
            () => this.trap(), () => this.trap(), () => this.active(),
            () => `if (${this.expression()}) ${this.statement()}; else ${this.statement()}`, () => `for (i in a) ${this.statement()}`,
            () => `for (i = 0; i < 2; i++) ${this.statement()}`, () => `while (n++ < 2) ${this.statement()}`,
            () => `do ${this.statement()}; while (n++ < 2)`, 'exit', 'delete a[1]', 'getline', () => `close(${this.string()})`,
            'fflush()', () => `print(${this.expression()})(${this.expression()})`, () => `print ${this.expression()} > ${this.string()}`,
            () => `print (${this.expression()} > ${this.expression()})`, () => `print ${this.expression()}, ${this.expression()} > 1`,
            () => `a[${this.expression()}] = ${this.expression()}`, () => `${this.expression()} ~ ${this.string()}`,
            () => `sub(${this.string()}, "x")`, () => `split($0, a, /${this.regex()}/)`, () => `print length / 2`,
            () => `print length() /${this.regex()}/`, () => `x = y ? /${this.regex()}/ : /${this.regex()}/`,
            () => `$1 = ${this.expression()}`, 'return', () => `nextfile`, () => `printf ${this.string()} ${this.string()}`,
            () => `print > ${this.string()}`,
          ],
        ),
      'print',
    );
  }

  /** Active code after something that may or may not open or close a string, an expression or a comment. */
  // prettier-ignore
  private trap(): string {
    const { source } = this;
    const before = source.one([
      'x = 1 / 2; ', 'x = NF / "/"; ', 'x = a /"/; ', 'x++ / "/; ', 'x = (1) / "/"; ', 'x = a[1] / "/"; ', '/"/; ', '!/"/; ',
      'x = "\\\\"; ', 'x = "\\""; ', 'x = "#"; ', 'x = /#/; ', 'x = /[/]/; ', 'x = /[/"]/; ', 'x = /\\//; ', 'x = /[\\]/]/; ',
      'x = /"/ "/"; ', 'x = 1 /\n"/; ', 'x = a\n/"/; ', 'x = a\\\n/"/; ', 'x = $1 /"/; ', 'x = length /"/; ', 'print /"/; ',
      'x = y /1/ "/"; ', '# "\n', '#\\\n', 'x = "a\\\nb"; ', 'x = "\\/"; ', 'x = /\\"/; ', 'x = /=/; ', 'x /= 2; ', 'x /="/; ',
      'x = getline /"/; ', 'x = "\\', 'return /"/; ', 'x in a /"/; ', 'x = 1e3 /"/; ', 'x = .5/"/; ', 'x = /[[:alpha:]/]"/; ',
      'x = /[^]/"]/; ', 'x = /[]/"]/; ', 'x = /a[/; ', 'x = /(/; ', '\n/"/ { } ; ', ') /"/; ', '} /"/ {', 'x = NR /"/; ', 'x = -/"/; ',
      'x = i++ /"/ i; ', 'x = f() /"/; ', 'x = a ? /"/ : 1; ', 'x = "\\\\\\""; ', 'x = "//"; ', 'x = 1//2; ',
    ]);
    const after = source.one(['', ' # "', ' #"/', ' #/', ' "/', ' /"/', '; y = "/"', '\n# "', ' #"', '; "/"']);
    return before + this.active() + after;
  }

  // prettier-ignore
  private expression(): string {
    const { source } = this;
    return source.nested(
      () =>
        source.choose(
          ['$1', 'NF', 'n', '"a"', '1', 'NR', () => `${this.expression()} + 1`, () => this.string(), () => `$1 " " $2`, 'length($0)',
          () => `$0 ~ /${this.regex()}/`],
          [() => `${this.expression()} / ${this.expression()}`, () => `/${this.regex()}/`, () => `(${this.expression()})`,
            () => `${this.expression()}/${this.expression()}`, () => `${this.expression()} ${this.expression()}`,
            () => `a[${this.expression()}]`, 'i++', '++i', '-1', '$NF', '$NF/2', '$i++', 'x /= 2', () => `${this.expression()} ? 1 : 2`,
            () => `${this.expression()} && ${this.expression()}`, () => `${this.expression()} || ${this.expression()}`,
            () => `${this.expression()} > ${this.expression()}`, () => `substr($0, 1, ${this.expression()})`, '(1, 2) in a',
            () => `match($0, /${this.regex()}/)`, 'toupper($1)', () => `sprintf("%d", ${this.expression()})`, 'ENVIRON["HOME"]', 'getline',
            () => `"${source.program()}" | getline`, () => `$1 /${this.regex()}/`, '1e3', '.5', '0x1', () => `!/${this.regex()}/`, '@x',
            () => `index($0, ${this.string()})`],
        ),
      'n',
    );
  }

  // prettier-ignore
  private string(): string {
    const { source } = this;
    return `"${source.choose(['a', ' ', '|', '>', 'x y'], ['\\"', '\\\\', '\\/', '#', '/', '\\n', "'", '\\\n', '\\x22', '\\042', '\\', '$(q0)', () => this.active().replaceAll('"', '\\"'), () => this.active(), '/dev/stdout', '/dev/stderr', '-', '{', '\n'])}"`;
  }

  // prettier-ignore
  private regex(): string {
    const { source } = this;
    return source.choose(['a', '^x', 'a|b', '[a-z]', '.*'], ['[/]', '[^/]', '[]/]', '\\/', '\\"', '"', '#', '[[:alpha:]]', '[[:alpha:]/]',
      '[\\]/]', '\\\\', '[', ']', '(', '=', '=a', '\\', ' ', '{', '[\\/]', '', () => `"${this.active()}`, () => this.active(), '\\\n', "'",
      '[a\\]', '[^]/]', '[[/]']);
  }
}
