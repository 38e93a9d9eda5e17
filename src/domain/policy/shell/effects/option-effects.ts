import type { ShellWord } from '../shell-word.js';
import type { Effects, FileEffect } from './effects.js';
import type { OptionTable } from './option-table.js';

/** Reads the words of a program against its table. Words after `--` are operands. Errs towards finding an option where there is none. */
export function optionEffects(program: string, table: OptionTable, words: readonly ShellWord[]): Effects {
  return new OptionScan(program, table, words).run();
}

type Use = 'runs' | 'writes' | 'reads';
const USES: readonly Use[] = ['runs', 'writes', 'reads'];

class OptionScan {
  private readonly writes: FileEffect[] = [];
  private readonly reads: FileEffect[] = [];
  private hazard: Effects['hazard'] = null;
  private at = 1;
  private operands = 0;
  private ended = false;

  constructor(
    private readonly program: string,
    private readonly table: OptionTable,
    private readonly words: readonly ShellWord[],
  ) {}

  run(): Effects {
    for (; this.at < this.words.length; this.at++) this.word(this.words[this.at]!);
    return { hazard: this.hazard, writes: this.writes, reads: this.reads };
  }

  private word(word: ShellWord): void {
    const { value } = word;
    if (this.ended) this.operand(word);
    else if (value === null) this.unknown(word);
    else if (value === '--') this.ended = true;
    else if (this.table.suspicious?.test(value) === true)
      this.refuse(`\`${value}\` makes \`${this.program}\` run or load something`);
    else if (value.startsWith('--') || (this.table.singleDash === true && value.length > 1 && value.startsWith('-')))
      this.long(value);
    else if (value.length > 1 && value.startsWith('-')) this.bundle(value.slice(1));
    else this.operand(word);
  }

  private unknown(word: ShellWord): void {
    if (word.mayBeOption) {
      this.refuse(`\`${word.text}\` may be an option of \`${this.program}\`; put \`--\` before it`);
    }
    this.operand(word);
  }

  private operand(word: ShellWord): void {
    this.operands++;
    if (this.operands === 1 && this.table.oldBundle === true && word.value !== null) this.oldBundle(word.value);
    if (this.operands === 2 && this.table.secondOperandWritten === true) {
      this.writes.push({ text: `${this.program} ${word.text}`, path: word.value });
    }
  }

  /** Letters without a dash, whose arguments follow as words. */
  private oldBundle(letters: string): void {
    for (const letter of letters) this.use(`-${letter}`, null);
  }

  private long(value: string): void {
    const equals = value.indexOf('=');
    const name = equals === -1 ? value : value.slice(0, equals);
    const given = equals === -1 ? null : value.slice(equals + 1);
    if (this.table.singleDash !== true) {
      this.use(name, given);
      return;
    }
    this.use(name.startsWith('--') ? name.slice(1) : name, given);
  }

  private bundle(letters: string): void {
    for (let i = 0; i < letters.length; i++) {
      const letter = letters[i]!;
      const rest = letters.slice(i + 1);
      const used = this.use(`-${letter}`, rest === '' ? null : rest);
      if (used) return;
      if (this.table.valued?.includes(letter) === true) {
        if (rest === '') this.skipArgument();
        return;
      }
    }
  }

  /** The argument of an option that matters to nobody; a word that may be an option is looked at all the same. */
  private skipArgument(): void {
    const next = this.words[this.at + 1];
    if (next === undefined) return;
    const plain = next.value === null ? !next.mayBeOption : !next.value.startsWith('-');
    if (plain) this.at++;
  }

  /** Notes an option that matters; answers whether it takes the rest of its bundle. */
  private use(name: string, given: string | null): boolean {
    const use = USES.find((kind) => this.table[kind]?.some((option) => this.means(name, option)) === true);
    if (use === undefined) return false;
    if (use === 'runs') {
      this.refuse(`the option \`${name}\` of \`${this.program}\` runs or loads something`);
      return true;
    }
    const next = given === null ? this.words[this.at + 1] : undefined;
    if (next !== undefined) this.at++;
    const path = given ?? next?.value ?? null;
    this[use].push({ text: `${this.program} ${name} ${given ?? next?.text ?? ''}`.trim(), path });
    return true;
  }

  private means(name: string, option: string): boolean {
    if (name === option) return true;
    return this.table.abbreviates !== false && name.length > 2 && name.startsWith('--') && option.startsWith(name);
  }

  private refuse(why: string): void {
    this.hazard ??= { at: this.at, why };
  }
}
