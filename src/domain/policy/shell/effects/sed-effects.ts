import type { ShellWord } from '../words/shell-word.js';
import type { Effects } from './effects.js';
import { laterHazard } from './effects.js';
import { readSedScript } from './sed-script.js';

const FLAGS = /^[nrEsuzb]$/;
const LONG_FLAGS =
  /^--(?:quiet|silent|debug|posix|regexp-extended|separate|unbuffered|null-data|zero-terminated|binary|sandbox|follow-symlinks|help|version)$/;
/** What may be added to the name of a file to name its backup: a `/` or a `*` may lead elsewhere. */
const SUFFIX = /^[^/*]*$/;

/** `sed` is judged by its script: what that runs is refused, what it writes, in place or with `w`, counts as written (CP-338). */
export function sedEffects(words: readonly ShellWord[]): Effects {
  return new SedScan(words).run();
}

class SedScan {
  private readonly effects: Effects = { hazard: null, writes: [], reads: [] };
  private readonly scripts: string[] = [];
  private readonly files: { at: number; word: ShellWord }[] = [];
  private at = 1;
  /** Where the last piece of the script stands. */
  private scriptAt = 1;
  /** Whether an option gives the script, so that no operand does. */
  private scripted = false;
  /** The suffix of the backups; null when files are not edited in place. */
  private backup: string | null = null;

  constructor(private readonly words: readonly ShellWord[]) {}

  run(): Effects {
    let ended = false;
    for (; this.at < this.words.length; this.at++) {
      const word = this.words[this.at]!;
      const value = word.value ?? '';
      if (!ended && word.value === null && word.mayBeOption) {
        this.refuse(this.at, `\`${word.text}\` may be an option of \`sed\`; put \`--\` before it`);
      } else if (!ended && value === '--') ended = true;
      else if (!ended && value.startsWith('--')) this.long(value);
      else if (!ended && value.length > 1 && value.startsWith('-')) this.bundle(value.slice(1));
      else this.files.push({ at: this.at, word });
    }
    this.judgeScripts();
    this.judgeEdits();
    return this.effects;
  }

  private refuse(at: number, why: string): void {
    this.effects.hazard = laterHazard(this.effects.hazard, { at, why });
  }

  private long(value: string): void {
    const equals = value.indexOf('=');
    const name = equals === -1 ? value : value.slice(0, equals);
    const given = equals === -1 ? null : value.slice(equals + 1);
    if (name === '--expression') this.script(given ?? this.next());
    else if (name === '--file') this.scriptFile(given);
    else if (name === '--in-place') this.edit(given ?? '');
    else if (name === '--line-length') {
      if (given === null) this.next();
    } else if (!LONG_FLAGS.test(name)) this.refuseRest(name);
  }

  private bundle(letters: string): void {
    for (let i = 0; i < letters.length; i++) {
      const letter = letters[i]!;
      const rest = letters.slice(i + 1);
      if (FLAGS.test(letter)) continue;
      const given = rest === '' ? null : rest;
      if (letter === 'e') this.script(given ?? this.next());
      else if (letter === 'f') this.scriptFile(given);
      else if (letter === 'i') this.edit(rest);
      else if (letter === 'l') {
        if (given === null) this.next();
      } else this.refuseRest(`-${letter}`);
      return;
    }
  }

  /** An option that is not known may take the next word: nothing after it is certain. */
  private refuseRest(option: string): void {
    this.refuse(this.words.length - 1, `the option \`${option}\` of \`sed\` is not known`);
  }

  private next(): string | null {
    this.at++;
    const word = this.words[this.at];
    if (word?.value === null && !word.single) this.refuse(this.at, `\`${word.text}\` may be more than one word`);
    return word?.value ?? null;
  }

  private script(text: string | null): void {
    this.scriptAt = this.at;
    this.scripted = true;
    if (text === null) this.refuse(this.at, 'the `sed` script is not a literal');
    else this.scripts.push(text);
  }

  private scriptFile(given: string | null): void {
    this.scripted = true;
    if (given === null) this.next();
    this.refuse(this.at, 'the option `-f` of `sed` reads a script that nobody has seen');
  }

  private edit(suffix: string): void {
    this.backup = suffix;
    if (!SUFFIX.test(suffix)) this.refuse(this.at, 'the backups of `sed -i` land in another folder');
  }

  private judgeScripts(): void {
    if (!this.scripted) {
      const first = this.files.shift();
      if (first === undefined) return;
      this.scriptAt = first.at;
      if (first.word.value === null) this.refuse(first.at, 'the `sed` script is not a literal');
      else this.scripts.push(first.word.value);
    }
    // Implementations differ in how a piece that ends in a backslash goes on in the next.
    if (this.scripts.slice(0, -1).some((piece) => piece.endsWith('\\'))) {
      this.refuse(this.scriptAt, 'a piece of the `sed` script ends in a backslash');
    }
    const { refusal, writes, reads } = readSedScript(this.scripts.join('\n'));
    if (refusal !== null) this.refuse(this.scriptAt, refusal);
    for (const path of writes) this.effects.writes.push({ text: `sed w ${path}`, path });
    for (const path of reads) this.effects.reads.push({ text: `sed r ${path}`, path });
  }

  private judgeEdits(): void {
    const { backup, effects } = this;
    if (backup === null) return;
    for (const { word } of this.files) {
      effects.writes.push({ text: `sed -i ${word.text}`, path: word.value });
      if (backup !== '' && word.value !== null) {
        effects.writes.push({ text: `sed -i${backup} ${word.text}`, path: `${word.value}${backup}` });
      }
    }
  }
}
