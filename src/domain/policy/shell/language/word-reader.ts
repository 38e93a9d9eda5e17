import type { CanonicalLine } from './canonical-line.js';
import { inSingleQuotes, quoted } from './canonical-line.js';
import { readAnsiQuoted } from './ansi-quoted.js';
import { readArithmetic, readParameter } from './expansions.js';
import type { Scanner } from './scanner.js';
import type { UnderstoodWord } from './understood-line.js';

const ENDS_WORD = /[ \t\n;&|<>()]/;
/** Characters that mean themselves; beyond ASCII those are letters, digits, marks, punctuation and symbols. */
const PLAIN = /[A-Za-z0-9_.,/:@%+=^!#\]}-]+/y;
/** A whole word of them, as most words are. */
const PLAIN_WORD = /[A-Za-z0-9_.,/:@%+=^!#\]}-]+(?=[ \t\n;&|)]|$)/y;
const BEYOND_ASCII = /[\p{L}\p{N}\p{M}\p{P}\p{S}]/uy;
const QUOTED = /[^"\\$`]+/y;
/** How a word begins that sets a variable when it stands before a program. */
export const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*\+?=/;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const SPECIAL_PARAMETER = /[0-9@*#?$!-]/;
/** What may follow a dollar sign that is just that. */
const AFTER_LONE_DOLLAR = /^[ \t\n;|/.,:%=+^\]]?$/;
const AFTER_QUOTED_DOLLAR = /^[ \t\n;|/.,:%=+^\]"&<>)]$/;
const BRACES = /[\w.,/:@%+=*?{}-]/;

/** A word, and whether it is written without any quoting, so that it may be a reserved word or an assignment. */
export interface ReadWord extends UnderstoodWord {
  bare: boolean;
}

/** What reads the commands that stand inside a word. */
export interface NestedReader {
  /** Reads a list of commands and the parenthesis that closes it. */
  substitution(): void;
  /** Reads the text between backquotes. */
  backquoted(text: string): void;
}

/** Reads a word with its quotes and expansions (docs/shell-analysis.md); null when none begins here. */
export function readWord(scan: Scanner, out: CanonicalLine, nested: NestedReader): ReadWord | null {
  const text = scan.peek(PLAIN_WORD);
  if (text === null) return new WordReader(scan, out, nested).read();
  scan.at += text.length;
  out.add(text);
  return { text, value: text, bare: true };
}

/** Reads `<(…)` or `>(…)` as a word. */
export function readProcessSubstitution(scan: Scanner, out: CanonicalLine, nested: NestedReader): ReadWord {
  const start = scan.at;
  out.add(`${scan.char}( `);
  scan.at += 2;
  nested.substitution();
  out.add(')');
  if (scan.char !== '' && !ENDS_WORD.test(scan.char)) scan.refuse('a word that goes on after a process substitution');
  return { text: scan.text.slice(start, scan.at), value: null, bare: false };
}

class WordReader {
  private value: string | null = '';
  private literal = '';
  private isQuoted = false;
  private bare = true;
  /** Whether braces were read as text: a brace behind them could make several words of it all the same. */
  private braced = false;

  constructor(
    private readonly scan: Scanner,
    private readonly out: CanonicalLine,
    private readonly nested: NestedReader,
  ) {}

  read(): ReadWord | null {
    const { scan } = this;
    const start = scan.at;
    const mark = this.out.mark;
    for (let { char } = scan; char !== '' && !ENDS_WORD.test(char) && !scan.isContinued(); char = scan.char) {
      this.piece(char, start);
    }
    if (scan.at === start) return null;
    if (scan.isContinued() && !/[ \t]/.test(scan.ahead(2))) scan.refuse('a line that goes on in the middle of a word');
    if (scan.char === '(') scan.refuse('a parenthesis in a word');
    if (scan.isNext('<(') || scan.isNext('>(')) scan.refuse('a process substitution in a word');
    const text = scan.text.slice(start, scan.at);
    if (this.value === null || this.bare || ASSIGNMENT.test(text)) this.flush();
    else this.out.replaceSince(mark, quoted(this.value));
    return { text, value: this.value, bare: this.bare };
  }

  private piece(char: string, start: number): void {
    const { scan } = this;
    switch (char) {
      case "'":
        this.singleQuoted();
        return;
      case '"':
        this.doubleQuoted();
        return;
      case '\\':
        this.escaped();
        return;
      case '$':
        this.dollar();
        return;
      case '`':
        this.backquotes(/[\\]/);
        return;
      case '{':
        this.braces();
        return;
      case '*':
      case '?':
        this.active(char);
        return;
      case '[':
        if (scan.at === start && (scan.ahead(1) === '' || ENDS_WORD.test(scan.ahead(1)))) this.plain(char);
        else this.active(char);
        return;
      case '~':
        if (scan.at === start || /[=:]/.test(scan.text[scan.at - 1]!)) this.active(char);
        else this.plain(char);
        return;
      default:
        this.plain(this.plainText());
    }
  }

  private plainText(): string {
    const { scan } = this;
    const text = scan.peek(PLAIN) ?? (scan.char > '\x7f' ? scan.peek(BEYOND_ASCII) : null);
    return text ?? scan.refuse(`the character \`${scan.char}\` outside quotes`);
  }

  private plain(text: string): void {
    if (this.braced && text.includes('}')) this.scan.refuse('a brace behind a pair of braces');
    this.add(text, false);
    this.scan.at += text.length;
  }

  /** A character that makes file names, or home directories, of the word. */
  private active(char: string): void {
    this.expansion(char);
    this.bare = false;
    this.scan.at++;
  }

  /** Appends to the literal that is being read. */
  private add(text: string, isQuoted: boolean): void {
    if (isQuoted !== this.isQuoted) this.flush();
    this.isQuoted = isQuoted;
    this.literal += text;
    if (this.value !== null) this.value += text;
    if (isQuoted) this.bare = false;
  }

  private flush(): void {
    if (this.literal !== '') this.out.add(this.isQuoted ? inSingleQuotes(this.literal) : this.literal);
    this.literal = '';
  }

  private expansion(canonical: string): void {
    this.flush();
    this.value = null;
    this.bare = false;
    this.out.add(canonical);
  }

  private singleQuoted(): void {
    const { scan } = this;
    const end = scan.text.indexOf("'", scan.at + 1);
    if (end === -1) scan.refuse('a single quote that does not end');
    this.quote(scan.text.slice(scan.at + 1, end));
    scan.at = end + 1;
  }

  /** Quoted text; nothing in quotes still makes a word. */
  private quote(text: string): void {
    this.add(text, true);
    if (text !== '') return;
    this.flush();
    this.out.add("''");
  }

  private escaped(): void {
    const next = this.scan.ahead(1);
    if (next === '') this.scan.refuse('a backslash at the end');
    const character = String.fromCodePoint(this.scan.text.codePointAt(this.scan.at + 1)!);
    this.add(character, true);
    this.scan.at += 1 + character.length;
  }

  private dollar(): void {
    const { scan } = this;
    if (scan.ahead(1) === "'") {
      scan.at += 2;
      this.add(readAnsiQuoted(scan), true);
      return;
    }
    const lone = AFTER_LONE_DOLLAR.test(scan.ahead(1));
    if (lone) this.plain('$');
    else this.expand();
  }

  /** `$name`, `${…}`, `$(…)` or `$((…))`. */
  private expand(): void {
    const { scan } = this;
    this.expansion('');
    scan.at++;
    const name = scan.match(NAME);
    if (name !== null) this.out.add(`\${${name[0]}}`);
    else if (scan.char !== '' && SPECIAL_PARAMETER.test(scan.char)) this.out.add(`$${scan.text[scan.at++]!}`);
    else if (scan.char === '{') this.out.add(`$${readParameter(scan)}`);
    else if (scan.isNext('((')) this.out.add(`$${readArithmetic(scan)}`);
    else if (scan.take('(')) this.commands();
    else scan.refuse(`\`$${scan.char}\``);
  }

  /** The commands of a substitution whose parenthesis is open. */
  private commands(): void {
    this.out.add('$( ');
    this.nested.substitution();
    this.out.add(')');
  }

  private backquotes(refused: RegExp): void {
    const { scan } = this;
    const end = scan.text.indexOf('`', scan.at + 1);
    if (end === -1) scan.refuse('a backquote that does not end');
    const text = scan.text.slice(scan.at + 1, end);
    if (refused.test(text)) scan.refuse('a backslash or a quote within backquotes');
    this.expansion('$( ');
    this.nested.backquoted(text);
    this.out.add(')');
    scan.at = end + 1;
  }

  /** Text in double quotes; expansions in it stay in double quotes. */
  private doubleQuoted(): void {
    const { scan } = this;
    const start = ++scan.at;
    let literal = '';
    while (scan.char !== '"') {
      const { char } = scan;
      if (char === '') scan.refuse('a double quote that does not end');
      if (char === '\\') literal += this.quotedEscape();
      else if (char === '`' || (char === '$' && !AFTER_QUOTED_DOLLAR.test(scan.ahead(1)))) {
        this.add(literal, true);
        literal = '';
        this.quotedExpansion();
      } else {
        literal += scan.match(QUOTED)?.[0] ?? scan.text[scan.at++]!;
      }
    }
    if (scan.at === start) this.quote('');
    else this.add(literal, true);
    scan.at++;
  }

  private quotedExpansion(): void {
    this.expansion('"');
    if (this.scan.char === '`') this.backquotes(/[\\'"]/);
    else this.expand();
    this.out.add('"');
  }

  /** In double quotes a backslash takes the meaning of four characters and of a line end; before others it stays. */
  private quotedEscape(): string {
    const next = this.scan.ahead(1);
    const special = next !== '' && '$`"\\\n'.includes(next);
    this.scan.at += special ? 2 : 1;
    if (!special) return '\\';
    return next === '\n' ? '' : next;
  }

  /** `{}` and `{0}` are text; `{a,b}` and `{1..3}` become several words. */
  private braces(): void {
    const { scan } = this;
    const start = scan.at;
    let depth = 0;
    let many = false;
    do {
      const { char } = scan;
      if (char === '' || !BRACES.test(char)) scan.refuse('a brace with more than plain text in it');
      if (char === '{') depth++;
      else if (char === '}') depth--;
      many ||= char === ',' || scan.isNext('..');
      scan.at++;
    } while (depth > 0);
    const text = scan.text.slice(start, scan.at);
    if (/[<>]/.test(scan.char)) scan.refuse('a brace before a redirect');
    if (many || /[*?]/.test(text)) {
      this.expansion(text);
    } else {
      if (this.braced) scan.refuse('two pairs of braces in a word');
      this.braced = true;
      this.add(text, false);
      this.bare = false;
    }
  }
}
