/** What a sed script does beyond editing its input; `refusal` says why it cannot be analysed, or what it runs. */
export interface SedScript {
  refusal: string | null;
  writes: string[];
  reads: string[];
}

const NO_ARGUMENT = /[=dDgGhHnNpPxzF]/;
const NUMBER_ARGUMENT = /[lqQ]/;
const LABEL = /[A-Za-z0-9_]*/y;
/** A name that every sed ends at the same place. */
const FILE_NAME = /[ \t]*([A-Za-z0-9_./~+:@%=,-]+)(?=\n|$)/y;
const STANDARD_STREAM = /^\/dev\/(?:stdin|stdout|stderr)$/;
const DELIMITER = /[!-/:-@[\]^_`{-~]/;
/** Commands and what may stand before them: any other character there is an error to every sed. */
const AFTER_ADDRESS = /[\s,!{}=:;#a-zA-Z]/;
/** Flags of `s` and what may end it. */
const AFTER_SUBSTITUTION = /[gpiImMew0-9\s;}#]/;

/**
 * Reads a script of sed by a grammar so small that every sed reads it alike (CP-338, `docs/shell-analysis.md`). A delimiter within
 * brackets ends the expression for old implementations only, so such a script is read both ways.
 */
export function readSedScript(script: string): SedScript {
  const aware = new SedReader(script, true);
  const found = aware.run();
  if (!aware.ambiguous) return found;
  const blind = new SedReader(script, false);
  const other = blind.run();
  return {
    refusal: found.refusal ?? (blind.failed ? null : other.refusal),
    writes: [...found.writes, ...other.writes],
    reads: [...found.reads, ...other.reads],
  };
}

class SedReader {
  /** Whether a bracket expression held a delimiter. */
  ambiguous = false;
  /** Whether every sed that reads so far would refuse the script, before it runs any of it. */
  failed = false;
  private at = 0;
  /** After a label some implementations take the rest of the line for its name, so nothing may go on beyond that line. */
  private labelled = false;
  private readonly found: SedScript = { refusal: null, writes: [], reads: [] };

  constructor(
    private readonly text: string,
    private readonly brackets: boolean,
  ) {}

  run(): SedScript {
    while (this.found.refusal === null && this.at < this.text.length) {
      if (this.char === '\n') this.labelled = false;
      if (/[ \t\n;]/.test(this.char)) this.at++;
      else this.command();
    }
    return this.found;
  }

  private get char(): string {
    return this.text[this.at] ?? '';
  }

  private refuse(why: string): void {
    this.found.refusal ??= why;
  }

  private unread(what: string): void {
    this.refuse(`${what} is outside the grammar of \`sed\` scripts that can be judged`);
  }

  private blanks(): void {
    while (this.char === ' ' || this.char === '\t') this.at++;
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text);
    if (match !== null) this.at = pattern.lastIndex;
    return match;
  }

  private command(): void {
    const start = this.at;
    const addressed = this.addresses();
    if (this.found.refusal !== null) return;
    const command = this.char;
    this.at++;
    if (NO_ARGUMENT.test(command)) this.end();
    else if (NUMBER_ARGUMENT.test(command)) this.number();
    else if (command === '{') this.blanks();
    else if (command === '}' && !addressed) this.end();
    else if (command === '#' && !addressed) this.line();
    else if (command === ':' && !addressed) this.label();
    else if (/[btT]/.test(command)) this.branch();
    else if (/[aic]/.test(command)) this.insertedText();
    else if (command === 's') this.substitute();
    else if (command === 'y') this.transliterate();
    else if (/[wW]/.test(command)) this.file(this.found.writes);
    else if (/[rR]/.test(command)) this.file(this.found.reads);
    else if (command === 'e') this.refuse('the command `e` of the `sed` script runs a program');
    else this.unread(`\`${this.text.slice(start, this.at)}\``);
  }

  /** At most two addresses and a `!`; answers whether there was one. */
  private addresses(): boolean {
    const start = this.at;
    if (this.address(false)) {
      this.blanks();
      if (this.char === ',') {
        this.at++;
        this.blanks();
        if (!this.address(true)) this.unread('an address');
        this.blanks();
      }
    }
    if (this.char === '!') {
      this.at++;
      this.blanks();
    }
    return this.at > start;
  }

  private address(second: boolean): boolean {
    if (this.char === '/' || this.char === '\\') {
      if (this.char === '\\') this.at++;
      this.delimited();
      if (this.found.refusal === null) this.match(/[IM]{0,2}/y);
      if (this.at < this.text.length && !AFTER_ADDRESS.test(this.char)) this.fail('an address');
      return true;
    }
    return this.match(second ? /\$|[+~]?[0-9]+/y : /\$|[0-9]+(?:~[0-9]+)?/y) !== null;
  }

  /** What no sed accepts here. */
  private fail(what: string): void {
    this.failed ||= this.found.refusal === null;
    this.unread(what);
  }

  /** A regular expression between two delimiters; refuses what does not end. */
  private delimited(): string {
    const delimiter = this.char;
    this.at++;
    if (delimiter === '' || !DELIMITER.test(delimiter)) this.unread('a delimiter');
    else if (!this.upTo(delimiter, true)) this.unread('a regular expression');
    return delimiter;
  }

  /** From here behind the next delimiter that no backslash escapes. */
  private upTo(delimiter: string, regex: boolean): boolean {
    while (this.at < this.text.length) {
      const { char } = this;
      this.at++;
      if (char === delimiter) return true;
      if (char === '\n') return false;
      if (char === '\\') {
        const escaped = this.char;
        this.at++;
        // Only a replacement may go on in the next line; in some implementations `\c` takes one more character.
        if (escaped === '\n' && (regex || this.labelled)) return false;
        if (escaped === '' || escaped === 'c') return false;
      } else if (char === '[' && regex && this.brackets && !this.bracket(delimiter)) return false;
    }
    return false;
  }

  /** Behind a bracket expression; false when it does not end, or ends where implementations differ. */
  private bracket(delimiter: string): boolean {
    const start = this.at;
    let classes = false;
    if (this.char === '^') this.at++;
    if (this.char === ']') this.at++;
    while (this.at < this.text.length && this.char !== ']') {
      if (this.char === '\n' || (this.char === '\\' && this.text[this.at + 1] === ']')) return false;
      const named = this.match(/\[:[a-z]+:\]/y) !== null;
      classes ||= named;
      if (this.char === '[' && /[:.=]/.test(this.text[this.at + 1] ?? '')) return false;
      if (!named) this.at++;
    }
    if (this.at >= this.text.length) return false;
    const held =
      this.text.slice(start, this.at).replaceAll('\\\\', '').replaceAll(`\\${delimiter}`, '').split(delimiter).length -
      1;
    // A sed that knows brackets but not classes would read it in a third way.
    if (classes && held > 1) return false;
    if (held > 0) this.ambiguous = true;
    this.at++;
    return true;
  }

  private substitute(): void {
    const delimiter = this.delimited();
    if (this.found.refusal !== null) return;
    if (!this.upTo(delimiter, false)) {
      this.unread('a replacement');
      return;
    }
    const seen = new Set<string>();
    for (;;) {
      const flag = /[gpiImM]/.test(this.char) ? this.char.toLowerCase() : /[1-9]/.test(this.char) ? '1' : '';
      if (flag === '' || seen.has(flag)) break;
      seen.add(flag);
      if (flag === '1') this.match(/[0-9]+/y);
      else this.at++;
    }
    if (this.char === 'w') {
      this.at++;
      this.file(this.found.writes);
    } else if (this.char === 'e') this.refuse('the flag `e` of the `sed` script runs a program');
    else if (this.at < this.text.length && !AFTER_SUBSTITUTION.test(this.char)) this.fail('a flag of `s`');
    else this.end();
  }

  private transliterate(): void {
    const start = this.at;
    const delimiter = this.char;
    this.at++;
    const read = DELIMITER.test(delimiter) && this.upTo(delimiter, false) && this.upTo(delimiter, false);
    if (!read || /[[\n]/.test(this.text.slice(start, this.at))) this.unread('the command `y`');
    else this.end();
  }

  private number(): void {
    this.blanks();
    this.match(/[0-9]*/y);
    this.end();
  }

  /** A label ends at a line end, or at a semicolon for most. */
  private label(): void {
    const [name] = this.match(LABEL) ?? [''];
    if (name === '' || !/^[;\n]?$/.test(this.char)) this.unread('a label');
    else this.labelled = this.char === ';';
  }

  private branch(): void {
    this.blanks();
    this.match(LABEL);
    this.end();
  }

  /** Text up to a line end that no backslash escapes: on the line of the command, or on the next after `a\`. */
  private insertedText(): void {
    this.blanks();
    if (this.match(/\\\n/y) === null && this.match(/\\[ \t]*(?=[^\s\\])/y) === null && !/[^\s\\}]/.test(this.char)) {
      // `1i\` at the end has no text at all.
      if (this.text.slice(this.at) === '\\') this.at++;
      else this.unread('the text of `a`, `i` or `c`');
      return;
    }
    const start = this.at;
    while (this.at < this.text.length && this.char !== '\n') this.at += this.char === '\\' ? 2 : 1;
    const over = this.text.slice(start, this.at).includes('\n') || this.text[start - 1] === '\n';
    if (over && this.labelled) this.unread('text after a label');
  }

  private file(files: string[]): void {
    const name = this.match(FILE_NAME)?.[1];
    if (name === undefined) this.unread('the name of a file');
    else if (!STANDARD_STREAM.test(name)) files.push(name);
  }

  private line(): void {
    const end = this.text.indexOf('\n', this.at);
    this.at = end === -1 ? this.text.length : end;
  }

  private end(): void {
    this.blanks();
    if (!/^[;\n}#]?$/.test(this.char)) this.unread(`\`${this.char}\` after a command`);
  }
}
