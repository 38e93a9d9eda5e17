import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import type { Writable } from 'node:stream';
import { killGroup } from '../../tools/kill-group.js';
import { KEY_FD } from './environment.js';
import type { SpawnRequest } from './sdk.js';

const LAST_WORDS_BYTES = 2_048;

/** The program as a child of the runner, with the model token on a descriptor of its own. */
export class ProgramProcess {
  #child: ChildProcess | null = null;
  #errors: Buffer = Buffer.alloc(0);

  constructor(
    private readonly token: string,
    private readonly environment: Record<string, string>,
  ) {}

  /** The end of its standard error. */
  get lastWords(): string {
    return this.#errors.toString('utf8').trim().toWellFormed();
  }

  /** Starts it for the SDK. Its environment is ours alone: the SDK adds the runner's only where it is given none. */
  readonly spawn = ({ command, args, cwd, env }: SpawnRequest): ChildProcess => {
    // Kept of what the SDK adds: its own version and how it was called.
    const added = Object.entries(env).filter(([name, value]) => name.startsWith('CLAUDE_') && value !== undefined);
    const child = spawn(command, args, {
      cwd,
      env: { ...Object.fromEntries(added), ...this.environment },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    });
    this.#child = child;
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#errors = Buffer.concat([this.#errors, chunk]).subarray(-LAST_WORDS_BYTES);
    });
    const key = child.stdio[KEY_FD] as Writable;
    // A program that ends at once is told by its exit.
    key.on('error', () => undefined);
    key.end(`${this.token}\n`);
    return child;
  };

  /** Ends it with everything of its process group; nothing happens when it is gone. */
  kill(): void {
    if (this.#child !== null) killGroup(this.#child);
  }
}
