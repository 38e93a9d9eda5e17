import { identifyProcess, isAlive } from '../../host/process-identity.js';
import { LABELS } from './container-spec.js';

/** Labels of what lives no longer than this process: a trial, or a program that is confined. */
export function shortLived(deployment: string): Record<string, string> {
  const own = identifyProcess(process.pid);
  return {
    [LABELS.managed]: '1',
    [LABELS.trial]: deployment,
    ...(own === undefined ? {} : { [LABELS.process]: `${own.bootId}/${own.pid}/${own.startTime}` }),
  };
}

/** Whether its process has ended. Several of a deployment may try the engine at once, and none removes what another is using. */
export function isLeftBehind(labels: Readonly<Record<string, string>>): boolean {
  const owner = labels[LABELS.process];
  if (owner === undefined) return true;
  const [bootId = '', pid, startTime] = owner.split('/');
  return !isAlive({ bootId, pid: Number(pid), startTime: Number(startTime) });
}
