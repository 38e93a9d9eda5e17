import { SeededRandom } from '../random/seeded-random.js';

/** A text, or how to make one. */
export type Piece = string | (() => string);

/**
 * Chance for one generated line. Each name that the line must not run or write unlisted occurs once in it, so that a hidden one is
 * never excused by an open one.
 */
export class LineSource {
  private readonly random: SeededRandom;
  private names = 0;
  private nesting = 0;
  /** How likely a choice is an odd one: most lines hold one odd thing among plain ones, so that they are judged at all. */
  readonly wildness: number;

  constructor(seed: number) {
    this.random = new SeededRandom(seed);
    this.wildness = this.pick([0.05, 0.1, 0.15, 0.2, 0.3, 0.5]);
  }

  chance(probability: number): boolean {
    return this.random.next() < probability;
  }

  between(low: number, high: number): number {
    return this.random.between(low, high);
  }

  pick<T>(choices: readonly T[]): T {
    return this.random.pick(choices);
  }

  /** One of the plain pieces, or with the wildness of the line an odd one. */
  choose(plain: readonly Piece[], odd: readonly Piece[]): string {
    return text(this.pick(odd.length > 0 && this.chance(this.wildness) ? odd : plain));
  }

  one(pieces: readonly Piece[]): string {
    return text(this.pick(pieces));
  }

  /** Up to `most` pieces. */
  some(least: number, most: number, piece: () => string): string[] {
    return Array.from({ length: this.between(least, most) }, piece);
  }

  maybe(probability: number, piece: Piece): string {
    return this.chance(probability) ? text(piece) : '';
  }

  /** What `deep` makes, or below a depth of four `flat`. */
  nested(deep: () => string, flat: Piece): string {
    if (this.nesting >= 4) return text(flat);
    this.nesting++;
    const made = deep();
    this.nesting--;
    return made;
  }

  /** A program of this name occurs once in the line. */
  program(): string {
    return `q${++this.names}`;
  }

  /** A file of this name is there only if the line makes it. */
  file(): string {
    return `pwned${++this.names}`;
  }

  /** Text that runs or writes where a reader takes it for code of a shell. */
  danger(): string {
    return this.one([
      () => `$(${this.program()})`,
      () => `$(${this.program()})`,
      () => `\`${this.program()}\``,
      () => `; ${this.program()}`,
      () => `;${this.program()} #`,
      () => `>${this.file()}`,
      () => `>>${this.file()} `,
      () => `| ${this.program()}`,
      () => `&& ${this.program()}`,
      () => `||${this.program()}`,
      () => `& ${this.program()} `,
      () => `\n${this.program()}\n`,
      () => `<(${this.program()})`,
      () => `>(${this.program()})`,
      () => `$[$(${this.program()})]`,
      () => `\${x:-$(${this.program()})}`,
      () => `$(${this.program()} >${this.file()})`,
      () => `) ${this.program()} (`,
      () => `}; ${this.program()};{`,
    ]);
  }

  /** A text as one word of the shell. */
  quote(value: string): string {
    const single = `'${value.replaceAll("'", `'\\''`)}'`;
    return this.choose(
      [single],
      [
        () => `"${value.replaceAll(/[\\"$`]/g, '\\$&')}"`,
        () => `$'${value.replaceAll(/[\\']/g, '\\$&').replaceAll('\n', '\\n')}'`,
        () => value.replaceAll(/[^A-Za-z0-9_./\n-]/g, '\\$&').replaceAll('\n', "'\n'") || "''",
        () => `''${single}`,
      ],
    );
  }
}

function text(piece: Piece): string {
  return typeof piece === 'string' ? piece : piece();
}
