import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SandgateError } from '../../../domain/errors.js';
import { openAnonymousFile, withDescriptors } from './anonymous-file.js';
import type { SandboxMode, SandboxShape } from './arguments.js';
import { buildArguments, buildCommand, INSIDE_ID } from './arguments.js';
import { etcFiles } from '../room/etc-files.js';
import { ETC_FD, FD, launchScript } from './launch-script.js';
import type { LimitedLaunch } from './limits/limits.js';
import type { ProcessIdentity } from '../../host/process-identity.js';
import type { LaunchFolder } from './launch-folder.js';
import { untilReady } from './until-ready.js';

/** One launch of a runner, decided. */
export interface LaunchPlan {
  folder: LaunchFolder;
  bwrap: string;
  mode: SandboxMode;
  uid: number | null;
  shape: Omit<SandboxShape, 'descriptors' | 'dieWithParent' | 'mode'>;
  filter: Buffer;
  limits: LimitedLaunch;
  fileBytes: number | null;
  program: string[];
  /** The document of descriptor 3: variables and tokens. */
  handOff: string;
}

/**
 * Starts a sandbox and waits until its self-check passed.
 * @throws SandgateError `unavailable` naming the point of the self-check, or what bubblewrap said
 */
export async function launchSandbox(plan: LaunchPlan): Promise<ProcessIdentity> {
  const { folder } = plan;
  await Promise.all(
    ['out.0', 'out.1', 'out.end', 'end.json', 'process.json'].map((name) =>
      rm(join(folder.sandbox, name), { force: true }),
    ),
  );
  await Promise.all([folder.status, folder.ready].map((path) => writeFile(path, '', { mode: 0o600 })));
  const shell = await startShell(plan);
  return untilReady(folder, () => shell.exitCode !== null || shell.signalCode !== null);
}

function startShell(plan: LaunchPlan): Promise<ChildProcess> {
  const { folder, limits } = plan;
  const etc = etcFiles(plan.uid ?? INSIDE_ID);
  const descriptors = { seccomp: FD.seccomp, etc: ETC_FD, status: FD.status };
  const options = buildArguments({ ...plan.shape, mode: plan.mode, descriptors, dieWithParent: false });
  const command = buildCommand(
    { mode: plan.mode, uid: plan.uid, processes: limits.processes, enter: null },
    plan.program,
  );
  const script = launchScript({ fileBytes: plan.fileBytes, dataBytes: limits.dataBytes });
  const shell = [
    '/bin/sh',
    '-c',
    script,
    'sandgate',
    folder.sandbox,
    ...limits.join,
    '--',
    plan.bwrap,
    '--args',
    String(FD.args),
    '--',
    ...command,
  ];
  const [program = '/bin/sh', ...args] = [...limits.wrapper, ...shell];
  const anonymous = (content: string | Buffer) => () => openAnonymousFile(content, folder.sandbox);
  return withDescriptors(
    [
      anonymous(plan.handOff),
      () => openSync(folder.ready, 'a'),
      anonymous(options.map((option) => `${option}\0`).join('')),
      anonymous(plan.filter),
      () => openSync(folder.status, 'a'),
      ...[etc.passwd, etc.group, etc.hosts, etc['nsswitch.conf']].map(anonymous),
    ],
    (opened) => runShell(program, args, opened, limits.wrapper.length > 0),
  );
}

/** The shell is our child only so that its exit is collected; nothing depends on it. */
function runShell(
  program: string,
  args: string[],
  descriptors: number[],
  throughManager: boolean,
): Promise<ChildProcess> {
  const runtimeDir = process.env['XDG_RUNTIME_DIR'];
  // Only systemd-run needs to find its manager; bubblewrap is started through `env -i` in any case.
  const env: NodeJS.ProcessEnv = throughManager && runtimeDir !== undefined ? { XDG_RUNTIME_DIR: runtimeDir } : {};
  return new Promise((resolve, reject) => {
    const shell = spawn(program, args, {
      env,
      detached: true,
      cwd: '/',
      stdio: ['ignore', 'ignore', 'ignore', ...descriptors],
    });
    shell.unref();
    shell.once('error', (error) =>
      reject(new SandgateError('sandbox_failed', 'the sandbox could not be launched', { cause: error })),
    );
    shell.once('spawn', () => resolve(shell));
  });
}
