const NEWLINE = Symbol('newline');

/** A here-document; its body is known only when the line that opens it has ended. */
export interface HereDocument {
  delimiter: string;
  body: string;
}

const PLAIN = /^[A-Za-z0-9_./:@%+,-]+$/;
const RESERVED = new Set(
  'if then elif else fi for while until do done case esac in time function select coproc'.split(' '),
);

/** Writes what was understood as a line that has one statement a line and quotes in one way. */
export class CanonicalLine {
  private readonly pieces: (string | HereDocument | typeof NEWLINE)[] = [];

  add(piece: string): void {
    this.pieces.push(piece);
  }

  newline(): void {
    this.pieces.push(NEWLINE);
  }

  hereDocument(document: HereDocument): void {
    this.pieces.push(document);
  }

  /** Where the next piece goes, to put something else there later. */
  get mark(): number {
    return this.pieces.length;
  }

  /** Replaces everything since a mark. */
  replaceSince(mark: number, piece: string): void {
    while (this.pieces.length > mark) this.pieces.pop();
    this.pieces.push(piece);
  }

  toString(): string {
    let text = '';
    let bodies = '';
    for (const piece of this.pieces) {
      if (piece === NEWLINE) {
        text += `\n${bodies}`;
        bodies = '';
      } else if (typeof piece === 'string') {
        text += piece;
      } else {
        text += `<<'${piece.delimiter}'`;
        bodies += `${piece.body}${piece.delimiter}\n`;
      }
    }
    return text.trimEnd();
  }
}

/** A literal within single quotes, or bare where that cannot mean anything else. */
export function quoted(value: string): string {
  return PLAIN.test(value) && !RESERVED.has(value) ? value : inSingleQuotes(value);
}

export function inSingleQuotes(value: string): string {
  return `'${value.replaceAll("'", "'\\''")}'`;
}
