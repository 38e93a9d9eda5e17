import { describe, expect, it, jest } from '@jest/globals';
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DefaultLogger, Runtime, Worker, makeTelemetryFilterString } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';

jest.setTimeout(60_000);

const FOLDER = fileURLToPath(new URL('../../replay/histories/', import.meta.url));
const BUNDLE = fileURLToPath(new URL('../../../dist/workflows.bundle.js', import.meta.url));

// A replay that fails says so by its error; the runtime's own lines about it are noise.
Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR' }) } },
});

interface RecordedEvent {
  eventType: string;
  activityTaskScheduledEventAttributes?: { activityType: { name: string } };
  markerRecordedEventAttributes?: { details: Record<string, { payloads: { data: string }[] }> };
}

const names = readdirSync(FOLDER).map((file) => file.replace(/\.json$/, ''));
const text = (name: string): string => readFileSync(`${FOLDER}${name}.json`, 'utf8');
const events = (name: string): RecordedEvent[] => (JSON.parse(text(name)) as { events: RecordedEvent[] }).events;

function replay(name: string, history: string): Promise<void> {
  return Worker.runReplayHistory({ workflowBundle: { codePath: BUNDLE } }, JSON.parse(history), `replayed-${name}`);
}

const HOST_STEPS = new Set(['launchSandbox', 'superviseSandbox', 'stopSandbox', 'collectArtifacts', 'releaseSandbox']);

/** Every activity that a history shows, local ones included. */
function activitiesOf(name: string): string[] {
  return events(name).flatMap((event) => {
    const scheduled = event.activityTaskScheduledEventAttributes?.activityType.name;
    return [scheduled, localStepOf(event)].filter((one) => one !== undefined);
  });
}

function localStepOf(event: RecordedEvent): string | undefined {
  const marker = event.markerRecordedEventAttributes?.details['data']?.payloads[0]?.data;
  const local: unknown = marker === undefined ? undefined : JSON.parse(Buffer.from(marker, 'base64').toString());
  return (local as { activity_type?: string } | undefined)?.activity_type;
}

describe('recorded histories of every path', () => {
  it.each(names)('%s replays against the workflows of this build', async (name) => {
    await replay(name, text(name));
  });

  it('together they take every step that the workflows know', () => {
    expect([...new Set(names.flatMap(activitiesOf))].toSorted()).toEqual(
      [
        ...[
          'admitRun',
          'authorizeRun',
          'beginFinalizing',
          'beginQuiesce',
          'concludeRun',
          'describeRun',
          'drainReservations',
        ],
        ...['closeUpstreamSessions', 'executeBrokeredCall', 'giveUpClaims', 'settleLostCall'],
        ...['expireApprovals', 'forgetFinalizationRequest', 'recordMissingDiff', 'stopRun', 'warnWallClock'],
        ...['launchSandbox', 'superviseSandbox', 'stopSandbox', 'collectArtifacts', 'releaseSandbox'],
        ...[
          'startMissingRuns',
          'recountCapacity',
          'expireRecords',
          'listHosts',
          'reapOrphans',
          'relayOutbox',
          'deliverNotice',
          'startEventRuns',
          'attemptDelivery',
        ],
        ...['fireSchedule', 'reconcileSchedules'],
      ].toSorted(),
    );
  });

  it('each is what its name says', () => {
    const ends = (name: string) => events(name).at(-1)?.eventType;
    const continued = ['run-continued-as-new', 'run-brokered-continued'];
    for (const name of continued) expect(ends(name)).toBe('EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW');
    for (const name of names.filter((one) => one.startsWith('run-') && !continued.includes(one))) {
      expect({ name, ends: ends(name) }).toEqual({ name, ends: 'EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED' });
    }
    const tried = (name: string, step: string) => activitiesOf(name).filter((activity) => activity === step).length;
    const outcomes = ['delivered', 'retried', 'failed'];
    expect(outcomes.map((end) => tried(`notice-${end}`, 'deliverNotice'))).toEqual([1, 3, 6]);
    expect(outcomes.map((end) => tried(`delivery-${end}`, 'attemptDelivery'))).toEqual([1, 3, 6]);
    expect(['started', 'waited'].map((end) => tried(`event-${end}`, 'startEventRuns'))).toEqual([1, 2]);
    for (const name of ['schedule-fired', 'schedule-idle']) expect(activitiesOf(name)).toEqual(['fireSchedule']);
    expect(activitiesOf('run-brokered').filter((activity) => activity === 'executeBrokeredCall')).toHaveLength(2);
    expect(activitiesOf('run-brokered-lost')).toContain('settleLostCall');
    expect(activitiesOf('run-approval-expired')).toContain('expireApprovals');
    expect(activitiesOf('run-host-lost')).toContain('recordMissingDiff');
    expect(activitiesOf('run-authorized')).toEqual(expect.arrayContaining(['authorizeRun', 'launchSandbox']));
    expect(activitiesOf('run-not-authorized').filter((activity) => HOST_STEPS.has(activity))).toEqual([]);
    expect(activitiesOf('run-cancelled-queued')).not.toContain('launchSandbox');
    expect(activitiesOf('run-resumed-running')).not.toContain('launchSandbox');
    for (const name of ['run-queue-expired', 'run-cancelled-queued']) {
      expect(activitiesOf(name).filter((activity) => HOST_STEPS.has(activity))).toEqual([]);
    }
    expect(activitiesOf('run-queue-expired')).toContain('stopRun');
    expect(activitiesOf('run-wall-clock-warned')).toContain('warnWallClock');
    expect(activitiesOf('run-wall-clock')).not.toContain('warnWallClock');
    const launches = (name: string) => activitiesOf(name).filter((activity) => activity === 'launchSandbox').length;
    expect(launches('run-requeued')).toBeGreaterThan(1);
    expect(launches('run-capacity-exhausted')).toBe(3);
    const endOfCancelled = activitiesOf('run-cancelled-requeued').toSpliced(
      0,
      activitiesOf('run-cancelled-requeued').lastIndexOf('launchSandbox') + 1,
    );
    expect(endOfCancelled.filter((activity) => HOST_STEPS.has(activity))).toEqual([]);
    for (const name of ['run-wall-clock', 'run-host-lost']) expect(activitiesOf(name)).toContain('stopRun');
  });
});

