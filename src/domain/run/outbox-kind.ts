/** Why a run's workflow is woken; each is a signal of the `run` workflow, `created` starts it. */
export type RunWakeUp = 'created' | 'finalization_requested' | 'approval_requested' | 'approval_decided' | 'capacity';

/** What a transaction asks the driver for: to wake a run, to bring its result to its destinations, or to act on a stored webhook. */
export type OutboxKind = RunWakeUp | 'deliveries_due' | 'webhook_stored';
