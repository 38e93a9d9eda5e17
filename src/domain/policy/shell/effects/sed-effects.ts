import type { ShellWord } from '../shell-word.js';
import type { Effects } from './effects.js';
import { scanSedScript } from './sed-script.js';

const FLAGS = /^[nrEsuzb]$/;
const LONG_FLAGS =
  /^--(?:quiet|silent|debug|posix|regexp-extended|separate|unbuffered|null-data|zero-terminated|binary|follow-symlinks|help|version)$/;

/** `sed` is judged by its script: what that runs is refused, what it writes, in place or with `w`, counts as written (06-gate §1). */
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
  private inPlace = false;
  private sandboxed = false;

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
    return this.effects;
  }

  private refuse(at: number, why: string): void {
    this.effects.hazard ??= { at, why };
  }

  private long(value: string): void {
    const equals = value.indexOf('=');
    const name = equals === -1 ? value : value.slice(0, equals);
    if (name === '--expression') this.script(equals === -1 ? this.next() : value.slice(equals + 1));
    else if (name === '--in-place') this.edit(equals === -1 ? '' : value.slice(equals + 1));
    else if (name === '--sandbox') this.sandboxed = true;
    else if (name === '--line-length') {
      if (equals === -1) this.next();
    } else if (!LONG_FLAGS.test(name)) {
      this.refuse(this.at, `the option \`${name}\` of \`sed\` reads a script that nobody has seen, or is not known`);
    }
  }

  private bundle(letters: string): void {
    for (let i = 0; i < letters.length; i++) {
      const letter = letters[i]!;
      const rest = letters.slice(i + 1);
      if (FLAGS.test(letter)) continue;
      if (letter === 'e') this.script(rest === '' ? this.next() : rest);
      else if (letter === 'i') this.edit(rest);
      else if (letter === 'l') {
        if (rest === '') this.next();
      } else {
        this.refuse(
          this.at,
          `the option \`-${letter}\` of \`sed\` reads a script that nobody has seen, or is not known`,
        );
      }
      return;
    }
  }

  private next(): string | null {
    this.at++;
    return this.words[this.at]?.value ?? null;
  }

  private script(text: string | null): void {
    this.scriptAt = this.at;
    if (text === null) this.refuse(this.at, 'the `sed` script is not a literal');
    else this.scripts.push(text);
  }

  /** The suffix of a backup may name another folder. */
  private edit(suffix: string): void {
    this.inPlace = true;
    if (/[/*]/.test(suffix)) this.refuse(this.at, 'the backups of `sed -i` land in another folder');
  }

  private judgeScripts(): void {
    if (this.scripts.length === 0) {
      const first = this.files.shift();
      if (first === undefined) return;
      this.scriptAt = first.at;
      if (first.word.value === null) this.refuse(first.at, 'the `sed` script is not a literal');
      else this.scripts.push(first.word.value);
    }
    if (this.inPlace) {
      for (const { word } of this.files) this.effects.writes.push({ text: `sed -i ${word.text}`, path: word.value });
    }
    if (this.sandboxed) return;
    const { runs, writes, reads } = scanSedScript(this.scripts.join('\n'));
    if (runs !== null) this.refuse(this.scriptAt, runs);
    for (const path of writes) this.effects.writes.push({ text: `sed w ${path}`, path });
    for (const path of reads) this.effects.reads.push({ text: `sed r ${path}`, path });
  }
}
