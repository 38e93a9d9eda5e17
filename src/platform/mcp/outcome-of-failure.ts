import { insufficientScope } from './challenge.js';
import { ExchangeError } from './exchange-error.js';
import type { McpOutcome } from './mcp-outcome.js';
import { failedAnswer } from './tool-answer.js';

const MAX_ERROR_CHARS = 300;

/** What a failed exchange means for the call that it was for (docs/design/broker.md); anything else is thrown on. */
export function outcomeOf(error: unknown): McpOutcome {
  if (!(error instanceof ExchangeError)) throw error;
  const { failure } = error;
  const text = error.message.slice(0, MAX_ERROR_CHARS);
  switch (failure.kind) {
    case 'unsent':
      return { state: 'failed_before_send', error: text };
    case 'unclear':
      return { state: 'ambiguous', error: text };
    case 'error':
    case 'invalid':
      return failedAnswer(text);
    case 'status':
      return outcomeOfStatus(failure.status, failure.challenge, text);
  }
}

function outcomeOfStatus(httpStatus: number, challenge: string | null, text: string): McpOutcome {
  if (httpStatus !== 401 && httpStatus !== 403) return failedAnswer(text, httpStatus);
  const scopes = insufficientScope(challenge);
  if (scopes !== null) {
    const wanted = scopes === '' ? '' : `: it asks for ${scopes}`;
    return {
      state: 'unauthorized',
      httpStatus,
      insufficientScope: scopes,
      text: `${text}, insufficient scope${wanted}`,
    };
  }
  return httpStatus === 401 ? { state: 'unauthorized', httpStatus, text } : failedAnswer(text, httpStatus);
}
