import { mapItems } from '../../map-items.js';
import type { CandidatePath } from '../paths/path.js';
import { resolvePath } from '../paths/path.js';
import type { ShellWord } from './words/shell-word.js';

const MAX_DIRECTORIES = 16;
const OPTION = /^(?:-[LPe@]+|--)$/;
/** Names of the kernel for other files: `/proc/self/cwd/.env` is that of the workspace. */
const ELSEWHERE = /^\/(?:proc\/|dev\/fd\/|dev\/stdin$)/;

/** Where relative redirects of a line may land: a `cd` before them counts, whether it ran or not. */
export class WorkingDirectories {
  private places: string[] | null;
  private changed = false;

  constructor(start: string | null) {
    this.places = start === null ? null : [start];
  }

  get hasChanged(): boolean {
    return this.changed;
  }

  /** Takes note of `cd`, `pushd` and `popd`. */
  change(words: readonly ShellWord[]): void {
    this.changed = true;
    const args = words.slice(1).filter(({ value }) => value?.startsWith('-') !== true || !OPTION.test(value));
    const program = words[0]?.value;
    const target = args[0]?.value;
    const plain =
      (program === 'cd' || program === 'chdir') &&
      args.length === 1 &&
      typeof target === 'string' &&
      target !== '-' &&
      target !== '';
    if (!plain || this.places === null) {
      this.places = null;
      return;
    }
    const moved = mapItems(this.places, (place) => resolvePath(target, place).path);
    if (moved.includes(null) || this.places.length + moved.length > MAX_DIRECTORIES) this.places = null;
    else this.places = [...new Set([...this.places, ...(moved as string[])])];
  }

  /** Every place where a path may land; a path of unknown place when nothing more is certain. */
  resolve(path: string | null, text: string): CandidatePath[] {
    if (path === null) return [{ text, path: null }];
    if (this.places === null) return [resolvePath(path, null)];
    return mapItems(this.places, (place) => {
      const candidate = resolvePath(path, place);
      return candidate.path !== null && ELSEWHERE.test(candidate.path) ? { ...candidate, path: null } : candidate;
    });
  }
}
