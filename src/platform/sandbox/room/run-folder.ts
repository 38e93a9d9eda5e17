import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SandgateError } from '../../../domain/errors.js';
import { isMissing } from '../../../domain/system-error.js';
import { namesIn } from '../../host/folders.js';

/** Written when a sandbox is ended by us, so that its end has a reason. */
export interface EndRecord {
  reason: string;
}

/** What this host keeps of one run: `<data>/runs/<run>`. All of it is 0700 and vanishes with the run. */
export class RunFolder {
  readonly root: string;
  /** Notes of the provider. */
  readonly sandbox: string;
  readonly disk: string;
  readonly image: string;
  readonly workspace: string;
  /** The home folder of a run whose sandboxes keep it. */
  readonly home: string;
  /** Where folders of the installation are shown while a sandbox is being made. */
  readonly shown: string;

  constructor(
    dataDir: string,
    readonly runId: string,
  ) {
    if (!isRunId(runId)) throw new SandgateError('invalid_request', 'a run id is letters, digits and hyphens');
    this.root = join(dataDir, 'runs', runId);
    this.sandbox = join(this.root, 'sandbox');
    this.disk = join(this.root, 'disk');
    this.image = join(this.root, 'disk.img');
    this.workspace = join(this.disk, 'workspace');
    this.home = join(this.disk, 'home');
    this.shown = join(this.root, 'shown');
  }

  async create(): Promise<void> {
    await mkdir(this.sandbox, { recursive: true, mode: 0o700 });
  }

  readEnd(): Promise<EndRecord | null> {
    return this.readNote<EndRecord>('end.json');
  }

  async writeEnd(record: EndRecord): Promise<void> {
    if ((await this.readEnd()) === null) await this.writeNote('end.json', record);
  }

  /** @returns null for a note that was never written, or not to its end */
  async readNote<T>(name: string): Promise<T | null> {
    try {
      return JSON.parse(await readFile(join(this.sandbox, name), 'utf8')) as T;
    } catch (error) {
      // A power failure may leave an empty file behind; that of one run must not block all other runs.
      if (isMissing(error) || error instanceof SyntaxError) return null;
      throw error;
    }
  }

  async writeNote(name: string, value: unknown): Promise<void> {
    const path = join(this.sandbox, name);
    await writeFile(`${path}.new`, JSON.stringify(value), { mode: 0o600 });
    await rename(`${path}.new`, path);
  }
}

/** Names that are safe as a folder's name. */
export function isRunId(name: string): boolean {
  return /^[0-9a-zA-Z][0-9a-zA-Z-]{0,63}$/.test(name);
}

/** Runs that have a folder here. */
export async function listRuns(dataDir: string): Promise<string[]> {
  return (await namesIn(join(dataDir, 'runs'))).filter(isRunId);
}
