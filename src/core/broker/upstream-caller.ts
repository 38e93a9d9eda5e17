import { AsyncLocalStorage } from 'node:async_hooks';
import { SandgateError } from '../../domain/errors.js';
import type { ConnectionCredentials, CredentialHeaders } from '../connections/connection-credentials.js';
import { authorizationProblem, type CallUse } from '../bindings/recheck-binding.js';
import type { AccessTokenSource } from '../connections/access-token-source.js';
import type { ConnectionRecords } from '../connections/connection-records.js';
import type { DialOutcome, OutboundLimits } from './outbound-limits.js';
import type { McpOutcome } from '../../platform/mcp/mcp-outcome.js';
import type { CallTargets } from './call-targets.js';
import { withoutCredential } from './reflected-credential.js';
import { authorityOf, type CallTarget, type UpstreamCaller, type UpstreamResult } from './upstream-call.js';
import { NotSent, type UpstreamSessions } from './upstream-sessions.js';

export interface UpstreamParts {
  sessions: UpstreamSessions;
  targets: CallTargets;
  credentials: ConnectionCredentials;
  tokens: Pick<AccessTokenSource, 'reject'>;
  records: Pick<ConnectionRecords, 'markReconnectNeeded'>;
  limits: OutboundLimits;
}

/** How long an authorization check holds; a call that is sent later checks again. */
const CHECK_HOLDS_MS = 200;

/** What one call used. A session asks for the credential while it makes that call. */
interface Attempt {
  target: CallTarget;
  credential: CredentialHeaders | null;
  /** When its run and binding were last checked. */
  askedAt: number;
}

/** Makes brokered calls: limits, credential, session, and the one repetition after a refused access token (docs/design/broker.md). */
export class BrokeredUpstream implements UpstreamCaller {
  private readonly attempts = new AsyncLocalStorage<Attempt>();

  constructor(private readonly parts: UpstreamParts) {}

  async call(target: CallTarget, tool: string, argumentsText: string, signal: AbortSignal): Promise<UpstreamResult> {
    const first = await this.attempt(target, tool, argumentsText, signal);
    const { outcome, credential } = first;
    if (outcome.state !== 'unauthorized') return resultOf(outcome);
    if (outcome.insufficientScope !== undefined) await this.noteMissingScope(target, credential, outcome);
    const token = credential?.accessToken;
    if (token === undefined || outcome.insufficientScope !== undefined) return refused(outcome.text);
    return this.repeat(target, tool, argumentsText, signal, token);
  }

  close(run: { organizationId: string; runId: string }): Promise<void> {
    return this.parts.sessions.close(run, async (slot) => {
      const authority = await this.parts.targets.authorityOf(run, slot);
      if (authority.kind !== 'stands') return null;
      return (await this.credentialOf(authority.target)).headers;
    });
  }

  /** The upstream refused this token and performed nothing, so the call is made once more with another token. */
  private async repeat(
    target: CallTarget,
    tool: string,
    argumentsText: string,
    signal: AbortSignal,
    token: string,
  ): Promise<UpstreamResult> {
    const { connectionId, generation } = authorityOf(target);
    this.parts.tokens.reject(connectionId, generation, token);
    const problem = await this.whyNotToSend(target);
    if (problem !== null) return { state: 'failed_before_send', error: problem };
    const { outcome } = await this.attempt(target, tool, argumentsText, signal);
    return outcome.state === 'unauthorized' ? refused(outcome.text) : resultOf(outcome);
  }

  /** One attempt: every refusal before the first byte is `failed_before_send`. */
  private async attempt(
    target: CallTarget,
    tool: string,
    argumentsText: string,
    signal: AbortSignal,
  ): Promise<{ outcome: McpOutcome; credential: CredentialHeaders | null }> {
    const attempt: Attempt = { target, credential: null, askedAt: performance.now() };
    const session = await this.openSession(target);
    if ('state' in session) return { outcome: session, credential: null };
    const { dial, refusal } = await this.parts.limits.enter(scopesOf(target));
    if (refusal !== undefined) return { outcome: notSent(refusal.text), credential: null };
    let said: DialOutcome = 'unknown';
    try {
      const answered = await this.attempts.run(attempt, () =>
        session.callTool(tool, argumentsText, signal, () => this.requireAuthorization(attempt)),
      );
      const outcome = withoutCredential(answered, attempt.credential?.headers ?? {});
      said = signal.aborted ? 'unknown' : healthOf(outcome);
      return { outcome, credential: attempt.credential };
    } catch (cause) {
      if (!(cause instanceof NotSent)) throw cause;
      return { outcome: notSent(cause.message), credential: attempt.credential };
    } finally {
      await dial.leave(said);
    }
  }

