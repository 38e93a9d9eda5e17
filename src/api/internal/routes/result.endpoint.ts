import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { SandgateError } from '../../../domain/errors.js';
import { isTerminal } from '../../../domain/run/status.js';
import { normalizeText } from '../../../domain/redaction/normalize-text.js';
import { Database } from '../../../core/record/database.js';
import { hasFinalizationRequest, requestFinalization } from '../../../core/finalization/finalization-requests.js';
import { callerOf } from '../auth/runner-caller.js';
import type { RunnerCaller } from '../auth/runner-caller.js';
import { jsonBodyOf } from '../body/runner-body.js';
import { objectBody, textMember } from './body-member.js';
import type { RunnerEndpoint } from './runner-endpoint.js';
import { readRunStatus } from '../../../core/runs/run-status.js';

const MAX_OUTCOME_CHARACTERS = 64;
/** Clients cut at 4000; a longer summary is cut here. */
const MAX_SUMMARY_CHARACTERS = 16_000;

interface Report {
  outcome: string;
  summary: string | null;
}

/** The runner reports how it ended. The finalization request is durable before the acknowledgement (docs/design/runner.md). */
@Injectable()
export class ResultEndpoint implements RunnerEndpoint {
  readonly method = 'POST';
  readonly path = '/result';
  readonly ofSession = true;
  readonly route = { audience: 'control', admitsDeadTokens: true } as const;

  constructor(private readonly database: Database) {}

  async handle(request: FastifyRequest): Promise<unknown> {
    const caller = callerOf(request);
    const known = await this.earlierAnswer(caller);
    if (known !== null) return known;
    if (!caller.live) throw new SandgateError('unauthorized', 'unauthorized');
    return this.record(caller, readReport(request));
  }

  /** A run that is over or winding down acknowledges any report, from a revoked token too. */
  private async earlierAnswer(caller: RunnerCaller): Promise<object | null> {
    return this.database.withTenant(caller.organizationId, async (tx) => {
      const status = await readRunStatus(tx, caller.runId);
      if (status !== 'unknown' && isTerminal(status)) return { ok: true, note: 'already terminal' };
      return (await hasFinalizationRequest(tx, caller.runId)) ? { ok: true, note: 'finalizing' } : null;
    });
  }

  private async record(caller: RunnerCaller, report: Report): Promise<object> {
    const recorded = await this.database.withTenant(caller.organizationId, (tx) =>
      requestFinalization(tx, caller.runId, {
        outcome: report.outcome === 'completed' ? 'completed' : 'failed',
        postedOutcome: report.outcome,
        ...(report.summary === null ? {} : { summary: report.summary }),
        reason: 'the runner reported its result',
        wantsQuiesce: false,
      }),
    );
    switch (recorded) {
      case 'recorded':
        return { ok: true };
      case 'already':
        return { ok: true, note: 'finalizing' };
      case 'terminal':
        return { ok: true, note: 'already terminal' };
    }
  }
}

function readReport(request: FastifyRequest): Report {
  const body = objectBody(jsonBodyOf(request));
  const outcome = textMember(body, 'outcome', MAX_OUTCOME_CHARACTERS);
  const summary = body['summary'] ?? null;
  if (summary === null) return { outcome, summary };
  if (typeof summary !== 'string') throw new SandgateError('invalid_request', 'summary: a string is required');
  // A bad character in the model's last message must not lose the outcome of the run.
  return { outcome, summary: Array.from(normalizeText(summary)).slice(0, MAX_SUMMARY_CHARACTERS).join('') };
}
