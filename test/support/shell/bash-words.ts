import type { LineSource } from './line-source.js';

/** Words of bash: quotes, expansions and substitutions inside each other, with text in them that is code to whoever misreads a quote. */
export class BashWords {
  constructor(
    private readonly source: LineSource,
    private readonly script: () => string,
  ) {}

  word(): string {
    const { source } = this;
    const pieces = source.some(1, source.chance(0.25) ? 3 : 1, () => this.piece());
    return this.continued(pieces);
  }

  /** A line may be continued between any two characters. */
  private continued(pieces: readonly string[]): string {
    return pieces.join(this.source.chance(this.source.wildness / 3) ? '\\\n' : '');
  }

  // prettier-ignore
  private piece(): string {
    const { source } = this;
    return source.choose(
      ['a', 'f', 'd', '-n', '--', 'x.txt', '1', './f', () => this.single(), () => this.double(), () => this.double(), '$x', '"$x"', '${x}',
      () => this.parameter(false), () => this.substitution()],
      [
        () => this.single(),
        () => this.double(),
        () => this.ansi(),
        () => `$${this.double()}`,
        () => this.parameter(false),
        () => this.parameter(false),
        () => this.substitution(),
        () => this.backquoted(),
        () => this.arithmetic(),
        () => this.escaped(),
        () => this.odd(),
      ],
    );
  }

  // prettier-ignore
  private odd(): string {
    const { source } = this;
    return source.one(['*', 'd/*', '[a-f]', '{a,b}', '{1..3}', '~', '~user', '$@', '"$@"', '$*', '$#', '$?', '$!', '$$', '#', 'a#b', '=',
      '!', '^', '{}', '{', '}', '%', '\u00a0', '\u2028', '\f', '\v', '"', "'", () => `{a,${source.danger()}}`,
      () => `[${source.danger()}]`, () => `?(${source.program()})`, () => `!(${source.program()}|f)`]);
  }

  // prettier-ignore
  private escaped(): string {
    return this.source.one(['\\;', '\\ ', '\\$', '\\`', '\\"', "\\'", '\\\\', '\\\n', '\\(', '\\)', '\\>', '\\|', '\\&', '\\#', '\\a',
      '\\{', '\\~', '\\!']);
  }

  // prettier-ignore
  private single(): string {
    const { source } = this;
    return `'${source.choose(['a', 'b c', '', '*', () => source.danger()], ['\\', '"', '\\\n', '$x', '"$(', '`', () => `"${source.danger()}"`, () => `\\${source.danger()}`])}'`;
  }

  // prettier-ignore
  private ansi(): string {
    const { source } = this;
    const inner = source.some(1, 3, () => source.one(['a', "\\'", '\\"', '\\\\', '\\n', '\\x27', '\\047', '\\u0027', '\\c\\', "\\c'",
      '\\x', '\\0', '"', '$x', '`', '\\\n', '\\x{27}', () => source.danger()]));
    return `$'${inner.join('')}'`;
  }

  double(): string {
    const { source } = this;
    const pieces = source.some(0, 3, () => this.doublePiece());
    return `"${this.continued(pieces)}"`;
  }

