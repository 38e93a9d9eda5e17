import { isPlainVariable } from '../words/variables.js';
import type { CanonicalLine } from './canonical-line.js';
import { readArithmetic } from './expansions.js';
import type { Scanner } from './scanner.js';
import { TestReader } from './test-reader.js';
import type { ReadWord } from './word-reader.js';

const NAME = /[A-Za-z_][A-Za-z0-9_]*(?=[\s;])/y;
const CASE_END = /esac(?=[\s;&|()<>]|$)/y;

/** What reads the commands and words in a compound command. */
export interface CommandReader {
  /** Reads commands up to what closes them and gives their number. */
  list(): number;
  /** Reads at least one command. */
  someList(): void;
  /** The reserved word that comes next and closes a list; null when none does. */
  closer(): string | null;
  /** Takes line ends and comments. */
  newlines(): void;
  word(): ReadWord | null;
}

/** Reads groups, conditions, loops, `case` and `[[` (docs/shell-analysis.md). */
export class CompoundReader {
  constructor(
    private readonly scan: Scanner,
    private readonly out: CanonicalLine,
    private readonly commands: CommandReader,
  ) {}

  /** @param opener The reserved word that begins it; null for a parenthesis. */
  read(opener: string | null): void {
    const { scan } = this;
    if (opener === null && scan.isNext('((')) {
      this.out.add(readArithmetic(scan));
      return;
    }
    scan.at += opener?.length ?? 1;
    this.out.add(`${opener ?? '('} `);
    switch (opener) {
      case null:
        this.commands.someList();
        this.reserved(')');
        break;
      case '{':
        this.commands.someList();
        this.reserved('}');
        break;
      case '[[':
        scan.blanks();
        new TestReader(scan, this.out, () => this.commands.word()).read();
        break;
      case 'if':
        this.ifCommand();
        break;
      case 'for':
        this.forCommand();
        break;
      case 'case':
        this.caseCommand();
        break;
      default:
        this.commands.someList();
        this.loopBody();
    }
  }

  /** Takes a reserved word that has to stand here. */
  private reserved(word: string): void {
    if ((word !== ')' && this.commands.closer() !== word) || !this.scan.take(word)) this.missing(word);
    this.out.add(`${word} `);
  }

  private loopBody(): void {
    this.reserved('do');
    this.commands.someList();
    this.reserved('done');
  }

  private ifCommand(): void {
    this.commands.someList();
    this.reserved('then');
    this.commands.someList();
    while (this.commands.closer() === 'elif') {
      this.reserved('elif');
      this.commands.someList();
      this.reserved('then');
      this.commands.someList();
    }
    if (this.commands.closer() === 'else') {
      this.reserved('else');
      this.commands.someList();
    }
    this.reserved('fi');
  }

  private forCommand(): void {
    const { scan } = this;
    scan.blanks();
    if (scan.isNext('((')) this.out.add(readArithmetic(scan, 3));
    else this.forWords();
    scan.blanks();
    if (!scan.take(';') && scan.char !== '\n') scan.refuse('a loop without `do` on a line or behind `;`');
    this.out.newline();
    this.commands.newlines();
    this.loopBody();
  }

  private forWords(): void {
    const { scan } = this;
    const name = scan.match(NAME);
    if (name === null) this.scan.refuse('a loop without a name');
    if (!isPlainVariable(name[0])) scan.refuse(`a loop over the variable ${name[0]}`);
    this.out.add(name[0]);
    scan.blanks();
    if (scan.match(/in(?=[ \t])/y) === null) return;
    this.out.add(' in');
    for (scan.blanks(); !/[\n;]|^$/.test(scan.char); scan.blanks()) {
      this.out.add(' ');
      if (this.commands.word() === null) scan.refuse(`\`${scan.char}\` in the words of a loop`);
    }
  }

  private caseCommand(): void {
    const { scan } = this;
    scan.blanks();
    if (this.commands.word() === null) scan.refuse('`case` without a word');
    this.commands.newlines();
    if (scan.match(/in(?=\s)/y) === null) scan.refuse('`case` without `in`');
    this.out.add(' in');
    this.out.newline();
    for (this.commands.newlines(); scan.match(CASE_END) === null; this.commands.newlines()) this.caseItem();
    this.out.add('esac ');
  }

  private caseItem(): void {
    const { scan } = this;
    scan.take('(');
    this.out.add('(');
    do {
      scan.blanks();
      if (this.commands.word() === null) scan.refuse('a pattern of `case` that is not a word');
      scan.blanks();
      this.out.add(scan.char === '|' ? '|' : ')');
    } while (scan.take('|'));
    if (!scan.take(')')) this.missing(')');
    this.out.newline();
    this.commands.list();
    const end = scan.match(/;;&|;;|;&/y);
    if (end === null && scan.peek(CASE_END) === null) this.missing(';;');
    this.out.add(end?.[0] ?? ';;');
    this.out.newline();
  }

  private missing(token: string): never {
    return this.scan.refuse(`\`${token}\` is missing`);
  }
}
