const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Functions that compute, or flush what is printed anyway. */
const FUNCTIONS = words(
  'length substr index split sub gsub match sprintf tolower toupper sin cos atan2 exp log sqrt int rand srand close fflush gensub patsplit asort asorti strftime mktime systime strtonum and or xor lshift rshift compl isarray',
);
const KEYWORDS = words(
  'BEGIN END function if else while for do break continue next nextfile exit return delete in print printf',
);
/** What reaches beyond the input of the program, steers other implementations, or is no keyword of all of them. */
const REFUSED = words(
  'getline system func switch case default BEGINFILE ENDFILE ARGV ARGC PROCINFO SYMTAB FUNCTAB extension include load namespace',
);
/** Tokens after which every awk takes a slash for the start of a regular expression. */
const BEFORE_REGEX: ReadonlySet<string> = new Set([
  ...words('print printf return exit ( , { } ; ! ~ !~ && || ? : ='),
  '\n',
]);
const CONDITIONS = words('if while for');

const BLANK = /(?:[ \t]|\\\n|#[^\n]*)+/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?/y;
const STRING = /"(?:[^"\\\n]|\\[^\n])*"/y;
/** In brackets: no slash, and no `]` that ends them in some implementations only. */
const REGEX = /\/(?:[^/[\\\n]|\\[^\n]|\[(?:\^\]|\^(?!\])|\]|(?![\^\]]))(?:[^\][\\/\n]|\[:[a-z]+:\]|\\[^\][\n])*\])+\//y;
const OPERATOR = /\+\+|--|&&|\|\||!~|[-+*/%^=!<>]=|[-+*%^=!<>~?:,;{}()[\]$/\n]/y;
/** Operators that want an operand to the right. */
const UNFINISHED = /^(?:[-*/%^=!<>~?:$&|+][=~&|]?)$/;
const OPERANDS = words('operand ) ]');

/**
 * Why an awk program cannot be judged, or does more than filter text; null when it only filters (CP-338,
 * `docs/shell-analysis.md`). It is read token by token by a grammar so small that every awk reads it alike: a slash begins a regular
 * expression only where an operand is due, and divides only after one.
 */
export function awkRefusal(program: string): string | null {
  return new AwkReader(program).run();
}

interface Bracket {
  open: '(' | '[' | '{';
  /** Whether it holds the condition of a statement, which no value precedes. */
  condition: boolean;
}

class AwkReader {
  private at = 0;
  /** The last token: an operator, a keyword, `operand`, or what else decides the meaning of a slash. */
  private last = '\n';
  private printing = false;
  private readonly open: Bracket[] = [];
  /** How many of those are parentheses, in which `>` compares. */
  private parentheses = 0;
  private readonly called = new Set<string>();
  private readonly defined = new Set<string>();

  constructor(private readonly text: string) {}

  run(): string | null {
    for (;;) {
      const why = this.blanks() ?? (this.at < this.text.length ? this.token() : null);
      if (why !== null) return why;
      if (this.at >= this.text.length) break;
    }
    for (const name of this.called)
      if (!this.defined.has(name)) return `the function \`${name}\` of the \`awk\` program is not known`;
    const ended = this.open.length === 0 && !UNFINISHED.test(this.last);
    return ended ? null : outside('a program that does not end');
  }

  private take(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? null;
    if (found !== null) this.at += found.length;
    return found;
  }

  /** In some implementations a comment that ends in a backslash goes on. */
  private blanks(): string | null {
    const found = this.take(BLANK);
    return found !== null && found.endsWith('\\') ? outside('a comment that ends in a backslash') : null;
  }

  private token(): string | null {
    const name = this.take(NAME);
    if (name !== null) return this.name(name);
    if (this.take(NUMBER) !== null)
      return this.operand(/[A-Za-z0-9_.]/.test(this.text[this.at] ?? '') ? 'a number' : null);
    if (this.text[this.at] === '"') return this.operand(this.take(STRING) === null ? 'a string' : null);
    if (this.text[this.at] === '/') return this.slash();
    const operator = this.take(OPERATOR);
    if (operator !== null) return this.operator(operator);
    const char = this.text[this.at]!;
    if (char === '|') return 'a pipe in the `awk` program runs a program';
    if (char === '@') return 'the `awk` program loads code or calls what a variable names';
    return outside(`\`${char}\``);
  }

  private operand(wrong: string | null): string | null {
    this.last = 'operand';
    return wrong === null ? null : outside(wrong);
  }

  private name(name: string): string | null {
    if (name === 'system' || name === 'getline') return `\`${name}\` in the \`awk\` program reaches beyond its input`;
    if (REFUSED.has(name)) return outside(`\`${name}\``);
    if (name === 'print' || name === 'printf') {
      if (this.parentheses > 0) return outside('`print` within parentheses');
      this.printing = true;
    }
    if (this.last === 'function') {
      this.defined.add(name);
      this.last = 'defined';
    } else if (KEYWORDS.has(name)) {
      this.last = name;
    } else {
      if (this.text[this.at] === '(' && !FUNCTIONS.has(name)) this.called.add(name);
      this.last = FUNCTIONS.has(name) ? 'function name' : 'operand';
    }
    return null;
  }

  private slash(): string | null {
    if (OPERANDS.has(this.last)) {
      this.at++;
      this.last = '/';
      // After what cannot be assigned to, gawk takes it for the start of a regular expression.
      return this.text[this.at] === '=' ? outside('`/=`') : null;
    }
    if (!BEFORE_REGEX.has(this.last)) return outside(`a slash after ${this.last}`);
    if (this.take(REGEX) === null) return outside('a regular expression');
    this.last = 'regular expression';
    return null;
  }

  private operator(operator: string): string | null {
    if (operator.startsWith('>') && this.printing && this.parentheses === 0)
      return 'the `awk` program writes a file of its own';
    if (operator === ':' && this.last === ':') return outside('`::`');
    if (operator === '\n') return this.newline();
    if (operator === ';') {
      if (this.open.at(-1)?.open === '[') return outside('`;` in brackets');
      this.printing = false;
    }
    const before = this.last;
    if (/^[)\]},;]$/.test(operator) && UNFINISHED.test(before)) return outside(`\`${operator}\` after \`${before}\``);
    this.last = operator;
    if (operator === '(' || operator === '[' || operator === '{') {
      this.open.push({ open: operator, condition: operator === '(' && CONDITIONS.has(before) });
      if (operator === '(') this.parentheses++;
      if (operator === '{') this.printing = false;
    } else if (operator === ')' || operator === ']' || operator === '}') {
      return this.close(operator);
    }
    return null;
  }

  private close(operator: ')' | ']' | '}'): string | null {
    const bracket = this.open.pop();
    if (bracket?.open !== { ')': '(', ']': '[', '}': '{' }[operator]) return outside(`\`${operator}\``);
    if (operator === ')') this.parentheses--;
    if (bracket.condition) this.last = 'condition';
    if (operator === '}') this.printing = false;
    return null;
  }

  /** A line end ends a statement, or goes on where every awk lets it. */
  private newline(): string | null {
    const goesOn = this.last === ',' || this.last === '&&' || this.last === '||';
    const inner = this.open.at(-1)?.open;
    if ((inner === '(' || inner === '[') && !goesOn) return outside('a line end in brackets');
    if (UNFINISHED.test(this.last)) return outside(`a line end after \`${this.last}\``);
    if (goesOn) return null;
    this.printing = false;
    if (this.last !== 'condition') this.last = '\n';
    return null;
  }
}

function outside(what: string): string {
  return `${what} is outside the grammar of \`awk\` programs that can be judged`;
}
