import {
  closeSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isJsonObject } from '../../domain/json.js';
import { isSystemError } from '../../domain/system-error.js';
import { CliError, EXIT } from '../terminal/exit-codes.js';

/** A server that somebody signed in to from here. Its token is sent to the origin of `url` and nowhere else. */
export interface StoredContext {
  readonly url: string;
  readonly token: string;
  readonly expires_at: string;
}

export interface Credentials {
  /** Which context commands use that name none; null for the installation on this machine. */
  readonly current: string | null;
  readonly contexts: Readonly<Record<string, StoredContext>>;
}

const OTHERS_MAY = 0o077;
const LOCK_TRIES = 40;
const LOCK_PAUSE_MS = 50;

/** The folder of what a person configured for the command. */
export function configFolder(env: NodeJS.ProcessEnv): string {
  return join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'sandgate');
}

/** What `sandgate login` left: `credentials.json` in the folder of the command, for its owner alone. */
export class CredentialsFile {
  readonly path: string;

  constructor(env: NodeJS.ProcessEnv) {
    this.path = join(configFolder(env), 'credentials.json');
  }

  /** @throws CliError when another user of the machine may read it, or its content is not understood */
  read(): Credentials {
    const text = this.readPrivately();
    return text === null ? { current: null, contexts: named({}) } : parsed(text, this.path);
  }

  /** Replaces it as a whole; a second command that changes it at the same moment waits for its turn. */
  async change(change: (before: Credentials) => Credentials): Promise<void> {
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
    const draft = `${this.path}.lock`;
    const descriptor = await openAlone(draft);
    try {
      writeFileSync(descriptor, `${JSON.stringify(change(this.read()), null, 2)}\n`);
      fsyncSync(descriptor);
      renameSync(draft, this.path);
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    } finally {
      closeSync(descriptor);
    }
  }

  private readPrivately(): string | null {
    let descriptor: number;
    try {
      descriptor = openSync(this.path, 'r');
    } catch (error) {
      if (isSystemError(error, 'ENOENT')) return null;
      throw error;
    }
    try {
      const { mode, uid } = fstatSync(descriptor);
      if ((mode & OTHERS_MAY) !== 0) {
        const octal = (mode & 0o777).toString(8).padStart(4, '0');
        throw new CliError(
          `${this.path} holds tokens and its mode ${octal} lets others at them: run chmod 600 ${this.path}, and sandgate logout where they may have been read`,
          EXIT.unauthorized,
        );
      }
      if (process.getuid !== undefined && uid !== process.getuid())
        throw new CliError(`${this.path} belongs to another user and is not read`, EXIT.unauthorized);
      return readFileSync(descriptor, 'utf8');
    } finally {
      closeSync(descriptor);
    }
  }
}

/** The draft is the lock: whoever makes it may replace the file. */
async function openAlone(draft: string): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    try {
      return openSync(draft, 'wx', 0o600);
    } catch (error) {
      if (!isSystemError(error, 'EEXIST')) throw error;
      if (tries === LOCK_TRIES)
        throw new CliError(`another command changes the logins; if none runs, delete ${draft}`, EXIT.conflict);
    }
    await sleep(LOCK_PAUSE_MS);
  }
}

function parsed(text: string, path: string): Credentials {
  const document = jsonOf(text);
  const { current = null, contexts } = isJsonObject(document) ? document : {};
  const isName = current === null || typeof current === 'string';
  if (!isName || !isJsonObject(contexts) || !Object.values(contexts).every(isContext))
    throw new CliError(`${path} is not understood; delete it and sign in again with sandgate login`, EXIT.usage);
  return { current, contexts: named(contexts as unknown as Record<string, StoredContext>) };
}

/** Has the names that were given and no others, such as `constructor`. */
function named(contexts: Record<string, StoredContext>): Record<string, StoredContext> {
  return Object.assign(Object.create(null) as Record<string, StoredContext>, contexts);
}

function isContext(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { url, token, expires_at: end } = value;
  return typeof url === 'string' && typeof token === 'string' && typeof end === 'string' && URL.canParse(url);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
