import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SandgateError } from '../../../domain/errors.js';
import { isMissing } from '../../../domain/system-error.js';
import type { SandboxMode } from './arguments.js';
import type { LimitRecord } from './limits/limits.js';
import type { ProcessIdentity } from '../../host/process-identity.js';
import type { SandboxSizes } from '../../../domain/run/spec.js';

/** Written before a launch, so that nothing started is ever unknown to the next process. */
export interface LaunchRecord {
  runId: string;
  mode: SandboxMode;
  bootId: string;
  /** Milliseconds since the epoch. */
  launchedAt: number;
  sizes: SandboxSizes;
  limits: LimitRecord;
  /** `folder` has no quota of its own and is sampled. */
  disk: 'image' | 'folder';
}

/** Written when a sandbox is ended by us, so that its end has a reason. */
export interface EndRecord {
  reason: string;
}

/** Where the provider keeps what belongs to one run: `<data>/runs/<run>`. All of it is 0700 and vanishes with the run. */
export class RunFolder {
  readonly root: string;
  readonly sandbox: string;
  readonly disk: string;
  readonly image: string;
  readonly workspace: string;
  readonly status: string;
  readonly ready: string;
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
    this.status = join(this.sandbox, 'status');
    this.ready = join(this.sandbox, 'ready');
    this.shown = join(this.root, 'shown');
  }

  async create(): Promise<void> {
    await mkdir(this.sandbox, { recursive: true, mode: 0o700 });
  }

  readLaunch(): Promise<LaunchRecord | null> {
    return readJson<LaunchRecord>(join(this.sandbox, 'launch.json'));
  }

  writeLaunch(record: LaunchRecord): Promise<void> {
    return writeJson(join(this.sandbox, 'launch.json'), record);
  }

  readProcess(): Promise<ProcessIdentity | null> {
    return readJson<ProcessIdentity>(join(this.sandbox, 'process.json'));
  }

  writeProcess(identity: ProcessIdentity): Promise<void> {
    return writeJson(join(this.sandbox, 'process.json'), identity);
  }

  readEnd(): Promise<EndRecord | null> {
    return readJson<EndRecord>(join(this.sandbox, 'end.json'));
  }

  async writeEnd(record: EndRecord): Promise<void> {
    if ((await this.readEnd()) === null) await writeJson(join(this.sandbox, 'end.json'), record);
  }
}

/** Names that are safe as a folder's name. */
export function isRunId(name: string): boolean {
  return /^[0-9a-zA-Z][0-9a-zA-Z-]{0,63}$/.test(name);
}

async function readJson<T>(path: string): Promise<T | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as T;
  } catch (error) {
    // A power failure may leave an empty file behind; that of one run must not block all other runs.
    if (isMissing(error) || error instanceof SyntaxError) return null;
    throw error;
  }
}

async function writeJson(path: string, value: unknown): Promise<void> {
  await writeFile(`${path}.new`, JSON.stringify(value), { mode: 0o600 });
  await rename(`${path}.new`, path);
}
