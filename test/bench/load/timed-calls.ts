import { spreadOf, type Spread } from './percentiles.js';

/** Times a synchronous call, after a quarter as many unmeasured ones. @returns milliseconds per call */
export function timedCalls(rounds: number, work: (index: number) => unknown): Spread {
  for (let index = 0; index < rounds / 4; index += 1) work(index);
  const times: number[] = [];
  for (let index = 0; index < rounds; index += 1) {
    const start = performance.now();
    work(index);
    times.push(performance.now() - start);
  }
  return spreadOf(times);
}
