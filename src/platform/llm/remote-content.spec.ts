import { describe, expect, it } from '@jest/globals';
import { screenAnthropicRequest } from './dialects/anthropic/anthropic-request.js';
import { screenChatRequest } from './dialects/chat/chat-request.js';
import { screenResponsesRequest } from './dialects/responses/responses-request.js';

const RULES = { model: 'm', providerStores: true };
const INLINE = 'data:image/png;base64,AAAA';
const URL = 'https://collector.example/?stolen';

const messages = (...content: object[]) =>
  screenAnthropicRequest({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content }] }, 'm');
const chat = (...content: object[]) => screenChatRequest({ model: 'm', messages: [{ role: 'user', content }] }, RULES);
const responses = (...input: object[]) => screenResponsesRequest({ model: 'm', input }, RULES);
const image = (source: object) => ({ type: 'image', source });

describe('content that a provider would fetch or keeps', () => {
  it.each<[string, () => unknown]>([
    ['an image by its address', () => messages(image({ type: 'url', url: URL }))],
    ['a file that is kept', () => messages({ type: 'document', source: { type: 'file', file_id: 'f' } })],
    [
      'an image within a tool result',
      () => messages({ type: 'tool_result', tool_use_id: 't', content: [image({ type: 'url', url: URL })] }),
    ],
    [
      'an image within a document',
      () => messages({ type: 'document', source: { type: 'content', content: [image({ type: 'url', url: URL })] } }),
    ],
    ['a chat’s image', () => chat({ type: 'image_url', image_url: { url: URL } })],
    ['a chat’s image in an odd spelling', () => chat({ type: 'image_url', image_url: { url: ` ${INLINE}` } })],
    ['a chat’s file', () => chat({ type: 'file', file: { file_id: 'f' } })],
    ['an image of a response', () => responses({ role: 'user', content: [{ type: 'input_image', image_url: URL }] })],
    ['a file of a response', () => responses({ role: 'user', content: [{ type: 'input_file', file_url: URL }] })],
    ['a kept file of a response', () => responses({ role: 'user', content: [{ type: 'input_file', file_id: 'f' }] })],
    [
      'an image that a function gave',
      () =>
        responses({ type: 'function_call_output', call_id: 'c', output: [{ type: 'input_image', image_url: URL }] }),
    ],
    [
      'a screenshot',
      () =>
        responses({
          type: 'computer_call_output',
          call_id: 'c',
          output: { type: 'computer_screenshot', image_url: URL },
        }),
    ],
    ['a file whose data are an address', () => chat({ type: 'file', file: { filename: 'a', file_data: URL } })],
    [
      'a file of a response whose data are an address',
      () => responses({ role: 'user', content: [{ type: 'input_file', file_data: URL }] }),
    ],
    ['a video, which local servers fetch', () => chat({ type: 'video_url', video_url: { url: URL } })],
    ['audio, which local servers fetch', () => chat({ type: 'audio_url', audio_url: { url: URL } })],
    ['an image whose address is wrapped', () => chat({ type: 'image_url', image_url: { url: [URL] } })],
    ['an image whose source has an address as well', () => messages(image({ type: 'base64', data: 'AAAA', url: URL }))],
  ])('CP-026 is refused: %s', (_, screen) => {
    expect(screen).toThrow('send images and files in the request itself');
  });

  it.each<[string, () => unknown]>([
    ['a chat', () => chat({ type: 'image_url', image_url: { url: INLINE, Url: URL } })],
    ['a message', () => messages({ type: 'text', text: 'x', Source: { type: 'url', url: URL } })],
    ['a source', () => messages(image({ type: 'base64', data: 'AAAA', URL }))],
    ['a response', () => responses({ role: 'user', content: [{ type: 'input_image', Image_url: URL }] })],
  ])('CP-026 is refused in a second spelling, which servers in Go read as the first: %s', (_, screen) => {
    expect(screen).toThrow('lower case');
  });

  it('passes when it stands in the request, and words that look like it are words', () => {
    const base64 = { type: 'base64', media_type: 'image/png', data: 'AAAA' };
    const use = { type: 'tool_use', id: 't', name: 'Fetch', input: { source: { type: 'url' }, file_id: 'f' } };
    expect(() => messages(image(base64), use, { type: 'text', text: URL })).not.toThrow();
    expect(() => chat({ type: 'file', file: { file_data: 'QUJD', filename: 'C:\\a.pdf' } })).not.toThrow();
    expect(() => chat({ type: 'image_url', image_url: { url: INLINE } }, { type: 'text', text: URL })).not.toThrow();
    expect(() => responses({ role: 'user', content: [{ type: 'input_image', image_url: INLINE }] })).not.toThrow();
  });
});
