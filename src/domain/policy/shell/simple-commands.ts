import { mapItems } from '../../map-items.js';
import type { Command } from 'unbash';
import type { Hazard } from './effects/effects.js';
import { effectsOf } from './effects/program-effects.js';
import { grantKey } from './grants/grant-key.js';
import type { GrantKey, ShellCommand } from './effects/shell-line.js';
import type { ShellWord } from './words/shell-word.js';
import { shellWord } from './words/shell-word.js';
import { unsafeBuiltin } from './words/unsafe-builtins.js';
import { isHarmlessVariable } from './words/variables.js';
import type { Unwrapped } from './words/unwrapped.js';
import { unwrap } from './words/wrappers.js';

const MAX_WRAPPER_DEPTH = 8;
const DIRECTORY_BUILTINS = new Set(['cd', 'chdir', 'pushd', 'popd']);
const ASSIGNED = /^([A-Za-z_][A-Za-z0-9_]*)\+?=/;
const DECLARING_BUILTINS = new Set(['export', 'declare', 'typeset', 'local', 'readonly']);
const SETTING_BUILTINS = new Set('read mapfile readarray getopts declare typeset local export readonly'.split(' '));

/** What the walk over a line wants to hear about simple commands. */
export interface CommandSink {
  add(command: ShellCommand): void;
  denyText(text: string): void;
  refuse(why: string | null): void;
  /** `posix`: a shell reads it that knows less than bash. */
  script(code: string, shellDepth: number, posix: boolean): void;
  file(access: 'write' | 'read', text: string, path: string | null): void;
  changeDirectory(words: readonly ShellWord[]): void;
  assigned(): void;
}

interface Found {
  words: readonly ShellWord[];
  assigned: readonly string[];
  text: string;
  shellDepth: number;
  wrapperDepth: number;
  chain: Chain;
}

/** The pipeline of simple commands to which a command belongs. */
export type Chain = ShellCommand[] | null;

/** The program and the arguments of a simple command; an argument that assigns has no value. */
export function wordsOf({ name, args }: Command): ShellWord[] {
  const words = name === undefined ? [] : [shellWord(name)];
  for (const argument of args) {
    if (argument.type === 'Word') words.push(shellWord(argument));
    else words.push({ value: null, text: argument.text, single: true, mayBeOption: false });
  }
  return words;
}

/** Takes simple commands apart: words, assignments, what wrappers run. */
export class SimpleCommands {
  constructor(private readonly sink: CommandSink) {}

  /** @param words Those of {@link wordsOf}. */
  visit(node: Command, words: readonly ShellWord[], source: string, shellDepth: number, chain: Chain): void {
    const assigned: string[] = [];
    for (const item of node.prefix) if (item.type === 'Assignment') assigned.push(item.name);
    for (const argument of node.args) if (argument.type === 'Assignment') assigned.push(argument.name);
    const text = source.slice(node.pos, node.end).trim();
    this.sink.denyText(text);
    if (words.length === 0 && node.redirects.length === 0 && assigned.every(isHarmlessVariable)) return;
    this.add({ words, assigned, text, shellDepth, wrapperDepth: 0, chain });
  }

  /** The keyword `time` counts as the wrapper of that name; `timed` is the first command that it times. */
  addTimeKeyword(timed: ShellCommand | undefined): void {
    const grant = (): GrantKey => timed?.grant() ?? { once: 'nothing is timed' };
    this.sink.add({
      text: 'time',
      words: ['time'],
      unsafeAssignment: false,
      hazard: null,
      unknown: [],
      grant,
      chain: null,
    });
  }

