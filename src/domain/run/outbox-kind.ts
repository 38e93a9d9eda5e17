/** Why a run's workflow is woken; each is a signal of the `run` workflow, `created` starts it. */
export type RunWakeUp = 'created' | 'finalization_requested' | 'approval_requested' | 'approval_decided' | 'capacity';

/** What a transaction asks the driver for: to wake a run, or to act on a stored webhook. */
export type OutboxKind = RunWakeUp | 'webhook_stored';
