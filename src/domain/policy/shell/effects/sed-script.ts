/** What a sed script does beyond editing its input. `unknown`: it does not scan, or implementations differ on it. */
export interface SedScript {
  runs: string | null;
  writes: string[];
  reads: string[];
}

const NO_ARGUMENT = /[=dDgGhHnNpPxzF]/;
const NUMBER_ARGUMENT = /[lLqQ]/;
const TEXT = /[aic]/;
const LABEL = /[:btT]/;
const FLAGS = /[gpiImM0-9]/;
const BLANK = /[\s;]/;

const UNSCANNED = 'the `sed` script does not scan';

/**
 * Scans a script of GNU sed for the commands `e`, `w`, `W`, `r`, `R` and the flags `e` and `w` of `s` (06-gate §1). A delimiter
 * within brackets ends the expression for old implementations only, so such a script is scanned both ways.
 */
export function scanSedScript(script: string): SedScript {
  const scan = new SedScan(script, true);
  const found = scan.run();
  if (!scan.ambiguous) return found;
  const other = new SedScan(script, false).run();
  return {
    runs: found.runs ?? (other.runs === UNSCANNED ? null : other.runs),
    writes: [...found.writes, ...other.writes],
    reads: [...found.reads, ...other.reads],
  };
}

class SedScan {
  /** Whether a bracket expression held a delimiter. */
  ambiguous = false;
  private at = 0;
  private readonly found: SedScript = { runs: null, writes: [], reads: [] };

  constructor(
    private readonly text: string,
    private readonly brackets: boolean,
  ) {}

  run(): SedScript {
    while (this.found.runs === null && this.at < this.text.length) {
      if (BLANK.test(this.char)) this.at++;
      else this.command();
    }
    return this.found;
  }

  private get char(): string {
    return this.text[this.at] ?? '';
  }

  private refuse(why: string): void {
    this.found.runs ??= why;
  }

  private skip(pattern: RegExp): void {
    while (this.at < this.text.length && pattern.test(this.char)) this.at++;
  }

  private command(): void {
    if (!this.addresses()) {
      this.refuse(UNSCANNED);
      return;
    }
    const command = this.char;
    this.at++;
    if (command === '#') this.line();
    else if (command === '{' || command === '}' || command === '') return;
    else if (NO_ARGUMENT.test(command)) this.end();
    else if (NUMBER_ARGUMENT.test(command)) this.number();
    else if (TEXT.test(command)) this.insertedText();
    else if (LABEL.test(command)) this.skip(/[^;\n}]/);
    else if (command === 's') this.substitute();
    else if (command === 'y') this.transliterate();
    else if (command === 'w' || command === 'W') this.found.writes.push(this.line().trim());
    else if (command === 'r' || command === 'R') this.found.reads.push(this.line().trim());
    else this.refuse(command === 'e' ? 'the command `e` of the `sed` script runs a program' : UNSCANNED);
  }

  /** At most two addresses, a step or a range after them, and `!`. */
  private addresses(): boolean {
    for (let count = 0; count < 3; count++) {
      if (this.char === '/' || this.char === '\\') {
        if (this.char === '\\') this.at++;
        if (!this.delimited(true)) return false;
        this.skip(/[IM]/);
      } else {
        this.skip(/[0-9$~+]/);
      }
      this.skip(/[ \t]/);
      if (this.char !== ',') break;
      this.at++;
      this.skip(/[ \t]/);
    }
    this.skip(/[! \t]/);
    return true;
  }

  /** From a delimiter to the next one that no backslash escapes. */
  private delimited(regex: boolean): boolean {
    const delimiter = this.char;
    if (delimiter === '' || /[\n\\]/.test(delimiter) || delimiter > '~') return false;
    this.at++;
    return this.upTo(delimiter, regex);
  }

  private upTo(delimiter: string, regex: boolean): boolean {
    while (this.at < this.text.length) {
      const { char } = this;
      this.at++;
      if (char === delimiter) return true;
      if (char === '\\') this.at++;
      else if (char === '[' && regex && !this.bracket(delimiter)) return false;
    }
    return false;
  }

  /** Behind a bracket expression; false when it does not end, or ends where implementations differ. */
  private bracket(delimiter: string): boolean {
    const start = this.at;
    if (this.char === '^') this.at++;
    if (this.char === ']') this.at++;
    while (this.at < this.text.length && this.char !== ']') {
      if (this.char === '\\' && this.text[this.at + 1] === ']') return false;
      const named = this.char === '[' && /[:.=]/.test(this.text[this.at + 1] ?? '');
      const close = named ? this.text.indexOf(`${this.text[this.at + 1]!}]`, this.at + 2) : -1;
      this.at = close === -1 ? this.at + 1 : close + 2;
    }
    if (this.at >= this.text.length) return false;
    const held = this.text.slice(start, this.at).replaceAll(`\\${delimiter}`, '').includes(delimiter);
    if (held) this.ambiguous = true;
    if (held && !this.brackets) this.at = start;
    else this.at++;
    return true;
  }

  private substitute(): void {
    const delimiter = this.char;
    if (!this.delimited(true) || !this.upTo(delimiter, false)) {
      this.refuse(UNSCANNED);
      return;
    }
    this.skip(FLAGS);
    if (this.char === 'w') {
      this.at++;
      this.found.writes.push(this.line().trim());
    } else if (this.char === 'e') {
      this.refuse('the flag `e` of the `sed` script runs a program');
    } else {
      this.end();
    }
  }

  private transliterate(): void {
    const delimiter = this.char;
    if (this.delimited(false) && this.upTo(delimiter, false)) this.end();
    else this.refuse(UNSCANNED);
  }

  private number(): void {
    this.skip(/[ \t]/);
    this.skip(/[0-9]/);
    this.end();
  }

  /** Up to a line end that no backslash escapes. */
  private insertedText(): void {
    for (; this.at < this.text.length; this.at++) {
      if (this.char === '\n') return;
      if (this.char === '\\') this.at++;
    }
  }

  private line(): string {
    const end = this.text.indexOf('\n', this.at);
    const line = this.text.slice(this.at, end === -1 ? undefined : end);
    this.at += line.length;
    return line;
  }

  private end(): void {
    this.skip(/[ \t]/);
    if (!/^[;\n}#]?$/.test(this.char)) this.refuse(UNSCANNED);
  }
}
