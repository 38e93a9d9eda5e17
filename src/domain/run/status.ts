/** Run statuses and the moves between them (docs/design/runs.md). A run is called session on the wire. */
export const RUN_STATUSES = [
  'created',
  'awaiting_authorization',
  'queued',
  'provisioning',
  'initializing',
  'running',
  'awaiting_approval',
  'cancelling',
  'finalizing',
  'completed',
  'failed',
  'cancelled',
  'budget_exceeded',
] as const;

export type RunStatus = (typeof RUN_STATUSES)[number];

export const TERMINAL_STATUSES = ['completed', 'failed', 'cancelled', 'budget_exceeded'] as const;
export type RunOutcome = (typeof TERMINAL_STATUSES)[number];

const ACCEPTS_WORK: ReadonlySet<RunStatus> = new Set([
  'created',
  'provisioning',
  'initializing',
  'running',
  'awaiting_approval',
]);

const OCCUPIES_CAPACITY: ReadonlySet<RunStatus> = new Set([
  'provisioning',
  'initializing',
  'running',
  'awaiting_approval',
  'cancelling',
  'finalizing',
]);

const MOVES: Record<RunStatus, readonly RunStatus[]> = {
  created: ['provisioning', 'queued', 'awaiting_authorization', 'finalizing'],
  awaiting_authorization: ['provisioning', 'queued', 'finalizing'],
  queued: ['provisioning', 'finalizing'],
  provisioning: ['queued', 'initializing', 'cancelling', 'finalizing'],
  initializing: ['running', 'cancelling', 'finalizing'],
  running: ['awaiting_approval', 'cancelling', 'finalizing'],
  awaiting_approval: ['running', 'cancelling', 'finalizing'],
  cancelling: ['finalizing', 'failed'],
  finalizing: TERMINAL_STATUSES,
  completed: [],
  failed: [],
  cancelled: [],
  budget_exceeded: [],
};

export function isTerminal(status: RunStatus): status is RunOutcome {
  return (TERMINAL_STATUSES as readonly RunStatus[]).includes(status);
}

/** Whether the gate, the model gateway, token renewal and workspace download serve the run. A queued run accepts no work. */
export function acceptsWork(status: RunStatus): boolean {
  return ACCEPTS_WORK.has(status);
}

export function occupiesCapacity(status: RunStatus): boolean {
  return OCCUPIES_CAPACITY.has(status);
}

export function canMove(from: RunStatus, to: RunStatus): boolean {
  return MOVES[from].includes(to);
}

/** Moves that the approval events already tell and that write no `session.status_changed`. */
export function isSilentMove(from: RunStatus, to: RunStatus): boolean {
  return (
    (from === 'running' && to === 'awaiting_approval') ||
    (from === 'awaiting_approval' && to === 'running') ||
    (from === 'created' && to === 'awaiting_authorization')
  );
}

/** A status of a newer version must never be mistaken for a terminal one. */
export function parseRunStatus(text: string): RunStatus | undefined {
  return (RUN_STATUSES as readonly string[]).includes(text) ? (text as RunStatus) : undefined;
}
