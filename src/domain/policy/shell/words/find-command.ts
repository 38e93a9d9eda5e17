import type { ShellWord } from './shell-word.js';
import type { Unwrapped } from './unwrapped.js';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const RUNS = words('-exec -execdir -ok -okdir');
const PRINTS = words('-fprint -fprint0 -fprintf -fls');
/** Options that stand before the starting points. */
const GLOBAL = /^-(?:H|L|P|O[0-9])$/;
const ALONE = words(
  '( ) ! , -a -and -o -or -not -daystart -d -depth -follow -help --help -ignore_readdir_race -noignore_readdir_race -mount -noleaf -nowarn -warn -version --version -xdev -empty -executable -readable -writable -false -true -nouser -nogroup -ls -print -print0 -prune -quit',
);
const WITH_ARGUMENT = words(
  '-maxdepth -mindepth -regextype -amin -anewer -atime -cmin -cnewer -context -ctime -fstype -gid -group -ilname -iname -inum -ipath -iregex -iwholename -links -lname -mmin -mtime -name -newer -path -perm -regex -samefile -size -type -uid -used -user -wholename -xtype -printf',
);
const NEWER = /^-newer[aBcm][aBcmt]$/;

/**
 * The commands that `find` runs, whether elsewhere, and the files that it writes (CP-338). Its expression is read by the whole grammar
 * of GNU find: what that lacks cannot be judged, nor can a word that an expansion may turn into an action.
 */
export function unwrapFind(args: readonly ShellWord[]): Unwrapped {
  return new FindExpression(args).read();
}

class FindExpression {
  private readonly commands: ShellWord[][] = [];
  private readonly writes: { text: string; path: string | null }[] = [];
  private moves = false;
  private at = 0;
  private refusal: string | null = null;

  constructor(private readonly args: readonly ShellWord[]) {}

  read(): Unwrapped {
    this.options();
    while (this.at < this.args.length && isStartingPoint(this.args[this.at]!)) this.at++;
    while (this.refusal === null && this.at < this.args.length) this.primary(this.args[this.at]!);
    if (this.refusal !== null) return { kind: 'unknown', why: this.refusal };
    return { kind: 'find', commands: this.commands, writes: this.writes, moves: this.moves };
  }

  private options(): void {
    for (; this.at < this.args.length; this.at++) {
      const value = this.args[this.at]!.value ?? '';
      if (value === '-D') this.at++;
      else if (!GLOBAL.test(value)) break;
    }
    if (this.args[this.at]?.value === '--') this.at++;
  }

  private primary({ value, text, mayBeOption }: ShellWord): void {
    this.at++;
    if (value === null) {
      const what = mayBeOption ? 'may be an action' : 'stands where no starting point can stand';
      this.refusal = `\`${text}\` ${what} of \`find\``;
    } else if (RUNS.has(value)) {
      this.execute(value);
    } else if (value === '-delete') {
      this.writes.push({ text: 'find -delete', path: null });
    } else if (PRINTS.has(value)) {
      this.writes.push({ text: `find ${value}`, path: this.argument()?.value ?? null });
      if (value === '-fprintf') this.argument();
    } else if (value === '-files0-from') {
      this.refusal = '`find -files0-from` reads what nobody has seen';
    } else if (WITH_ARGUMENT.has(value) || NEWER.test(value)) {
      this.argument();
    } else if (!ALONE.has(value)) {
      this.refusal = `\`${value}\` is no test or action of \`find\` that is known`;
    }
  }

  private argument(): ShellWord | undefined {
    const word = this.args[this.at];
    this.at++;
    // Words of a glob that begin plainly would be starting points, which `find` refuses here.
    if (word?.value === null && !word.single && word.mayBeOption)
      this.refusal = `\`${word.text}\` may be more than one word of \`find\``;
    return word;
  }

  private execute(action: string): void {
    this.moves ||= action.endsWith('dir');
    const end = this.endOfCommand(action.startsWith('-exec'));
    const command = this.args.slice(this.at, end);
    this.at = end + 1;
    // A word that turns out to be `;` ends the command, and what follows it is read as more of the expression.
    const unsure = command.filter(({ value, mayBeOption }) => value === null && mayBeOption);
    const split = unsure.some(({ single }) => !single) || unsure.length > 1;
    const hides =
      unsure.length === 1 &&
      command.some(({ value }) => value !== null && (RUNS.has(value) || value === '-delete' || PRINTS.has(value)));
    if (split || hides) this.refusal = `\`${unsure[0]!.text}\` may end the command of \`find ${action}\``;
    this.commands.push(command.map(hideFound));
  }

  /** `;` ends the command of an action; `+` right after `{}` that of `-exec`. */
  private endOfCommand(collects: boolean): number {
    for (let at = this.at; at < this.args.length; at++) {
      const { value } = this.args[at]!;
      if (value === ';' || (collects && value === '+' && at > this.at && this.args[at - 1]!.value === '{}')) return at;
    }
    return this.args.length;
  }
}

/** A word before the expression: a folder or a file. */
function isStartingPoint({ value, mayBeOption }: ShellWord): boolean {
  return value === null ? !mayBeOption : !/^(?:-.|[()!,]$)/s.test(value);
}

/** What `find` puts in place of `{}` begins like one of its starting points, which are no options. */
function hideFound(word: ShellWord): ShellWord {
  if (word.value?.includes('{}') !== true) return word;
  return { ...word, value: null, mayBeOption: word.value.startsWith('-') };
}
