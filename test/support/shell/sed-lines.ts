import type { LineSource } from './line-source.js';

/** Lines from the grammar of GNU sed: commands that run and write stand where another reading takes them for text. */
export class SedLines {
  constructor(private readonly source: LineSource) {}

  // prettier-ignore
  line(): string {
    const { source } = this;
    const flags = source.some(0, 2, () => source.choose(['-n', '-E', '-r', '-s'], ['-z', '-u', '-b', '--posix', '--debug', '-nE', '-l 5',
      '-l5', '--line-length=3', '--quiet', '--null-data', '--sandbox', '--unbuffered', '--regexp-extended', '--separate',
      '--follow-symlinks', '--silent', '--zero', '--debu', '--', '-nl', '-ns', '-En', '--version', '-sn --']));
    const edit = source.maybe(0.15, () => source.choose(['-i', '-i.bak', '--in-place'], ['-ni', '-iE', '-i -e', '-Ei', '--in-place=.bak',
      '--in-pl', '-i~', '-si', '-ibak_*', '-id/*', '-id/x', "-i ''", '-i=b', '--in-place .bak', '-in', '-is', '-i.b/c', '-E -i.orig']));
    return ['sed', ...flags, edit, ...this.scripts(), ...this.files()].filter((word) => word !== '').join(' ');
  }

  // prettier-ignore
  private scripts(): string[] {
    const { source } = this;
    const quoted = (): string => source.quote(this.script());
    return source.choose(
      [() => quoted(), () => quoted(), () => `-e ${quoted()}`, () => `-e ${quoted()} -e ${quoted()}`],
      [
        () => `-e${quoted()}`, () => `--expression=${quoted()}`, () => `--expression ${quoted()}`, () => `--expr=${quoted()}`,
        () => `--e ${quoted()}`, () => `-ne ${quoted()}`, () => `-- ${quoted()}`, () => `-e ${quoted()} -- ${quoted()}`,
        () => `-e ${source.quote(`${this.script()}\\`)} -e ${quoted()}`,
        () => `-e 'a\\' -e ${source.quote(this.active())}`, () => `-e a -e ${source.quote(this.active())}`,
        () => `-e 'i\\' -e ${quoted()}`, () => `-e '{' -e ${quoted()} -e '}'`, () => `-nf ${quoted()}`, () => `-f f ${quoted()}`,
        () => `-s --expression=${quoted()} -n`, () => `"$e"`, () => `${quoted()} -n -e p`, () => `-e ${quoted()} -f d/g`,
        () => `-Ee ${quoted()}`, () => `-e p -e${quoted()}`, () => `-e "$x" -e ${quoted()}`,
      ],
    ).split('\0');
  }

  // prettier-ignore
  private files(): string[] {
    const { source } = this;
    return source.some(0, 2, () => source.choose(['f', 'f', 'g.txt', 'd/g'], ['./f', '-', '-- f', '-n', '*', '"$x"', '-e', '-s', 'f -i',
      '/dev/null', '-i', '-E', '--', '-nf', "'-e1e hidden_file'", '-e p', '/workspace/f', 'none', '-ie', '/dev/stdin']));
  }

  /** What must not happen unlisted, as it would stand in a script. */
  // prettier-ignore
  active(): string {
    const { source } = this;
    return source.one([
      () => `e ${source.program()}`, () => `1e ${source.program()}`, () => `w ${source.file()}`, () => `w${source.file()}`,
      () => `W ${source.file()}`, () => `s/.*/${source.program()}/e`, () => `s/x*/y/w ${source.file()}`,
      () => `s/x*/y/gw${source.file()}`, () => `r ${source.one(['/etc/hosts', '/home/user/h'])}`, () => `R /etc/hosts`,
      () => `1!e ${source.program()}`, () => `{e ${source.program()}\n}`, () => `/x*/e ${source.program()}`,
      () => `$e ${source.program()}`, () => `s/.*/${source.program()}/;e`, () => `s,.*,${source.program()},ep`,
    ]);
  }

  /** Active text after something that may end what it stands in. */
  // prettier-ignore
  private trap(): string {
    const { source } = this;
    const before = source.one(['', ';', '\n', '}', '};', '/', '/;', ',', '|', '\\', '\\\n', ']', ']/', '\\;', ' ', '#\n', '{', ';;', '\\n',
      '\n\n', '\t', '\r', '\f', '\v', '/p;', 'I', '\\/', '[/]', '\\]/', ':', '"']);
    return before + this.active();
  }

