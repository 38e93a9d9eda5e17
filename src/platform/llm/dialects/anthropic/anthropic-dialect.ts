import { meterWith } from '../../metering/answer-meter.js';
import type { ModelDialect } from '../../model-dialect.js';
import { AnthropicReader } from './anthropic-reader.js';
import { screenAnthropicRequest, withOutputLimit } from './anthropic-request.js';

/** Anthropic Messages. */
export const anthropicDialect: ModelDialect = {
  id: 'anthropic',
  paths: new Map([
    ['', { path: '/messages', counted: true }],
    ['v1/messages', { path: '/messages', counted: true }],
    // Counting tokens costs nothing and reports no usage.
    ['v1/messages/count_tokens', { path: '/messages/count_tokens', counted: false }],
  ]),
  screen: (body, rules) => screenAnthropicRequest(body, rules.model),
  limitOutput: (request, grantedTokens) => withOutputLimit(request, grantedTokens),
  meter: (streamed) => meterWith(new AnthropicReader(), streamed),
};
