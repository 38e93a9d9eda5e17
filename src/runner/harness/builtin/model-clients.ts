import Anthropic from '@anthropic-ai/sdk';
import type { ModelAccess } from '../harness.js';

const MAX_RETRIES = 4;
/** The gateway gives a model 900 s; the client waits a little longer, so that the gateway's own answer arrives. */
const TIMEOUT_MS = 920_000;

/**
 * The provider's own client, which knows only the model gateway: every member that it would otherwise look up in the
 * environment or in files is given. It retries what the wire format calls transient (408, 409, 429, 5xx) and honours
 * `x-should-retry`; any other status ends the request.
 */
export function createModelClient(model: ModelAccess): Anthropic {
  return new Anthropic({
    baseURL: model.baseUrl,
    apiKey: model.token,
    authToken: null,
    fetch: model.fetch,
    maxRetries: MAX_RETRIES,
    timeout: TIMEOUT_MS,
    // Its log lines may quote requests, and the runner's output is kept.
    logLevel: 'off',
  });
}