  // prettier-ignore
  private script(): string {
    const { source } = this;
    if (source.chance(0.35)) return this.address() + this.focused();
    const commands = source.some(1, 3, () => this.command());
    return commands.reduce((script, command) => script + source.choose([';', '\n', ' ; '], ['}', ';;', ' ', '\t;', '\n\n', '#\n', '; \n',
      '\r\n', '\\\n', '']) + command);
  }

  // prettier-ignore
  private command(): string {
    const { source } = this;
    return this.address() + source.nested(
      () =>
        source.choose(
          [
            'p', 'd', 'P', 'N', '=', 'q', 'h;G', 'n',
            () => this.substitution(), () => this.substitution(), () => this.text(), () => `y/abc/xyz/`,
            () => `# ${source.one(['x', () => this.active()])}`,
            () => `{${this.script()}}`, () => `{${this.script()};}`, () => `:${this.label()}`, () => `b${this.label()}`,
            () => `w ${source.file()}`, () => 'r f',
          ],
          [
            'x', 'z', 'F', 'l', 'l 3', 'L', 'q5', 'Q', 'Q 1', 'D', 'g', 'H', 'v', 'v 4.2', '}', '{', 'l1', 'q 5;',
            () => this.text(), () => this.text(), () => this.labelled(), () => this.labelled(), () => this.transliteration(),
            () => `w ${source.file()}${this.trap()}`, () => `r f${this.trap()}`, () => `R f ${this.trap()}`,
            () => `w${source.one(['/dev/stdout', ' /dev/stderr', ' /dev/null', '/dev/stdout ', ' d/../out'])}`,
            () => `W ${source.file()} }`, () => `#n${this.trap()}`, () => `#${this.trap()}`, () => `p${this.trap()}`,
            () => `q${this.trap()}`, () => `l ${this.trap()}`, () => `F${this.trap()}`, () => `v${this.trap()}`,
            () => `v ${source.one(['4', 'e', 'a'])} ${this.trap()}`, () => `}${this.trap()}`, () => `{${this.trap()}`,
            () => `!${this.trap()}`, () => this.trap(), () => `w ${source.file()}\\\n${this.active()}`, () => `r\n${this.active()}`,
            () => `w\n${this.active()}`,
          ],
        ),
      'p',
    );
  }

  // prettier-ignore
  private address(): string {
    const { source } = this;
    return source.choose(
      ['', '', '', '1', '$', () => this.regex('/'), '1,2', '2,$'],
      [
        () => this.regex('/'), () => `\\${this.regex(',')}`,
        () => `\\${this.regex(source.one(['|', '%', 'a', '(', '[', ']', '{', '^', '.', '*', ' ', '-', ':', ';', '#', '"', "'", '}', '$', '1', 'x', '\t', '+', '?', '\\', '\n', 'n', 's', 'w', 'e']))}`,
        '1!', '0~2', '1~2', '1,+2', '2,~4', '0,/x/', '1,3!', '1 ', ' 1', '1 , 2', '$!', '1!!', '1! !', '1,', '0', '/x/,/y/', '/x/I',
        '/x/M', '/x/IM', '/x/I,/y/M', '/x/ ', '1,2,3', '//', () => `${this.regex('/')},${this.regex('/')}`,
        () => `${this.regex('/')}${source.one(['I', 'M', ' I', 'MI'])}`, () => `1,${this.regex('/')}`, '1;', '/[/]/', '\n', '~', '2~',
        '+1',
      ],
    );
  }

  /** A regular expression between delimiters, with brackets and escapes in which a delimiter may or may not end it. */
  // prettier-ignore
  private regex(delimiter: string): string {
    const { source } = this;
    const piece = (): string =>
      source.choose(
        ['a', 'x*', '.', '^', 'fixed', '[a-z]', '\\.'],
        [
          `[${delimiter}]`, `[^${delimiter}]`, `[]${delimiter}]`, `[^]${delimiter}]`, `\\${delimiter}`, `\\[${delimiter}`,
          `[\\${delimiter}]`, `[\\]${delimiter}]`, `[[:alpha:]${delimiter}]`, '[[:space:]]', `[[.${delimiter}.]]`, `[[=a=]${delimiter}]`,
          `[a\\]`, '[', ']', '\\[', '\\]', '\\n', '\\\n', '\n', '\\(a\\)', '\\{1,2\\}', '{', '}', `[[:${delimiter}`, `[[.${delimiter}`,
          '[\n]', '[\\n]', '\\\\', `\\\\${delimiter}`, `\\c\\`, `\\c${delimiter}`, `\\c[`, `\\x2f`, `\\x5b`, `\\d047`, `\\o057`,
          `\\o133`, '\\/', '[a', '(', '\\(', '*', '\\+', '|', '\\|', '#', ';', () => `[${this.trap()}`, () => this.trap(),
        ],
      );
    return `${delimiter}${source.some(0, 3, piece).join('')}${delimiter}`;
  }

