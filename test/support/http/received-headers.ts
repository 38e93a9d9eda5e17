import type { OutgoingHttpHeaders } from 'node:http';

/** What Node says of the headers of an answer, as `fetch` says it. */
export function receivedHeaders(received: OutgoingHttpHeaders): Headers {
  return new Headers(
    Object.entries(received).flatMap(([name, value = []]) =>
      [value].flat().map((one): [string, string] => [name, String(one)]),
    ),
  );
}
