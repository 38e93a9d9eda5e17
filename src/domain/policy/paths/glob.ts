import { RE2JS } from 're2js';

type Token =
  | { kind: 'text'; regex: string }
  | { kind: 'literal'; text: string }
  | { kind: 'anything' }
  | { kind: 'slash' }
  | { kind: 'leading' }
  | { kind: 'trailing' }
  | { kind: 'between' }
  | { kind: 'choice'; branches: Token[][] };

/** A glob that was compiled to a linear-time matcher of whole paths. */
export interface PathGlob {
  readonly matches: (path: string) => boolean;
}

/**
 * Compiles a glob of a policy (docs/design/policy.md): `*` and `?` cross `/`, `**` as a whole component spans directories, classes
 * and `?` are bytes, `{x,y}` nests and drops empty alternatives. Throws an `Error` that says what is wrong with the glob.
 */
export function compileGlob(glob: string): PathGlob {
  const tokens = new GlobScanner(asBytes(glob)).scan();
  const alone = tokens.length === 1 && tokens[0]?.kind === 'leading';
  return { matches: alone ? () => true : (comparisonOf(tokens) ?? expressionOf(tokens)) };
}

/** Most globs are ASCII with wildcards at their ends alone, and so are comparisons of texts; null for any other. */
function comparisonOf(tokens: readonly Token[]): PathGlob['matches'] | null {
  const [first, last] = [tokens[0]?.kind, tokens.at(-1)?.kind];
  const isOpen = last === 'trailing' || last === 'anything';
  let text = '';
  for (const token of tokens.slice(first === 'leading' ? 1 : 0, isOpen ? -1 : undefined)) {
    if (token.kind === 'literal') text += token.text;
    else if (token.kind === 'slash') text += '/';
    else return null;
  }
  if (last === 'trailing') text += '/';
  if (!ASCII.test(text)) return null;
  if (first !== 'leading') return isOpen ? (path) => path.startsWith(text) : (path) => path === text;
  const within = `/${text}`;
  if (isOpen) return (path) => path.startsWith(text) || path.includes(within);
  return (path) => path === text || path.endsWith(within);
}

function expressionOf(tokens: readonly Token[]): PathGlob['matches'] {
  const pattern = RE2JS.compile(tokens.map(regexOf).join(''), RE2JS.DOTALL);
  return (path) => pattern.testExact(asBytes(path));
}

// eslint-disable-next-line no-control-regex -- the range of ASCII
const ASCII = /^[\x00-\x7f]*$/;

/** One character per UTF-8 byte, so that `?` and classes mean bytes. */
function asBytes(text: string): string {
  return ASCII.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

function regexOf(token: Token): string {
  switch (token.kind) {
    case 'text':
      return token.regex;
    case 'literal':
      return RE2JS.quote(token.text);
    case 'anything':
      return '.*';
    case 'slash':
      return '/';
    case 'leading':
      return '(?:/?|.*/)';
    case 'trailing':
      return '/.*';
    case 'between':
      return '(?:/|/.*/)';
    case 'choice': {
      const branches = token.branches.map((branch) => branch.map(regexOf).join('')).filter((text) => text !== '');
      return branches.length === 0 ? '' : `(?:${branches.join('|')})`;
    }
  }
}

class GlobScanner {
  private at = 0;
  private readonly choices: Token[][][] = [];
  private tokens: Token[] = [];

  constructor(private readonly glob: string) {}

  scan(): Token[] {
    while (this.at < this.glob.length) this.next();
    if (this.choices.length > 0) throw new Error('an opening { is not closed');
    return this.tokens;
  }

  private next(): void {
    const char = this.glob[this.at]!;
    this.at++;
    if (char === '*') this.star();
    else if (char === '?') this.tokens.push({ kind: 'text', regex: '.' });
    else if (char === '[') this.tokens.push({ kind: 'text', regex: this.byteClass() });
    else if (char === '{') this.openChoice();
    else if (char === '}') this.closeChoice();
    else if (char === ',' && this.choices.length > 0) this.nextBranch();
    else if (char === '/') this.tokens.push({ kind: 'slash' });
    else if (char === '\\') this.escaped();
    else this.literal(char);
  }

  private literal(text: string): void {
    this.tokens.push({ kind: 'literal', text });
  }

  private escaped(): void {
    const char = this.glob[this.at];
    if (char === undefined) throw new Error('a backslash at the end escapes nothing');
    this.at++;
    this.literal(char);
  }

  private openChoice(): void {
    this.choices.push([this.tokens, []]);
    this.tokens = [];
  }

  private nextBranch(): void {
    this.choices.at(-1)!.push(this.tokens);
    this.tokens = [];
  }

  private closeChoice(): void {
    const open = this.choices.pop();
    if (open === undefined) throw new Error('a } closes nothing');
    const [outer, , ...branches] = open;
    branches.push(this.tokens);
    this.tokens = outer!;
    this.tokens.push({ kind: 'choice', branches });
  }

  /** `**` counts as a component only between separators or the ends of the glob or of an alternative. */
  private star(): void {
    const anything: Token = { kind: 'anything' };
    if (this.glob[this.at] !== '*') {
      this.tokens.push(anything);
      return;
    }
    this.at++;
    const following = this.glob[this.at];
    const inChoice = this.choices.length > 0 && (following === ',' || following === '}');
    const endsHere = following === undefined || inChoice;
    if (!endsHere && following !== '/') {
      this.tokens.push(anything);
    } else if (this.tokens.length === 0) {
      this.tokens.push(endsHere ? anything : { kind: 'leading' });
      if (!endsHere) this.at++;
    } else {
      this.componentStar(endsHere);
    }
  }

  private componentStar(endsHere: boolean): void {
    const previous = this.tokens.at(-1)!;
    const afterSeparator = previous.kind === 'slash' || previous.kind === 'leading' || previous.kind === 'between';
    if (!afterSeparator) {
      this.tokens.push({ kind: 'anything' });
      return;
    }
    if (!endsHere) this.at++;
    if (previous.kind === 'leading') {
      if (endsHere) this.tokens.push({ kind: 'anything' });
      return;
    }
    this.tokens.pop();
    this.tokens.push({ kind: endsHere ? 'trailing' : 'between' });
  }

  private byteClass(): string {
    let negated = false;
    if (this.glob[this.at] === '!' || this.glob[this.at] === '^') {
      negated = true;
      this.at++;
    }
    const ranges: string[] = [];
    for (let first = true; ; first = false) {
      const low = this.glob[this.at];
      if (low === undefined) throw new Error('an opening [ is not closed');
      this.at++;
      if (low === ']' && !first) break;
      ranges.push(this.byteRange(low));
    }
    return `[${negated ? '^' : ''}${ranges.join('')}]`;
  }

  private byteRange(low: string): string {
    const high = this.glob[this.at + 1];
    if (this.glob[this.at] !== '-' || high === undefined || high === ']') return classByte(low);
    this.at += 2;
    if (low > high) throw new Error(`the range ${low}-${high} is inverted`);
    return `${classByte(low)}-${classByte(high)}`;
  }
}

function classByte(char: string): string {
  return `\\x{${char.charCodeAt(0).toString(16)}}`;
}