  /** Since the credential was read, a refresh, a handshake and the listing of a slow server may have passed. */
  private async requireAuthorization({ target, askedAt }: Attempt): Promise<void> {
    if (performance.now() - askedAt < CHECK_HOLDS_MS) return;
    const problem = await this.whyNotToSend(target);
    if (problem !== null) throw new NotSent(problem);
  }

  /** A check that cannot be made does not allow the call. */
  private async whyNotToSend(target: CallTarget): Promise<string | null> {
    try {
      return await this.parts.targets.whyNotToSend(target);
    } catch (cause) {
      if (!(cause instanceof SandgateError)) throw cause;
      return `whether the call may still be sent could not be read: ${cause.message}`;
    }
  }

  private async openSession(target: CallTarget): Promise<ReturnType<UpstreamSessions['of']> | McpOutcome> {
    try {
      return await this.parts.sessions.of(target, () => this.headersNow());
    } catch (cause) {
      if (cause instanceof NotSent) return notSent(cause.message);
      throw cause;
    }
  }

  /**
   * The credential of the current call; its failure is proof that nothing was sent. Between the claim and
   * this moment other calls of the session may have run, so the read also checks whether this one may still be sent.
   */
  private async headersNow(): Promise<Record<string, string>> {
    const attempt = this.attempts.getStore();
    if (attempt === undefined) throw new NotSent('a credential was asked for outside of a call');
    const { runId, binding } = attempt.target;
    const askedAt = performance.now();
    const credential = await this.credentialOf(attempt.target, { runId, bindingId: binding.id });
    const problem = authorizationProblem(binding, credential.authorization);
    if (problem !== null) throw new NotSent(problem);
    attempt.askedAt = askedAt;
    attempt.credential = credential;
    return credential.headers;
  }

  private async credentialOf(target: CallTarget, use?: CallUse): Promise<CredentialHeaders> {
    const { connectionId, generation } = authorityOf(target);
    try {
      return await this.parts.credentials.headersFor({
        organizationId: target.organizationId,
        connectionId,
        generation,
        ...(use === undefined ? {} : { use }),
      });
    } catch (cause) {
      if (cause instanceof SandgateError) throw new NotSent(cause.message, { cause });
      throw cause;
    }
  }

  /** Only an OAuth connection can be given more scope, and only a person can do so. */
  private async noteMissingScope(
    target: CallTarget,
    credential: CredentialHeaders | null,
    outcome: Extract<McpOutcome, { state: 'unauthorized' }>,
  ): Promise<void> {
    if (credential?.accessToken === undefined) return;
    const { connectionId, generation } = authorityOf(target);
    const scopes = outcome.insufficientScope === '' ? '' : ` (${outcome.insufficientScope})`;
    const note = `the server asked for more scope than was granted${scopes}; connect it again with that scope`;
    await this.parts.records.markReconnectNeeded(target.organizationId, connectionId, generation, note);
  }
}

function resultOf(outcome: Exclude<McpOutcome, { state: 'unauthorized' }>): UpstreamResult {
  switch (outcome.state) {
    case 'drift':
      return { state: 'denied', text: outcome.text };
    case 'failed_before_send':
    case 'ambiguous':
      return { state: outcome.state, error: outcome.error };
    case 'succeeded':
    case 'failed_upstream': {
      const { state, isError, content, structuredContent, error } = outcome;
      return { state, answer: { isError, content, structuredContent }, ...(error === undefined ? {} : { error }) };
    }
  }
}

/** A definitive answer: the upstream refused, and would refuse again. */
function refused(text: string): UpstreamResult {
  return { state: 'failed_upstream', answer: { isError: true, content: [{ type: 'text', text }] }, error: text };
}

function notSent(error: string): McpOutcome {
  return { state: 'failed_before_send', error };
}

/** Any answer but a 5xx shows that the server is healthy. */
function healthOf(outcome: McpOutcome): DialOutcome {
  switch (outcome.state) {
    case 'failed_before_send':
    case 'ambiguous':
      return 'failed';
    case 'succeeded':
    case 'failed_upstream':
      return (outcome.httpStatus ?? 0) >= 500 ? 'failed' : 'healthy';
    default:
      return 'healthy';
  }
}

function scopesOf(target: CallTarget) {
  const { resolvedBy } = target.binding;
  return {
    organizationId: target.organizationId,
    userId: resolvedBy.kind === 'user' ? resolvedBy.id : null,
    connectionId: authorityOf(target).connectionId,
    host: new URL(target.toolSet.url).host,
  };
}
