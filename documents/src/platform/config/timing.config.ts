import { integer } from '../../../../src/platform/config/readers.js';
import { setting } from '../../../../src/platform/config/setting.js';

const MS = integer(1, 86_400_000);

/** Intervals in milliseconds. Tests make them small; production rarely touches them. */
export class TimingConfig {
  @setting({
    variable: 'DOCSVC_TIMING_HEARTBEAT_MS',
    read: MS,
    default: 10_000,
    about: 'Silence of a step of an ingest after which it is taken again by another worker.',
  })
  readonly heartbeatMs!: number;

  @setting({
    variable: 'DOCSVC_TIMING_STICKY_MS',
    read: MS,
    default: 10_000,
    about: 'How long Temporal offers a workflow task to the worker that holds the workflow.',
  })
  readonly stickyMs!: number;

  @setting({
    variable: 'DOCSVC_TIMING_WORKFLOW_TASK_MS',
    read: MS,
    default: 10_000,
    about: 'Time limit of one workflow task.',
  })
  readonly workflowTaskMs!: number;

  @setting({
    variable: 'DOCSVC_TIMING_RELAY_STALE_MS',
    read: MS,
    default: 2000,
    about: 'Age of a wake-up before the relay sends it again.',
  })
  readonly relayStaleMs!: number;
}
