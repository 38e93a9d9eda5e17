import { meterWith } from '../../metering/answer-meter.js';
import type { ModelDialect } from '../../model-dialect.js';
import { ChatReader } from './chat-reader.js';
import { screenChatRequest, withChatLimit } from './chat-request.js';

/** OpenAI Chat Completions, which most servers of models speak. */
export const chatDialect: ModelDialect = {
  id: 'openai-chat',
  paths: new Map([['v1/chat/completions', { path: '/chat/completions', counted: true }]]),
  screen: screenChatRequest,
  limitOutput: withChatLimit,
  meter: (streamed) => meterWith(new ChatReader(), streamed),
};
