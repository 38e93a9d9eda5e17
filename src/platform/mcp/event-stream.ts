import { createParser } from 'eventsource-parser';
import { ExchangeError } from './exchange-error.js';
import { MAX_EVENT_BYTES, MAX_EVENTS } from './limits.js';

/**
 * The data of each event of one stream as it arrives; an unterminated last one counts.
 * @throws ExchangeError `unclear` over 256 KiB in an event or 4096 events (docs/design/broker.md)
 */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const ready: string[] = [];
  let events = 0;
  let oversized = false;
  const parser = createParser({
    // Counted in characters, of which an event of the bytes allowed has no more.
    maxBufferSize: MAX_EVENT_BYTES + 'data: '.length,
    onEvent: ({ data }) => {
      events += 1;
      if (data.length > MAX_EVENT_BYTES || Buffer.byteLength(data) > MAX_EVENT_BYTES) oversized = true;
      else if (!oversized && events <= MAX_EVENTS) ready.push(data);
    },
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') oversized = true;
    },
  });
  const feed = function* (text: string): Generator<string> {
    parser.feed(text);
    yield* ready.splice(0);
    if (oversized) throw refusal(`an event of more than ${MAX_EVENT_BYTES} bytes`);
    if (events > MAX_EVENTS) throw refusal(`more than ${MAX_EVENTS} events`);
  };
  for await (const chunk of body) yield* feed(decoder.decode(chunk, { stream: true }));
  yield* feed(`${decoder.decode()}\n\n`);
}

function refusal(what: string): ExchangeError {
  return new ExchangeError({ kind: 'unclear' }, `the event stream holds ${what}`);
}
