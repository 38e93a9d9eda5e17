import type { RunRef } from '../activities/run-activities.js';

/** Activities that mean that the run has its sandbox, or is getting one, on this host. */
const BEGINS: ReadonlySet<string> = new Set(['launchSandbox', 'superviseSandbox']);

/** Runs that this host holds from launch to release, for the gauge `service_active_runs`. */
export class ActiveRuns {
  private readonly held = new Set<string>();

  get size(): number {
    return this.held.size;
  }

  begins(activity: string, run: RunRef): void {
    if (BEGINS.has(activity)) this.held.add(run.runId);
  }

  ends(activity: string, run: RunRef, result: unknown): void {
    const notLaunched = activity === 'launchSandbox' && (result as { launched: boolean }).launched === false;
    if (notLaunched || activity === 'releaseSandbox') this.held.delete(run.runId);
  }
}
