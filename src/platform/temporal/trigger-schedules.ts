import { ScheduleAlreadyRunning, ScheduleOverlapPolicy, type Client } from '@temporalio/client';
import type { FiringTimes } from '../../domain/triggers/cron/firing-times.js';
import { askUntilAnswered } from './lost-queries.js';
import { holdsTimes, wakeUpTimes } from './schedule-spec.js';
import type { ScheduledWorkflowNames } from './workflow-names.js';

/** A schedule as Temporal is to wake it. */
export interface WantedSchedule {
  organizationId: string;
  subscriptionId: string;
  times: FiringTimes;
  enabled: boolean;
}

/** What Temporal holds of one schedule, by a list that may lag behind. */
export interface HeldSchedule {
  holds(wanted: WantedSchedule): boolean;
}

/** One listing holds them all in most deployments. */
const PAGE = 1000;
/** Requests wait for the answer, and what fails is made up for. */
const ANSWERS_WITHIN_MS = 3000;

/**
 * Temporal Schedules as durable wake-ups of triggers. They decide nothing: jitter is none, overlap is allowed since the concurrency
 * policy is ours, and what was not woken within a minute is left to the reconciler (docs/design/schedules.md).
 */
export class TriggerSchedules {
  constructor(
    private readonly client: Client,
    private readonly names: ScheduledWorkflowNames,
  ) {}

  /** Creates or changes the Temporal Schedule, running or paused. @throws the client's error when Temporal does not answer in time */
  async put(wanted: WantedSchedule): Promise<void> {
    const options = this.optionsOf(wanted);
    await askUntilAnswered(this.client, ANSWERS_WITHIN_MS, async () => {
      try {
        await this.client.schedule.create(options);
      } catch (cause) {
        if (!(cause instanceof ScheduleAlreadyRunning)) throw cause;
        const { scheduleId, spec, policies, action, state } = options;
        await this.client.schedule
          .getHandle(scheduleId)
          .update((held) => ({ spec, policies, action, state: { ...held.state, ...state } }));
      }
    });
  }

  /** Wakes a schedule at once. @throws as {@link put} */
  async wake(subscriptionId: string): Promise<void> {
    const handle = this.client.schedule.getHandle(this.names.scheduleId(subscriptionId));
    await this.client.withDeadline(Date.now() + ANSWERS_WITHIN_MS, () =>
      handle.trigger(ScheduleOverlapPolicy.ALLOW_ALL),
    );
  }

  /** Everything that Temporal holds, by the id of the subscription. */
  async list(): Promise<Map<string, HeldSchedule>> {
    const prefix = this.names.scheduleId('');
    const held = new Map<string, HeldSchedule>();
    for await (const { scheduleId, spec, state } of this.client.schedule.list({ pageSize: PAGE })) {
      if (!scheduleId.startsWith(prefix)) continue;
      held.set(scheduleId.slice(prefix.length), {
        holds: ({ enabled, times }) => state.paused === !enabled && holdsTimes(spec, wakeUpTimes(times)),
      });
    }
    return held;
  }

  private optionsOf({ organizationId, subscriptionId, times, enabled }: WantedSchedule) {
    return {
      scheduleId: this.names.scheduleId(subscriptionId),
      memo: { organization: organizationId },
      spec: { ...wakeUpTimes(times), jitter: 0 },
      policies: { overlap: ScheduleOverlapPolicy.ALLOW_ALL, catchupWindow: '60s', pauseOnFailure: false },
      state: { paused: !enabled, note: enabled ? 'the trigger is enabled' : 'the trigger is disabled' },
      action: {
        type: 'startWorkflow' as const,
        workflowType: this.names.workflowType,
        taskQueue: this.names.taskQueue,
        args: [{ organizationId, subscriptionId }],
        workflowId: this.names.workflowId(subscriptionId),
        staticSummary: this.names.summary(subscriptionId),
      },
    };
  }
}
