/** Private characters stand for what was taken out; whoever types them has them cut. */
const FIRST = 0xe000;
const MOST = 0x1000;
const PRIVATE = /[\uE000-\uF8FF]/g;
const STAND_IN = /[\uE000-\uF8FF]/;
const QUOTED = /"([^"\n]{1,200})"|“([^”\n]{1,200})[”“]|„([^“”\n]{1,200})[“”]|«([^»\n]{1,200})»|`([^`\n]{1,200})`/g;

export type Guarded = { kind: 'quote' | 'note'; text: string };

/** A text whose quotes and brackets are one character each, so that it can be cut at commas. */
export class GuardedText {
  private readonly kept: Guarded[] = [];
  readonly text: string;

  constructor(given: string) {
    const plain = given.normalize('NFC').replaceAll(PRIVATE, '').replaceAll(/\r\n?/g, '\n');
    const unquoted = plain.replaceAll(QUOTED, (_whole, ...groups: unknown[]) => {
      const inner = groups.find((group, at) => at < 5 && typeof group === 'string');
      return this.keep('quote', String(inner));
    });
    this.text = this.withoutBrackets(unquoted);
  }

  /** What is said in a phrase besides its words; the words have blanks in its place. */
  read(phrase: string): { words: string; quotes: string[]; notes: string[] } {
    const found = [...phrase].flatMap((one) => (STAND_IN.test(one) ? [this.kept[one.charCodeAt(0) - FIRST]] : []));
    const of = (kind: Guarded['kind']): string[] =>
      found.flatMap((one) => (one?.kind === kind ? [this.restore(one.text)] : []));
    return {
      words: phrase.replaceAll(PRIVATE, ' ').replaceAll(/\s+/g, ' ').trim(),
      quotes: of('quote'),
      notes: of('note'),
    };
  }

  /** A note in place of words. */
  keep(kind: Guarded['kind'], text: string): string {
    if (this.kept.length >= MOST) return ' ';
    this.kept.push({ kind, text });
    return String.fromCharCode(FIRST + this.kept.length - 1);
  }

  /** The text as it was, with the quotes that stood in it. */
  private restore(text: string): string {
    return text
      .replaceAll(PRIVATE, (one) => this.kept[one.charCodeAt(0) - FIRST]?.text ?? '')
      .replaceAll(/\s+/g, ' ')
      .trim();
  }

  /** Innermost first; a bracket without its other half stays a character. */
  private withoutBrackets(text: string): string {
    let rest = text;
    for (;;) {
      const next = rest.replaceAll(/\(([^()]*)\)|\[([^[\]]*)\]/g, (_whole, round?: string, square?: string) =>
        this.keep('note', round ?? square ?? ''),
      );
      if (next === rest) return rest;
      rest = next;
    }
  }
}
