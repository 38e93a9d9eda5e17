/** A line that is not written in the language of docs/shell-analysis.md; the message says for a person which piece of it is not. */
export class OutsideLanguage extends Error {}

/** Control characters, among them those that bash uses for itself, save tab and line end. */
const CONTROL = /[^\P{Cc}\t\n]/u;
const BLANK = /[ \t]/;

/** How deep substitutions, compound commands and tests may nest. */
export const MAX_DEPTH = 60;

/** The text of a line and how far it has been read. */
export class Scanner {
  at = 0;

  constructor(readonly text: string) {
    if (CONTROL.test(text)) this.refuse('the line holds NUL, a carriage return or another control character');
    if (!text.isWellFormed()) this.refuse('the line holds half of a character');
  }

  /** The character that comes next; empty at the end. */
  get char(): string {
    return this.text[this.at] ?? '';
  }

  /** The character `offset` places ahead of the next one. */
  ahead(offset: number): string {
    return this.text[this.at + offset] ?? '';
  }

  isNext(token: string): boolean {
    return this.text.startsWith(token, this.at);
  }

  /** Takes what comes next if it is the token. */
  take(token: string): boolean {
    if (!this.isNext(token)) return false;
    this.at += token.length;
    return true;
  }

  /** Takes what a sticky pattern finds here; null when it finds nothing. */
  match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found !== null) this.at = pattern.lastIndex;
    return found;
  }

  /** What a sticky pattern finds here, without taking it. */
  peek(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    return pattern.test(this.text) ? this.text.slice(this.at, pattern.lastIndex) : null;
  }

  refuse(why: string): never {
    throw new OutsideLanguage(why);
  }

  /** Takes blanks, and line ends that a backslash takes away. Those must touch a blank, so that no token can hide in two halves. */
  blanks(): void {
    for (;;) {
      const { char } = this;
      if (char === ' ' || char === '\t') this.at++;
      else if (char === '\\' && this.ahead(1) === '\n') this.continuation();
      else return;
    }
  }

  /** Whether a backslash takes the line end away that comes next. */
  isContinued(): boolean {
    return this.char === '\\' && this.ahead(1) === '\n';
  }

  private continuation(): void {
    const before = this.at === 0 || /[ \t\n]/.test(this.text[this.at - 1]!);
    this.at += 2;
    if (!before && !BLANK.test(this.char)) this.refuse('a line that goes on in the middle of a word');
    if (this.char === '#') this.refuse('a comment after a line that goes on');
  }
}
