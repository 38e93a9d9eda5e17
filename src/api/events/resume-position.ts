import { seqAsked } from '../http/limit.js';
import { validated, type QueryValue } from '../http/validated.js';
import { EventsQuery } from './events.dto.js';

/**
 * The seq after which a stream begins. `Last-Event-ID` wins over the query: a browser that reconnects repeats the first
 * address with the newer header. An unreadable header means a full replay, an unreadable query is refused (docs/design/events.md).
 */
export function resumePosition(lastEventId: string | undefined, after: QueryValue): number {
  const asked = seqAsked(validated(EventsQuery, { after }, 'after').after);
  const position = lastEventId !== undefined && lastEventId !== '' ? lastEventId.trim() : asked;
  if (!/^[0-9]{1,19}$/.test(position)) return 0;
  return Math.min(Number(position), Number.MAX_SAFE_INTEGER);
}
