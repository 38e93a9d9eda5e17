import type { ShellWord } from '../words/shell-word.js';
import type { Effects, FileEffect } from './effects.js';
import { laterHazard } from './effects.js';
import type { Grammar, Option } from './option-grammar.js';
import { longOption } from './option-grammar.js';

/** Reads the words of a program against its grammar. In doubt it takes a word for an option. */
export function optionEffects(program: string, grammar: Grammar, words: readonly ShellWord[]): Effects {
  return new OptionScan(program, grammar, words).run();
}

class OptionScan {
  private readonly writes: FileEffect[] = [];
  private readonly reads: FileEffect[] = [];
  private hazard: Effects['hazard'] = null;
  private at = 1;
  private operands = 0;
  private ended = false;
  /** Whether only the run decides the names of the files that the program makes. */
  private names = false;
  private packs = false;
  private readonly archives: FileEffect[] = [];

  constructor(
    private readonly program: string,
    private readonly grammar: Grammar,
    private readonly words: readonly ShellWord[],
  ) {}

  run(): Effects {
    for (; this.at < this.words.length; this.at++) this.word(this.words[this.at]!);
    if (this.packs) this.writes.push(...this.archives);
    if (this.names || this.grammar.makes === true) this.writes.push({ text: this.program, path: null });
    return { hazard: this.hazard, writes: this.writes, reads: this.reads };
  }

  private word(word: ShellWord): void {
    const { value } = word;
    if (value !== null && this.grammar.suspicious?.test(value) === true)
      this.refuse(`\`${value}\` makes \`${this.program}\` run or load something`);
    else if (value === null && this.grammar.literal === true) this.refuse(`\`${word.text}\` is not a literal`);
    else if (this.ended) this.operand(word);
    else if (value === null) this.unknown(word);
    else if (value === '--') this.ended = true;
    else if (this.at === 1 && this.grammar.oldBundle === true && !value.startsWith('-')) this.oldBundle(value);
    else if (value.length < 2 || !value.startsWith('-')) this.operand(word);
    else if (this.grammar.singleDash === true || value.startsWith('--')) this.long(value);
    else this.bundle(value.slice(1));
  }

  private unknown(word: ShellWord): void {
    if (word.mayBeOption && this.grammar.guarded) {
      this.refuse(`\`${word.text}\` may be an option of \`${this.program}\`; put \`--\` before it`);
    }
    this.operand(word);
  }

  private operand(word: ShellWord): void {
    const { grammar } = this;
    if (grammar.prompt === true) this.ended = true;
    if (grammar.numbers === true && word.value !== null && /^[\d.]+$/.test(word.value)) return;
    const several = word.value === null && !word.single;
    if (grammar.writtenFrom !== undefined && (several || this.operands >= grammar.writtenFrom)) {
      this.writes.push({ text: `${this.program} ${word.text}`, path: word.value });
    }
    this.operands++;
  }

  /** Letters without a dash, whose arguments follow as words. */
  private oldBundle(letters: string): void {
    for (const letter of letters) this.take(`-${letter}`, this.short(`-${letter}`), null);
  }

  private long(value: string): void {
    const equals = value.indexOf('=');
    const written = equals === -1 ? value : value.slice(0, equals);
    const given = equals === -1 ? null : value.slice(equals + 1);
    const name = this.grammar.singleDash === true && written.startsWith('--') ? written.slice(1) : written;
    const option = longOption(this.grammar, name);
    if (typeof option !== 'string') this.take(name, option, given);
    else if (option === 'ambiguous') this.refuse(`\`${name}\` may be one of several options of \`${this.program}\``);
    else if (this.grammar.singleDash !== true || !this.joinedNumber(value)) this.refuseUnknown(name);
  }

  /** `-c8` of a program whose long options have one dash. */
  private joinedNumber(value: string): boolean {
    const option = this.grammar.options.get(value.slice(0, 2));
    return option?.use === 'harmless' && option.argument === 'required' && /^[-+]?[0-9a-fx]+$/.test(value.slice(2));
  }

  private bundle(letters: string): void {
    for (let i = 0; i < letters.length; i++) {
      const name = `-${letters[i]!}`;
      const rest = letters.slice(i + 1);
      const option = this.short(name);
      if (option === null || option.argument === 'none') {
        if (this.take(name, option, null)) continue;
        return;
      }
      if (this.grammar.wholeWords === true && rest !== '' && !/^\d+$/.test(rest)) {
        this.refuse(`it is not sure where the argument of \`${name}\` of \`${this.program}\` stands`);
      }
      this.take(name, option, rest === '' ? null : rest);
      return;
    }
  }

  /** Null when the grammar lacks it. */
  private short(name: string): Option | null {
    return this.grammar.options.get(name) ?? null;
  }

  /** Notes what an option does; answers whether more letters may follow it. */
  private take(name: string, option: Option | null, given: string | null): boolean {
    if (option === null) {
      if (this.grammar.open === undefined) this.refuseUnknown(name);
      return this.grammar.open !== undefined;
    }
    if (option.use === 'runs') {
      this.refuse(`the option \`${name}\` of \`${this.program}\` runs or loads something`);
      // The next word may be its argument, and so no option.
      if (option.argument === 'required' && given === null && this.grammar.open === undefined) this.at++;
      return false;
    }
    if (option.use === 'elsewhere' && this.operands > 0) {
      this.refuse(`the option \`${name}\` of \`${this.program}\` makes it read its instructions elsewhere`);
    }
    if (option.use === 'names') this.names = true;
    if (option.use === 'packs') this.packs = true;
    const argument = option.argument === 'required' && given === null ? this.next(option) : null;
    this.file(option, `${name} ${given ?? argument?.text ?? ''}`, given ?? argument?.value ?? null, argument);
    return true;
  }

  private file({ use }: Option, what: string, path: string | null, word: ShellWord | null): void {
    const effect = { text: `${this.program} ${what}`.trim(), path };
    if (use === 'writes') this.writes.push(effect);
    else if (use === 'reads') this.reads.push(effect);
    else if (use === 'archive') {
      this.archives.push(effect);
      // Before a slash, a colon ends the name of a host, which a program reaches.
      if (path === null ? word?.mayBeOption === true : /^[^/]+:/.test(path)) {
        this.refuse(`\`${effect.text}\` may be an archive on another host`);
      }
    }
  }

  /** The word after an option. One of unknown value must be one word; an open grammar looks at what may be an option all the same. */
  private next({ use }: Option): ShellWord | null {
    const next = this.words[this.at + 1];
    if (next === undefined) return null;
    if (this.grammar.open !== undefined && use === 'harmless') {
      const plain = next.value === null ? !next.mayBeOption : !next.value.startsWith('-');
      if (!plain) return null;
    }
    this.at++;
    if (next.value === null && !next.single && this.grammar.guarded) {
      this.refuse(`\`${next.text}\` may be more than one word`);
    }
    return next;
  }

  private refuseUnknown(name: string): void {
    this.refuse(`the option \`${name}\` of \`${this.program}\` is not known`);
  }

  private refuse(why: string): void {
    this.hazard = laterHazard(this.hazard, { at: this.at, why });
  }
}
