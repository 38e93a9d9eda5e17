/** Words before a regular expression, where a name would come before a division. */
const KEYWORDS = new Set('print printf return in case do else if while for delete exit'.split(' '));
const NAME = /[A-Za-z_0-9]/;
const NUMBER = /^[0-9]/;
/** Characters after which a slash cannot divide. */
const EXPECTS_OPERAND = /^[*%^=<>?:!~&|(,{};]$/;
/** What goes on after a line end. */
const CONTINUES = /[,{&|\\]$/;

/**
 * Why an awk program does more than filter text: it runs a program, reads or writes files of its own, or loads code; null when it
 * does not (06-gate §1). Where a slash may be a division or a regular expression, everything after it counts as code.
 */
export function awkHazard(program: string): string | null {
  const word = /\b(?:system|getline)\b/.exec(program);
  if (word !== null) return `\`${word[0]}\` in the \`awk\` program reaches beyond its input`;
  return new AwkScan(program).run();
}

class AwkScan {
  private at = 0;
  /** The last token: a name, or one character. */
  private last = '';
  private printing = false;
  /** From here on no text is skipped as a string or a regular expression. */
  private raw = false;

  constructor(private readonly text: string) {}

  run(): string | null {
    while (this.at < this.text.length) {
      const why = this.token();
      if (why !== null) return why;
    }
    return null;
  }

  private token(): string | null {
    const char = this.text[this.at]!;
    if (NAME.test(char)) return this.name();
    if (!this.raw && char === '"') return this.string();
    if (!this.raw && char === '#') return this.comment();
    if (!this.raw && char === '/') return this.slash();
    if (char === '\\' && this.text[this.at + 1] === '\n') this.at++;
    else if (char === '|' && this.text[this.at + 1] === '|') this.at++;
    else if (char === '|') return 'a pipe in the `awk` program runs a program';
    else if (char === '@') return 'the `awk` program loads code or calls what a variable names';
    else if (char === '>' && this.printing) return 'the `awk` program writes a file of its own';
    else if (char === ';' || char === '}' || (char === '\n' && !CONTINUES.test(this.last))) this.printing = false;
    if (!/\s/.test(char)) this.last = char;
    this.at++;
    return null;
  }

  private name(): null {
    const start = this.at;
    while (this.at < this.text.length && NAME.test(this.text[this.at]!)) this.at++;
    this.last = this.text.slice(start, this.at);
    if (this.last === 'print' || this.last === 'printf') this.printing = true;
    return null;
  }

  private string(): null {
    let at = this.at + 1;
    while (at < this.text.length && this.text[at] !== '"' && this.text[at] !== '\n')
      at += this.text[at] === '\\' ? 2 : 1;
    if (this.text[at] !== '"') this.raw = true;
    this.last = '"';
    this.at = this.raw ? this.at + 1 : at + 1;
    return null;
  }

  private comment(): null {
    while (this.at < this.text.length && this.text[this.at] !== '\n') this.at++;
    return null;
  }

  private slash(): null {
    const { last } = this;
    if (last === '' || KEYWORDS.has(last) || EXPECTS_OPERAND.test(last)) return this.regex();
    if (!NUMBER.test(last)) this.raw = true;
    this.last = '/';
    this.at++;
    return null;
  }

  /** A slash in a bracket expression ends the expression for one awk and not for another. */
  private regex(): null {
    let bracket = false;
    for (let at = this.at + 1; at < this.text.length && this.text[at] !== '\n'; at++) {
      const char = this.text[at]!;
      if (char === '\\') at++;
      else if (char === '[') bracket = true;
      else if (char === ']') bracket = false;
      else if (char === '/' && !bracket) {
        this.at = at + 1;
        this.last = ')';
        return null;
      } else if (char === '/') break;
    }
    this.raw = true;
    this.at++;
    return null;
  }
}
