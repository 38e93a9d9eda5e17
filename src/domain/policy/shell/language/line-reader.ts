import { CanonicalLine } from './canonical-line.js';
import type { CommandReader } from './compound-reader.js';
import { CompoundReader } from './compound-reader.js';
import { RedirectReader } from './redirect-reader.js';
import { MAX_DEPTH, OutsideLanguage, Scanner } from './scanner.js';
import type { UnderstoodLine, UnderstoodRedirect, UnderstoodWord } from './understood-line.js';
import type { NestedReader, ReadWord } from './word-reader.js';
import { ASSIGNMENT, readProcessSubstitution, readWord } from './word-reader.js';

/** Reserved words that end a list of commands. */
const CLOSER = /(?:then|do|done|fi|elif|else|esac|\})(?=[\s;&|()<>]|$)/y;
/** Reserved words that begin a command which the language has. */
const OPENER = /(?:if|while|until)(?=[ \t\n(])|\{(?=[ \t\n])|(?:for|case|time|!|\[\[)(?=[ \t])/y;
const RESERVED =
  /^(?:function|select|coproc|in|then|do|done|fi|elif|else|esac|if|while|until|for|case|time|[{}!]|\[\[)$/;
const SUBSCRIPT = /^[A-Za-z_][A-Za-z0-9_]*\[.*\]\+?=/s;

/**
 * Reads a line of the small language of docs/shell-analysis.md.
 * @returns What was understood, or why the line is not written in the language. Never throws.
 */
export function readLine(text: string): UnderstoodLine | string {
  const found: Found = { commands: [], redirects: [], out: new CanonicalLine() };
  try {
    new LineReader(new Scanner(text), found, 0, false).whole();
  } catch (error) {
    if (error instanceof OutsideLanguage) return error.message;
    throw error;
  }
  return { commands: found.commands, redirects: found.redirects, canonical: found.out.toString() };
}

interface Found {
  commands: (readonly UnderstoodWord[])[];
  redirects: UnderstoodRedirect[];
  out: CanonicalLine;
}

class LineReader implements NestedReader, CommandReader {
  private readonly out: CanonicalLine;
  private readonly redirects: RedirectReader;

  /** @param depth Substitutions and compound commands that are open. */
  constructor(
    private readonly scan: Scanner,
    private readonly found: Found,
    private depth: number,
    private readonly inBackquotes: boolean,
  ) {
    this.out = found.out;
    this.redirects = new RedirectReader(scan, this.out, () => this.word());
  }

  whole(): void {
    this.list();
    if (this.scan.char !== '') this.scan.refuse(`\`${this.scan.char}\` where a command should begin`);
  }

  substitution(): void {
    this.nested(() => {
      this.list();
      if (!this.scan.take(')')) this.scan.refuse('`)` is missing');
    });
  }

  backquoted(text: string): void {
    if (this.inBackquotes) this.scan.refuse('backquotes within backquotes');
    new LineReader(new Scanner(text), this.found, this.depth + 1, true).whole();
  }

  private nested(read: () => void): void {
    if (++this.depth > MAX_DEPTH) this.scan.refuse('the line nests too deeply');
    read();
    this.depth--;
  }

  /** Commands up to a reserved word or a parenthesis that closes them, or the end. */
  list(): number {
    let count = 0;
    for (this.newlines(); !this.isClosed(); this.newlines()) {
      this.andOr();
      count++;
      this.terminator();
    }
    if (this.redirects.isWaiting) this.scan.refuse('a here-document without its text');
    return count;
  }

  someList(): void {
    if (this.list() === 0) this.scan.refuse('a compound command without a command in it');
  }

  private isClosed(): boolean {
    const { scan } = this;
    return scan.char === '' || scan.char === ')' || scan.isNext(';;') || scan.isNext(';&') || this.closer() !== null;
  }

  closer(): string | null {
    return this.scan.peek(CLOSER);
  }

  private terminator(): void {
    const { scan } = this;
    scan.blanks();
    const background = scan.char === '&';
    if (background || (scan.char === ';' && !scan.isNext(';;') && !scan.isNext(';&'))) {
      scan.at++;
      if (background) this.out.add(' &');
    } else if (scan.char !== '\n' && scan.char !== '#' && !this.isClosed()) {
      scan.refuse(`\`${scan.char}\` after a command`);
    }
    this.out.newline();
  }

  /** Blanks, comments, line ends and the here-documents behind them. */
  newlines(): void {
    const { scan } = this;
    for (;;) {
      scan.blanks();
      if (scan.char === '#') {
        const end = scan.text.indexOf('\n', scan.at);
        scan.at = end === -1 ? scan.text.length : end;
      }
      if (scan.char !== '\n') return;
      scan.at++;
      this.redirects.readDocuments(this.depth);
    }
  }

  private andOr(): void {
    for (;;) {
      this.pipeline();
      const operator = this.operator('&&', '||');
      if (operator === null) return;
    }
  }

  private pipeline(): void {
    for (;;) {
      this.prefixes();
      this.command();
      if (this.scan.isNext('||') || this.operator('|&', '|') === null) return;
    }
  }

  /** Takes one of two operators, behind which the line may end. */
  private operator(first: string, second: string): string | null {
    this.scan.blanks();
    const operator = this.scan.isNext(first) ? first : second;
    if (!this.scan.take(operator)) return null;
    this.out.add(` ${operator} `);
    this.newlines();
    return operator;
  }

  private prefixes(): void {
    const { scan } = this;
    for (;;) {
      scan.blanks();
      const word = scan.peek(OPENER);
      if (word !== '!' && word !== 'time') return;
      scan.at += word.length;
      scan.blanks();
      const posix = word === 'time' && scan.match(/-p(?=[ \t])/y) !== null;
      this.out.add(posix ? 'time -p ' : `${word} `);
      scan.blanks();
      if (word === 'time' && scan.char === '-') scan.refuse('an option of `time`');
    }
  }

  private command(): void {
    const { scan } = this;
    const opener = scan.peek(OPENER);
    if (opener === null && scan.char !== '(') {
      this.simpleCommand();
      return;
    }
    this.nested(() => {
      new CompoundReader(scan, this.out, this).read(opener);
    });
    for (scan.blanks(); this.redirects.read(this.found.redirects, this.depth); scan.blanks());
  }

  private simpleCommand(): void {
    const { scan } = this;
    const words: UnderstoodWord[] = [];
    const { redirects } = this.found;
    const before = redirects.length;
    let program = false;
    for (scan.blanks(); ; scan.blanks()) {
      if (this.redirects.read(redirects, this.depth)) continue;
      const mark = this.out.mark;
      if (words.length > 0 || redirects.length > before) this.out.add(' ');
      const word = this.word();
      if (word === null) {
        this.out.replaceSince(mark, '');
        break;
      }
      if ((scan.char === '<' || scan.char === '>') && /^[0-9]+$/.test(word.text))
        scan.refuse('a descriptor of more than one digit');
      if (!program && word.bare && RESERVED.test(word.text)) scan.refuse(`the reserved word \`${word.text}\``);
      if (!program && SUBSCRIPT.test(word.text)) scan.refuse('an assignment with a subscript');
      program ||= !ASSIGNMENT.test(word.text);
      words.push(word);
    }
    if (words.length === 0 && redirects.length === before) scan.refuse(`\`${scan.char}\` where a command should begin`);
    this.found.commands.push(words);
  }

  /** A word or a process substitution; one that holds a line end may not come before the text of a here-document. */
  word(): ReadWord | null {
    const { scan } = this;
    if (scan.char === '#') return null;
    const waiting = this.redirects.isWaiting;
    const isProcess = scan.isNext('<(') || scan.isNext('>(');
    const word = isProcess ? readProcessSubstitution(scan, this.out, this) : readWord(scan, this.out, this);
    if (waiting && word?.text.includes('\n') === true) scan.refuse('a here-document before a word of several lines');
    if (this.inBackquotes && this.redirects.isWaiting) scan.refuse('a here-document within backquotes');
    return word;
  }
}