  private add(found: Found): void {
    const { words, assigned, chain } = found;
    this.noteProblems(found);
    const joined = mapItems(words, ({ value, text }) => value ?? text).join(' ');
    if (joined !== found.text) this.sink.denyText(joined);
    const program = words[0]?.value;
    if (program?.includes('/') === true) this.sink.denyText(joined.slice(program.lastIndexOf('/') + 1));
    const unwrapped = unwrap(words);
    const unsafe = unsafeNames(assigned, words);
    const hazard = this.noteEffects(words);
    const command: ShellCommand = {
      text: found.text,
      words: mapItems(words, ({ value }) => value),
      unsafeAssignment: unsafe.length > 0,
      hazard,
      unknown: unknownTexts(words),
      grant: () => grantOf(words, unwrapped, hazard, unsafe),
      chain,
    };
    chain?.push(command);
    this.sink.add(command);
    if (unwrapped !== null) this.addInner(found, unwrapped);
  }

  private noteEffects(words: readonly ShellWord[]): Hazard | null {
    const effects = effectsOf(words);
    if (effects === null) return null;
    for (const { text, path } of effects.writes) this.sink.file('write', text, path);
    for (const { text, path } of effects.reads) this.sink.file('read', text, path);
    return effects.hazard;
  }

  private noteProblems({ words }: Found): void {
    const program = words[0]?.value;
    if (program === undefined) return;
    if (program === null || program === '') {
      this.sink.refuse('the name of a program is not a literal');
      return;
    }
    this.sink.refuse(unsafeBuiltin(words));
    if (SETTING_BUILTINS.has(program)) this.sink.assigned();
    if (DIRECTORY_BUILTINS.has(program)) this.sink.changeDirectory(words);
  }

  private addInner(found: Found, unwrapped: Unwrapped): void {
    if (found.wrapperDepth >= MAX_WRAPPER_DEPTH) {
      this.sink.refuse('wrappers nest too deeply');
      return;
    }
    switch (unwrapped.kind) {
      case 'unknown':
        this.sink.refuse(unwrapped.why);
        break;
      case 'nothing':
        break;
      case 'command':
        if (unwrapped.assigned.length > 0) this.sink.assigned();
        this.addWrapped(found, unwrapped.words, [...found.assigned, ...unwrapped.assigned]);
        break;
      case 'code':
        this.sink.script(unwrapped.code, found.shellDepth + 1, unwrapped.posix);
        break;
      case 'find':
        if (unwrapped.moves) this.sink.changeDirectory([]);
        for (const words of unwrapped.commands) this.addWrapped(found, words, found.assigned);
        for (const { text, path } of unwrapped.writes) this.sink.file('write', text, path);
        break;
    }
  }

  private addWrapped(found: Found, words: readonly ShellWord[], assigned: readonly string[]): void {
    const text = words.map((word) => word.text).join(' ');
    this.sink.denyText(text);
    if (words.length === 0) {
      this.sink.refuse('a wrapper whose command is missing');
      return;
    }
    this.add({ ...found, words, assigned, text, wrapperDepth: found.wrapperDepth + 1, chain: null });
  }
}

function grantOf(
  words: readonly ShellWord[],
  unwrapped: Unwrapped | null,
  hazard: Hazard | null,
  unsafe: readonly string[],
): GrantKey {
  if (hazard !== null) return { once: hazard.why };
  if (unsafe.length > 0) return { once: `the assignment of \`${unsafe[0]!}\` may change what the command does` };
  return grantKey(words, unwrapped);
}

function unknownTexts(words: readonly ShellWord[]): string[] {
  const texts: string[] = [];
  for (const { value, text } of words) if (value === null) texts.push(text);
  return texts;
}

/** Variables that are set for the command, or by it, and may change what it does. */
function unsafeNames(assigned: readonly string[], words: readonly ShellWord[]): string[] {
  const unsafe: string[] = [];
  for (const name of assigned) if (!isHarmlessVariable(name)) unsafe.push(name);
  for (const name of declaredNames(words)) if (!isHarmlessVariable(name)) unsafe.push(name);
  return unsafe;
}

/** Variables that a declaring builtin sets, however its own name is written. */
function declaredNames(words: readonly ShellWord[]): string[] {
  if (!DECLARING_BUILTINS.has(words[0]?.value ?? '')) return [];
  return words.slice(1).flatMap(({ value, text }) => ASSIGNED.exec(value ?? text.replaceAll(/["'\\]/g, ''))?.[1] ?? []);
}
