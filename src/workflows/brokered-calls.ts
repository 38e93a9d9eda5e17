import {
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  setHandler,
} from '@temporalio/workflow';
import type { DriverTiming, RunRef, RunView } from '../activities/run-activities.js';
import type { BrokeredCallRef, BrokeredOutcome } from '../domain/broker/dispatch.js';
import { BROKERED_REFUSALS, brokeredCall } from './messages.js';
import { brokerActivities, record } from './run-activities.js';

/** Used until the first view of the row gives the configured durations. */
const TIMING_BEFORE_VIEW = { activityHeartbeatMs: 10_000 };

/**
 * The brokered calls of one run: an update each, an activity each. Which call may be sent is decided by the claim's row alone; this
 * only makes sure that every dispatch that was begun is settled.
 */
export class BrokeredCalls {
  private readonly scope = new CancellationScope();
  private refusal: string | null = null;
  private timing: Pick<DriverTiming, 'activityHeartbeatMs'> = TIMING_BEFORE_VIEW;

  /** @param onSettled called after each call, which lengthens the history */
  constructor(
    private readonly ref: RunRef,
    onSettled: () => void,
  ) {
    const execute = async (call: BrokeredCallRef): Promise<BrokeredOutcome> => {
      try {
        return await this.execute(call);
      } finally {
        onSettled();
      }
    };
    const validator: (call: BrokeredCallRef) => void = () => this.refuse();
    setHandler(brokeredCall, execute, { validator });
  }

  /** Takes the configured durations from the row's view, so that a replay uses those that were used. */
  learn(view: RunView): void {
    this.timing = view.timing;
  }

  /** Lets the calls under way finish; new ones are rejected and come back to the next execution. */
  async drain(): Promise<void> {
    this.refusal ??= BROKERED_REFUSALS.continuing;
    await condition(allHandlersFinished);
  }

  /**
   * Ends the calls of the run that are in flight: waits up to `drainMs`, then cancels; what is then still open has an unknown
   * outcome (docs/design/broker.md). Before the terminal move, so that the signed ledger is whole.
   */
  async settle(drainMs: number): Promise<void> {
    this.refusal = BROKERED_REFUSALS.ending;
    if (!allHandlersFinished() && !(await condition(allHandlersFinished, drainMs))) {
      this.scope.cancel();
      await condition(allHandlersFinished, drainMs);
    }
    await record.giveUpClaims(this.ref, 'all');
  }

  /** Nothing may be left in flight when the workflow closes, or its caller would hear of a failure. */
  async finish(): Promise<void> {
    this.refusal = BROKERED_REFUSALS.ending;
    await condition(allHandlersFinished);
  }

  private async execute(call: BrokeredCallRef): Promise<BrokeredOutcome> {
    try {
      return await this.scope.run(() => brokerActivities(this.timing).execute(this.ref, call));
    } catch {
      // However the activity ended, only the database knows the outcome of the call.
      return CancellationScope.nonCancellable(() => record.settleLostCall(this.ref, call));
    }
  }

  private refuse(): void {
    if (this.refusal !== null) throw ApplicationFailure.nonRetryable('the run takes no call now', this.refusal);
  }
}
