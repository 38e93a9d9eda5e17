import { join } from 'node:path';
import type { SandboxSizes } from '../../../domain/run/spec.js';
import type { ProcessIdentity } from '../../host/process-identity.js';
import { RunFolder } from '../room/run-folder.js';
import type { SandboxMode } from './arguments.js';
import type { LimitRecord } from './limits/limits.js';

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
  /** Which of the run's sandboxes this is. */
  phase: 'setup' | 'agent';
}

/** The folder of a run with what bubblewrap's launches note in it. */
export class LaunchFolder extends RunFolder {
  readonly status = join(this.sandbox, 'status');
  readonly ready = join(this.sandbox, 'ready');

  readLaunch(): Promise<LaunchRecord | null> {
    return this.readNote<LaunchRecord>('launch.json');
  }

  writeLaunch(record: LaunchRecord): Promise<void> {
    return this.writeNote('launch.json', record);
  }

  readProcess(): Promise<ProcessIdentity | null> {
    return this.readNote<ProcessIdentity>('process.json');
  }

  writeProcess(identity: ProcessIdentity): Promise<void> {
    return this.writeNote('process.json', identity);
  }
}