  private doublePiece(): string {
    const { source } = this;
    return source.choose(
      [
        'a',
        ' b',
        '$x',
        '${x}',
        "'",
        ' ',
        () => this.parameter(true),
        () => this.substitution(),
        () => `'${source.danger().replaceAll(/[$`]/g, '')}'`,
      ],
      [
        '\\"',
        '\\$',
        '\\`',
        '\\\\',
        '\\a',
        "$'",
        '$',
        '!',
        '\\\n',
        '#',
        '}',
        '{',
        () => `\\${source.danger()}`,
        () => `'${source.danger()}'`,
        () => `$'${source.danger()}'`,
        () => this.parameter(true),
        () => this.parameter(true),
        () => this.substitution(),
        () => this.backquoted(true),
        () => this.arithmetic(),
      ],
    );
  }

  /** `${…}` of every kind; its operand is read by rules that depend on what stands around it. */
  // prettier-ignore
  parameter(quoted: boolean): string {
    const { source } = this;
    return source.nested(() => {
      const name = source.choose(['x', 'x', 'HOME', 'z'], ['1', '@', '*', '#', '?', '-', '$', '!x', 'x[0]', 'x[@]', 'x[1+1]', '!x*', '#x',
        '_', () => `x[${source.danger()}]`]);
      const operator = source.choose([':-', '-', ':+', '+', '%', '#', '/'], [':=', '=', ':?', '?', '%%', '##', '//', '/#', '/%', '^', '^^',
        ',', ',,', '@Q', '@P', '@', ':', ':1:', ' ', '~']);
      const operand = source.chance(0.35) ? this.operand(quoted) : source.choose(['a', 'f', '', 'a b', '.txt', '*'], [() => this.operand(quoted), () => this.operand(quoted),
        () => this.operand(quoted) + this.operand(quoted)]);
      const second = operator.startsWith('/') && source.chance(0.6) ? `/${this.operand(quoted)}` : '';
      return source.one([`\${${name}}`, `\${${name}${operator}${operand}${second}}`, `\${${name}${operator}${operand}${second}}`]);
    }, '${x}');
  }

  private operand(quoted: boolean): string {
    const { source } = this;
    return source.one([
      () => `'${source.danger()}'`,
      () => `"${source.danger()}"`,
      () => `$'${source.danger()}'`,
      () => `"'${source.danger()}'"`,
      () => `'"'${source.danger()}'"'`,
      () => source.danger(),
      () => `\\${source.danger()}`,
      () => `\\'${source.danger()}`,
      () => `\\"${source.danger()}\\"`,
      () => `\\}${source.danger()}`,
      () => `'}'${source.danger()}`,
      () => `"}"${source.danger()}`,
      () => `$'\\'${source.danger()}'`,
      () => `$"${source.danger()}"`,
      () => this.parameter(quoted),
      () => `"${this.parameter(true)}"`,
      () => this.substitution(),
      () => this.backquoted(quoted),
      () => this.double(),
      "'",
      '"',
      '\\\n',
      '{',
      '}',
      "$'a'",
    ]);
  }

  substitution(): string {
    const { source } = this;
    return source.nested(
      () =>
        source.choose(
          [() => `$(${this.script()})`],
          [
            () => `$( ${this.script()} # ${source.danger()}\n)`,
            () => `$(${this.script()}\n)`,
            () => `$(<${source.one(['f', () => source.file()])})`,
            () => `<(${this.script()})`,
            () => `$(case x in x) ${this.script()};; esac)`,
            () => `$((${this.script()}) )`,
            () => `$(cat <<E\n${source.danger()}\nE\n)`,
            () => `$(cat <<'E'\n${source.danger()}\nE\n)`,
            () => `$(cat <<E\nE)`,
            () => `$(# ${source.danger()}\n)`,
            () => `\${ ${this.script()}; }`,
          ],
        ),
      '$x',
    );
  }

  /** Inside backquotes a backslash is taken away first, before `$`, a backquote and a backslash, and in double quotes before `"`. */
  backquoted(quoted = false): string {
    const { source } = this;
    return source.nested(() => {
      const script = this.script();
      const escaped = script.replaceAll(/[\\`$]/g, (found) => (source.chance(0.8) ? `\\${found}` : found));
      const plain = source.one([script.replaceAll('`', ''), escaped, () => `${source.program()} ${escaped}`]);
      return `\`${quoted && source.chance(0.5) ? plain.replaceAll('"', '\\"') : plain}\``;
    }, '`a`');
  }

  // prettier-ignore
  arithmetic(): string {
    const { source } = this;
    const expression = source.choose(['1', '1+2', 'i', 'i++', '(1+2)*3', 'i<3', '$i'], ['x', '"1"', "'1'", 'a[0]', 'a[i]', '1?2:3', '1,2',
      'x=1', () => `a[${source.danger()}]`, () => `'${source.danger()}'`, () => `"${source.danger()}"`, () => source.danger(),
      () => this.parameter(true), '16#ff', '1 # 2', '0x1f', '$((1))', ')']);
    return source.choose([`$((${expression}))`], [`$[${expression}]`, `$(( ${expression} ))`, `$((${expression}) )`,
      `$((\n${expression}))`]);
  }
}
