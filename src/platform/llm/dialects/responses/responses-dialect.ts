import { meterWith } from '../../metering/answer-meter.js';
import type { ModelDialect } from '../../model-dialect.js';
import { ResponsesReader } from './responses-reader.js';
import { screenResponsesRequest, withResponsesLimit } from './responses-request.js';

/** OpenAI Responses, which Codex speaks. */
export const responsesDialect: ModelDialect = {
  id: 'openai-responses',
  paths: new Map([['v1/responses', { path: '/responses', counted: true }]]),
  screen: screenResponsesRequest,
  limitOutput: withResponsesLimit,
  meter: (streamed) => meterWith(new ResponsesReader(), streamed),
};
