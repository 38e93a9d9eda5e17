import type { TenantTransaction } from '../record/database.js';

/** Every limit of the runner plane that a run can hit (docs/design/runner.md), as `run.limit_reached` names it. */
export type RunnerLimit =
  | 'connections'
  | 'headers'
  | 'parked_permissions'
  | 'pending_approvals'
  | 'event_rate'
  | 'event_size'
  | 'event_count'
  | 'ledger_size'
  | 'model_requests'
  | 'brokered_calls'
  | 'tunnels'
  | 'tunnel_opens'
  | 'tunnel_bytes';

/** Writes `run.limit_reached` unless the ledger has it already. */
export async function recordReachedLimit(tx: TenantTransaction, runId: string, limit: RunnerLimit): Promise<void> {
  // The head row is what appends lock; holding it keeps another process from writing the same line.
  const [known] = await tx.query<{ recorded: boolean }>('select svc_is_limit_recorded($1, $2) as recorded', [
    runId,
    limit,
  ]);
  if (known?.recorded === true) return;
  await tx.append(runId, [{ actor: 'system', type: 'run.limit_reached', data: { limit } }]);
}
