import type { GrantKey } from '../effects/shell-line.js';
import type { ShellWord } from '../words/shell-word.js';
import { isListedOption, reachesFurther } from './counts-once.js';
import { isSubcommandWord } from './script-key.js';
import type { ReadGrammar } from './subcommand-grammar.js';

/** Questions about a program, in one letter. */
const ASKS = new Set(['-h', '-V']);

/** The key of a program that has subcommands. `keyOfInner` answers for the program that a subcommand runs in turn. */
export function subcommandKey(
  program: string,
  grammar: ReadGrammar,
  words: readonly ShellWord[],
  keyOfInner: (words: readonly ShellWord[]) => GrantKey,
): GrantKey {
  return new SubcommandScan(program, grammar, words, keyOfInner).run();
}

class SubcommandScan {
  private readonly path: string[] = [];
  private at = 1;

  constructor(
    private readonly program: string,
    private readonly grammar: ReadGrammar,
    private readonly words: readonly ShellWord[],
    private readonly keyOfInner: (words: readonly ShellWord[]) => GrantKey,
  ) {}

  run(): GrantKey {
    const { grammar } = this;
    if (grammar.runs.has('*')) return this.launched();
    for (; this.at < this.words.length && this.wanted(); this.at++) {
      const why = this.word(this.words[this.at]!);
      if (why !== null) return { once: why };
      const path = this.path.join(' ');
      if (grammar.once.has(path)) {
        return { once: `\`${this.program} ${path}\` deletes, overwrites, or runs what follows it` };
      }
      if (grammar.runs.has(path)) {
        this.at++;
        return this.launched();
      }
    }
    const why = this.restCountsOnce();
    return why === null ? { key: this.named() } : { once: why };
  }

  private named(): string {
    return [this.program, ...this.path].join(' ');
  }

  private takesAllWords(): boolean {
    return this.grammar.allWords.has('*') || (this.path.length > 0 && this.grammar.allWords.has(this.path[0]!));
  }

  private wanted(): boolean {
    if (this.takesAllWords()) return true;
    return this.path.length < (this.grammar.twoWords.has(this.path[0] ?? '') ? 2 : this.grammar.depth);
  }

  /** Reads one word on the way to the subcommand; answers why there is no key. */
  private word({ value, text }: ShellWord): string | null {
    if (value === null) return `\`${text}\` stands where a subcommand of \`${this.program}\` is named`;
    if (value.startsWith('-')) return this.option(value);
    if (!isSubcommandWord(value)) return `\`${text}\` is not a plain word for a subcommand of \`${this.program}\``;
    this.path.push(value);
    return null;
  }

  private option(value: string): string | null {
    const equals = value.indexOf('=');
    const name = equals === -1 ? value : value.slice(0, equals);
    if (this.isOnce(value)) return reachesFurther(value);
    if (this.grammar.flags.has(value) || this.grammar.joined?.test(value) === true) return null;
    if (this.grammar.valued.has(name)) {
      if (equals === -1) this.at++;
      return null;
    }
    return this.unknownOption(value);
  }

  /** After the words that a subcommand needs, an unknown option is accepted, and so is the word after it as its value. */
  private unknownOption(value: string): string | null {
    const complete = this.grammar.depth > 1 && this.path.length >= this.grammar.depth;
    if (!complete) return `the option \`${value}\` stands before a subcommand of \`${this.program}\` and is not known`;
    if (!value.includes('=') && this.words[this.at + 1]?.value?.startsWith('-') === false) this.at++;
    return null;
  }

  private restCountsOnce(): string | null {
    const operands = this.grammar.onceOperands.get(this.path[0] ?? '');
    for (const { value } of this.words.slice(1)) {
      if (value === null) continue;
      const further = value.startsWith('-') ? this.isOnce(value) : operands?.test(value) === true;
      if (further) return reachesFurther(value);
    }
    return null;
  }

  private isOnce(value: string): boolean {
    if (ASKS.has(value)) return true;
    const { onceOptions, singleDash } = this.grammar;
    if (onceOptions.size === 0) return false;
    const paths = ['*', this.path[0] ?? '', this.path.slice(0, 2).join(' ')];
    return paths.some((path) => isListedOption(value, onceOptions.get(path) ?? [], singleDash));
  }

  /** `npx jest`, `uv run pytest`: the key goes on with that of the program that is run. */
  private launched(): GrantKey {
    const before = this.named();
    for (; this.at < this.words.length; this.at++) {
      const { value } = this.words[this.at]!;
      if (value === null || value === '--' || !value.startsWith('-')) break;
      const why = this.option(value);
      if (why !== null) return { once: why };
    }
    if (this.words[this.at]?.value === '--') this.at++;
    const inner = this.keyOfInner(this.words.slice(this.at));
    return 'key' in inner ? { key: `${before} ${inner.key}` } : inner;
  }
}
