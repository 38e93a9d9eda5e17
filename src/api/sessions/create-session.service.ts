import { Injectable } from '@nestjs/common';
import { digestOf } from '../../domain/digest/digest.js';
import type { ExactJson } from '../../domain/digest/exact-json.js';
import { RunCreation, type RunRequest } from '../../core/creation/run-creation.js';
import { Database, type TenantTransaction } from '../../core/record/database.js';
import { claimKey } from '../../core/runs/idempotency-keys.js';
import { requireVisibleRun } from '../../core/runs/visible-runs.js';
import { newRowId } from '../../platform/postgres/row-id.js';
import { userIdOf, viewerOf, type Principal } from '../auth/principal.js';
import { runViewerOf } from '../auth/run-viewer.js';
import type { CreateSession } from './create-session.dto.js';
import type { SessionView } from './sessions.dto.js';
import { viewSession } from './view-sessions.js';

export interface CreateSessionCommand {
  principal: Principal;
  body: CreateSession;
  /** The body as it was sent, unknown members included: what an `Idempotency-Key` is compared by. */
  sent: unknown;
  idempotencyKey: string | undefined;
}

/** Creates runs that somebody asks for, each once for its `Idempotency-Key`. */
@Injectable()
export class CreateSessionService {
  constructor(
    private readonly database: Database,
    private readonly runs: RunCreation,
  ) {}

  create(command: CreateSessionCommand): Promise<SessionView> {
    const runId = newRowId();
    return this.database.withTenant(command.principal.organizationId, async (tx) => {
      const earlier = await findEarlier(tx, command, runId);
      if (earlier === null) await this.runs.create(tx, toRunRequest(command, runId));
      return viewSession(tx, await requireVisibleRun(tx, runViewerOf(command.principal), earlier ?? runId));
    });
  }
}

async function findEarlier(
  tx: TenantTransaction,
  command: CreateSessionCommand,
  runId: string,
): Promise<string | null> {
  if (command.idempotencyKey === undefined) return null;
  const digest = digestOf(command.sent as ExactJson);
  // The runs of others stay unknown, whatever keys they use.
  const scope = `sessions:${command.principal.name}`;
  const claim = { scope, key: command.idempotencyKey, of: 'body', digest, runId } as const;
  return (await claimKey(tx, claim))?.runId ?? null;
}

function toRunRequest({ principal, body }: CreateSessionCommand, runId: string): RunRequest {
  return {
    runId,
    starter: { kind: principal.kind, principalId: userIdOf(principal), viewer: viewerOf(principal) },
    invocation: { kind: 'manual', actor: principal.name },
    // Work on a stranger's code is started by events of a code host alone.
    trustTier: 'trusted',
    agent: body.agent,
    task: body.task,
    workspace: body.workspace,
    repo: body.repo,
    budgets: body.budgets ?? null,
    autonomous: body.autonomous === true,
    allowUnpriced: body.allow_unpriced === true,
    capabilities: body.capabilities ?? null,
    bindings: body.bindings ?? {},
    network: body.network ?? null,
    labels: body.labels ?? {},
    subscription: null,
    destinations: [],
  };
}
