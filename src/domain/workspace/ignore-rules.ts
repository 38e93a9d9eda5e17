import ignore, { type Ignore } from 'ignore';

interface Layer {
  /** Folder of the rules, relative to the repository's top: empty or ending in a slash. */
  base: string;
  rules: Ignore;
}

/**
 * The ignore rules that hold in one folder of a repository: its own `.gitignore`, those of the folders above, and
 * `.git/info/exclude` at the bottom. The deepest rule that says anything decides, as in git.
 */
export class IgnoreRules {
  private constructor(private readonly layers: readonly Layer[]) {}

  static readonly none = new IgnoreRules([]);

  /** With the rules in the text of a file that stands in the folder `base`. */
  with(base: string, text: string | undefined): IgnoreRules {
    if (text === undefined || text.trim() === '') return this;
    return new IgnoreRules([{ base, rules: ignore({ allowRelativePaths: true }).add(text) }, ...this.layers]);
  }

  /** @param path relative to the repository's top */
  ignores(path: string, isDirectory: boolean): boolean {
    for (const { base, rules } of this.layers) {
      const relative = path.slice(base.length);
      const verdict = rules.test(isDirectory ? `${relative}/` : relative);
      if (verdict.ignored) return true;
      if (verdict.unignored) return false;
    }
    return false;
  }
}

/** Globs that bring ignored files back, in the notation of an ignore file. */
export class IncludeGlobs {
  private readonly rules: Ignore;
  private readonly anywhere: boolean;
  private readonly starts: readonly string[];

  constructor(globs: readonly string[]) {
    this.rules = ignore({ allowRelativePaths: true }).add([...globs]);
    const literal = globs.map((glob) => literalStart(glob));
    this.anywhere = literal.includes('');
    this.starts = literal;
  }

  matches(path: string): boolean {
    return this.rules.ignores(path);
  }

  /** Whether something below an ignored folder could match, so that it is worth a look. */
  mayMatchBelow(folder: string): boolean {
    if (this.starts.length === 0) return false;
    return (
      this.anywhere || this.starts.some((start) => `${folder}/`.startsWith(start) || start.startsWith(`${folder}/`))
    );
  }
}

/** The folders that a glob names without wildcards, with a trailing slash; empty when it may match at any depth. */
function literalStart(glob: string): string {
  const anchored = glob.replace(/^\//, '');
  const inner = anchored.replace(/\/$/, '');
  if (!inner.includes('/') && !glob.startsWith('/')) return '';
  const parts = anchored.split('/');
  const wild = parts.findIndex((part) => /[*?[\\]/.test(part));
  const literal = wild < 0 ? parts : parts.slice(0, wild);
  const start = literal.filter((part) => part !== '').join('/');
  return start === '' ? '' : `${start}/`;
}