  // prettier-ignore
  private substitution(): string {
    const { source } = this;
    const delimiter = source.choose(['/', '/', '|', ','], ['#', '%', ';', ' ', 'a', '{', '}', '(', '[', ']', '.', '^', '*', '$', '&', '1',
      "'", '"', '-', '\n', '\\', 's', 'e', 'w', 'n', '\t', '!', ':', '@', '_', '+', '?']);
    const replacement = source.some(0, 2, () => source.choose(['b', '&', '\\1', ''], ['\\n', '\\\n', `\\${delimiter}`, '[', ']', '\\\\',
      '\\L', '\\U&', '\\E', '\n', `[${delimiter}]`, '\\x26', '\\c\\', `\\c${delimiter}`, '\\cA', `\\\\${delimiter}`,
      () => source.program(), () => this.trap()]));
    const flags = source.choose(['', 'g', 'p', 'gp', '2', 'I'], ['gI', 'M', 'm', 'i', '3g', 'g3', 'pp', 'gg', ' g', 'g ', ' ', 'e', 'w',
      'ge', 'pe', () => `w ${source.file()}`, () => `gw ${source.file()}`, () => `w${this.trap()}`, () => `g${this.trap()}`,
      () => `m${this.trap()}`, () => this.trap(), '0', '}', '#', '1 2', ';e', 'Mm', 'we', 'g;']);
    return `s${this.regex(delimiter)}${replacement.join('')}${delimiter}${flags}`;
  }

  // prettier-ignore
  private transliteration(): string {
    const { source } = this;
    const delimiter = source.one(['/', ',', '|', 'a', '[']);
    return `y${delimiter}${source.one(['a', 'ab', `\\${delimiter}`, '\\\\', '\\n', '[x]', `[${delimiter}]`, '\\\n', 'abc'])}${delimiter}${source.one(['b', 'xy', '\\n', '\\\\', `\\${delimiter}`, '[y]'])}${delimiter}${source.one(['', '', 'g', () => this.trap()])}`;
  }

  /** `a`, `i` and `c` in all their forms. */
  // prettier-ignore
  private text(): string {
    const { source } = this;
    const command = source.pick(['a', 'i', 'c']);
    const body = source.choose(['x', 'text', () => this.active()], ['\\', 'x\\', '', ' ', '}', () => `x${this.trap()}`,
      () => `x\\\n${this.active()}`, () => `x\\\\\n${this.active()}`, () => `x\n${this.active()}`, () => `\\${this.active()}`,
      () => `x\\\\\\\n${this.active()}`, () => `}\n${this.active()}`, () => `\\\n${this.active()}`, () => `;${this.active()}`,
      () => ` \\\n  ${this.active()}`]);
    return command + source.choose([' ', '\\\n', '\\'], ['', '\\ ', '\\\n\\\n', '  ', '\t', ' \\\n', '\n', '\\\n\n', '\\\t\n', '\\  \n',
      ' \\', '\\\\', '\\\\\n', '\\\r\n']) + body;
  }

  /** One command that ends where readers may differ, and active text behind it. */
  private focused(): string {
    const { source } = this;
    return source.one([
      () => this.labelled(),
      () => this.labelled(),
      () => this.text(),
      () => `${this.substitution()}${this.trap()}`,
      () => `s${this.regex('/')}b/${this.trap()}`,
      () => `${this.regex('/')}${this.trap()}`,
      () => `y/a/b/${this.trap()}`,
      () => `${source.pick(['w', 'W'])} ${source.file()}${this.trap()}`,
      () => `${source.pick(['r', 'R'])} f${this.trap()}`,
      () => `${source.pick(['p', 'q', 'l', '=', 'n', 'F', 'z', 'v', 'q1', 'l1'])}${this.trap()}`,
      () => `#${this.trap()}`,
      () => `{p${this.trap()}`,
      () => `p;}${this.trap()}`,
    ]);
  }

  // prettier-ignore
  private label(): string {
    return this.source.choose(['a', '', ' a'], ['a b', 'a;', 'a ', ' ', 'a}', '\ta', 'a\\', ':', '#', 'a#', '{', '1', ';', '}', '"']);
  }

  // prettier-ignore
  private labelled(): string {
    const { source } = this;
    const end = source.pick([';', ' ', '\t', '}', '\n', '\v', '\f', ' ;', '\\', '#', ';}', ' }', '; ', '{']);
    return `${source.pick([':', ':', 'b', 't', 'T'])}${this.label()}${source.chance(0.7) ? end + this.active() : this.trap()}`;
  }
}
