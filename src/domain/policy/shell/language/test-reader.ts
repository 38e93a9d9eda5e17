import type { CanonicalLine } from './canonical-line.js';
import type { Scanner } from './scanner.js';
import { MAX_DEPTH } from './scanner.js';
import type { ReadWord } from './word-reader.js';

const UNARY = /^-[abcdefghknoprstuwxzLNOGS]$/;
const BINARY = /(==|=~|=|!=|<|>|-nt|-ot|-ef)(?=[ \t])/y;
const NUMERIC = /-(?:eq|ne|lt|le|gt|ge)(?=[ \t])/y;
const ANY_BINARY = /^(?:==|=~|=|!=|-nt|-ot|-ef|-eq|-ne|-lt|-le|-gt|-ge)$/;

/** Reads what stands between `[[` and `]]` (docs/shell-analysis.md). */
export class TestReader {
  private depth = 0;

  constructor(
    private readonly scan: Scanner,
    private readonly out: CanonicalLine,
    private readonly word: () => ReadWord | null,
  ) {}

  /** Reads up to `]]`, which it takes. */
  read(): void {
    this.expression();
    if (!this.scan.take(']]')) this.scan.refuse('a test in `[[` that does not end in `]]`');
    this.out.add(']]');
  }

  private expression(): void {
    for (;;) {
      this.term();
      const { scan } = this;
      const operator = scan.isNext('&&') ? '&&' : '||';
      if (!scan.take(operator)) return;
      this.out.add(`${operator} `);
      this.blanks();
    }
  }

  private term(): void {
    const { scan } = this;
    for (this.blanks(); scan.char === '!' && /[ \t]/.test(scan.ahead(1)); this.blanks()) {
      scan.at++;
      this.out.add('! ');
    }
    if (scan.take('(')) this.parentheses();
    else this.comparison();
  }

  private parentheses(): void {
    if (++this.depth > MAX_DEPTH) this.scan.refuse('the line nests too deeply');
    this.out.add('( ');
    this.expression();
    if (!this.scan.take(')')) this.scan.refuse('a parenthesis in `[[` that does not close');
    this.out.add(') ');
    this.blanks();
    this.depth--;
  }

  private comparison(): void {
    const first = this.operand();
    if (first.bare && UNARY.test(first.text)) {
      const operand = this.operand();
      if (ANY_BINARY.test(operand.text)) this.scan.refuse('a test that can be read in two ways');
      return;
    }
    if (first.text.startsWith('-') || first.text === '!') this.scan.refuse(`the test \`${first.text}\` in \`[[\``);
    const numeric = this.scan.peek(NUMERIC);
    if (numeric !== null) this.scan.refuse(`\`[[ ${numeric}\` evaluates its operands`);
    const operator = this.scan.match(BINARY);
    if (operator === null) return;
    this.out.add(`${operator[0]} `);
    this.blanks();
    this.operand();
  }

  private operand(): ReadWord {
    const word = this.word();
    if (word === null || word.text === ']]') this.scan.refuse('a test in `[[` without an operand');
    this.out.add(' ');
    this.blanks();
    return word;
  }

  private blanks(): void {
    this.scan.blanks();
    if (this.scan.char === '\n') this.scan.refuse('a test in `[[` over several lines');
  }
}
