import { closedLoop, type Loop, type LoopResult } from './closed-loop.js';
import { HttpConnection, type Answer } from './http-connection.js';

/**
 * A closed loop over HTTP; every caller has a connection of its own.
 *
 * @param request the text of a caller's next request
 * @param isExpected false for an answer that ends the loop with an error
 */
export async function exchangeLoop(
  port: number,
  loop: Omit<Loop, 'call'>,
  request: (caller: number) => string,
  isExpected: (answer: Answer) => boolean,
): Promise<LoopResult> {
  const connections = await Promise.all(Array.from({ length: loop.callers }, () => HttpConnection.open(port)));
  try {
    return await closedLoop({
      ...loop,
      call: async (caller) => {
        const answer = await connections[caller]!.exchange(request(caller));
        if (!isExpected(answer)) throw new Error(`an unexpected answer: ${answer.status} ${answer.body}`);
      },
    });
  } finally {
    for (const connection of connections) connection.close();
  }
}