describe('a round of maintenance', () => {
  const failure = { message: 'away', source: 'TypeScriptSDK', applicationFailureInfo: { type: 'Error' } };

  /** The recorded round as it goes on when a step failed; it ends as given. */
  function withFailed(step: string, end: 'COMPLETED' | 'FAILED'): string {
    const history = JSON.parse(text('maintenance-schedules')) as { events: Record<string, unknown>[] };
    const scheduled = events('maintenance-schedules').findIndex(
      (event) => event.activityTaskScheduledEventAttributes?.activityType.name === step,
    );
    const done = history.events[scheduled + 2] ?? {};
    const { result: _, ...of } = done['activityTaskCompletedEventAttributes'] as Record<string, unknown>;
    delete done['activityTaskCompletedEventAttributes'];
    Object.assign(done, {
      eventType: 'EVENT_TYPE_ACTIVITY_TASK_FAILED',
      activityTaskFailedEventAttributes: { ...of, failure, retryState: 'RETRY_STATE_MAXIMUM_ATTEMPTS_REACHED' },
    });
    return ended(history, end);
  }

  /** @param end of the round, in place of the recorded one */
  function ended(history: { events: Record<string, unknown>[] }, end: 'COMPLETED' | 'FAILED'): string {
    const last = history.events.at(-1) ?? {};
    const { workflowTaskCompletedEventId } = last['workflowExecutionCompletedEventAttributes'] as object & {
      workflowTaskCompletedEventId?: string;
    };
    if (end === 'FAILED') {
      delete last['workflowExecutionCompletedEventAttributes'];
      Object.assign(last, {
        eventType: 'EVENT_TYPE_WORKFLOW_EXECUTION_FAILED',
        workflowExecutionFailedEventAttributes: { failure, workflowTaskCompletedEventId },
      });
    }
    return JSON.stringify(history);
  }

  /** The same where the step is a local one: what came of it stands in its marker. */
  function withFailedLocally(step: string, end: 'COMPLETED' | 'FAILED'): string {
    const history = JSON.parse(text('maintenance-local')) as { events: Record<string, unknown>[] };
    const marker = history.events.find((event) => localStepOf(event as unknown as RecordedEvent) === step);
    const attributes = marker?.['markerRecordedEventAttributes'] as { details: Record<string, unknown> };
    delete attributes.details['result'];
    Object.assign(attributes, { failure });
    return ended(history, end);
  }

  it.each(['startMissingRuns', 'reconcileSchedules', 'recountCapacity', 'expireRecords'])(
    'goes on when %s fails, and then fails',
    async (step) => {
      for (const failed of [withFailed, withFailedLocally]) {
        await replay('failed-step', failed(step, 'FAILED'));
        await expect(replay('failed-step', failed(step, 'COMPLETED'))).rejects.toThrow(DeterminismViolationError);
      }
    },
  );
});

describe('the replayer notices a change', () => {
  it.each([
    ['an activity of another name', '"launchSandbox"', '"startSandbox"'],
    ['another order of steps', '"collectArtifacts"', '"releaseSandbox"'],
  ])('%s', async (_what, from, to) => {
    const altered = text('run-completed').replaceAll(from, to);
    expect(altered).not.toBe(text('run-completed'));
    await expect(replay('altered', altered)).rejects.toThrow(DeterminismViolationError);
  });

  it('a local step of another name', async () => {
    const encoded = (json: string) => Buffer.from(json).toString('base64');
    const history = JSON.parse(text('run-completed')) as { events: RecordedEvent[] };
    for (const event of history.events) {
      const payload = event.markerRecordedEventAttributes?.details['data']?.payloads[0];
      if (payload === undefined) continue;
      const data = Buffer.from(payload.data, 'base64').toString();
      payload.data = encoded(data.replace('"admitRun"', '"admitted"'));
    }
    await expect(replay('altered', JSON.stringify(history))).rejects.toThrow(DeterminismViolationError);
  });

  it('a timer that is gone', async () => {
    const history = JSON.parse(text('run-wall-clock')) as { events: RecordedEvent[] };
    const index = history.events.findIndex((event) => event.eventType === 'EVENT_TYPE_TIMER_STARTED');
    expect(index).toBeGreaterThan(0);
    const altered = JSON.stringify(history).replaceAll('EVENT_TYPE_TIMER_STARTED', 'EVENT_TYPE_MARKER_RECORDED');
    await expect(replay('altered', altered)).rejects.toThrow();
  });
});
