/** Why a run's workflow is woken; each is a signal of the `run` workflow, `created` starts it. */
export type OutboxKind = 'created' | 'finalization_requested' | 'approval_requested' | 'approval_decided' | 'capacity';
