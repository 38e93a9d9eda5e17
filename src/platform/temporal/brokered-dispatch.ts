import { setTimeout as delay } from 'node:timers/promises';
import { WorkflowNotFoundError, WorkflowUpdateFailedError, type Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { BrokeredCallRef, BrokeredOutcome } from '../../domain/broker/dispatch.js';
import type { RunDriver } from './run-driver.js';
import type { BrokeredCallNames, DrivenRun } from './workflow-names.js';

/** `unsure`: the outcome of the dispatch is not known here; the record has it, or will have it. */
export type DispatchOutcome = BrokeredOutcome | { outcome: 'unsure' };

const ROUNDS = 20;
const PAUSE_MS = 100;

/** Asks the workflow of a run to make brokered calls. It is given ids and numbers only. */
export class BrokeredDispatch {
  constructor(
    private readonly client: Client,
    private readonly driver: Pick<RunDriver, 'wake'>,
    private readonly names: BrokeredCallNames,
  ) {}

  /**
   * Waits for the end of one dispatch; a second caller with the same id joins the first. Aborting ends the wait, not the dispatch.
   *
   * @param id of the update, the same for every presentation of one attempt
   */
  async dispatch(run: DrivenRun, call: BrokeredCallRef, id: string, signal: AbortSignal): Promise<DispatchOutcome> {
    const handle = this.client.workflow.getHandle(this.names.workflowId(run.runId));
    for (let round = 0; round < ROUNDS && !signal.aborted; round += 1) {
      try {
        return await this.client.withAbortSignal(signal, () =>
          handle.executeUpdate(this.names.brokeredCall, { args: [call], updateId: id }),
        );
      } catch (cause) {
        const next = await this.afterFailure(run, cause);
        if (next !== 'again') return next;
        await delay(PAUSE_MS);
      }
    }
    return { outcome: 'unsure' };
  }

  private async afterFailure(run: DrivenRun, cause: unknown): Promise<'again' | DispatchOutcome> {
    if (cause instanceof WorkflowNotFoundError) {
      // A driver whose store was lost has no workflow for the run yet; for a run that is over this changes nothing.
      await this.driver.wake(run, 'created');
      return 'again';
    }
    const refusal = cause instanceof WorkflowUpdateFailedError ? cause.cause : undefined;
    if (!(refusal instanceof ApplicationFailure)) return { outcome: 'unsure' };
    if (refusal.type === this.names.brokeredRefusals.ending) return { outcome: 'inactive' };
    return refusal.type === this.names.brokeredRefusals.continuing ? 'again' : { outcome: 'unsure' };
  }
}
