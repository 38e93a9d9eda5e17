import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { placeName } from '../../support/identity/live-places.js';
import { absentLike } from '../../support/identity/place-asker.js';
import { TwoOrganizations, type Try } from '../../support/identity/two-organizations.js';

/** Pairs of requests at each place; none in `npm test`, where others at work on the machine would be measured. */
const PAIRS = Number(process.env['TEST_TIMING_PAIRS'] ?? 0);
/** A place that seems to tell is asked that many times as often before it is believed. */
const CLOSER = 4;
/** Standard deviations from an even chance. */
const SEEMS = 4;
const TELLS = 5;

const CAMPAIGN_MS = 3_600_000;

/**
 * The rank-sum test of Mann and Whitney: how often one of the first is longer than one of the others, in standard deviations from what
 * is to be expected where nothing differs.
 */
function deviationOf(first: readonly number[], others: readonly number[]): number {
  const wins = first.flatMap((one) => others.map((other) => (one > other ? 1 : one === other ? 0.5 : 0)));
  const [n, m] = [first.length, others.length];
  return (wins.reduce((sum: number, win) => sum + win, 0) - (n * m) / 2) / Math.sqrt((n * m * (n + m + 1)) / 12);
}

let two: TwoOrganizations;
const describeIfAsked = PAIRS > 0 ? describe : describe.skip;

describeIfAsked('proof 12: how long an answer takes', () => {
  beforeAll(async () => {
    two = await TwoOrganizations.start();
  }, CAMPAIGN_MS);
  afterAll(() => two.close());

  /** Asks about one value and about nothing in turn. @returns by how much the answers differ in time, in standard deviations */
  async function differenceOf({ place, body, foreign }: Try, value: string, pairs: number): Promise<number> {
    const absent = absentLike(foreign);
    const took: Record<string, number[]> = { [value]: [], [absent]: [] };
    for (let pair = 0; pair < pairs; pair++) {
      for (const sent of Math.random() < 0.5 ? [value, absent] : [absent, value]) {
        const { tookMs } = await two.intruder.ask(place, body, sent);
        took[sent]?.push(tookMs);
      }
    }
    return Math.abs(deviationOf(took[value] ?? [], took[absent] ?? []));
  }

  const meant = (): Try[] =>
    two.tries().filter(({ isMeant, place }) => isMeant && !/^body (name|slug)$/.test(place.place));

  it('positive control: an own row is told from none', async () => {
    const read = meant().find(({ place }) => placeName(place) === 'GET /v1/agents/:id path id');
    if (read === undefined) throw new Error('GET /v1/agents/:id is not asked');
    expect(await differenceOf(read, two.intruder.ownOf('/v1/agents/:id'), PAIRS)).toBeGreaterThan(TELLS);
  });

  it(
    'CP-303 does not tell whether another organization has what was asked about',
    async () => {
      const tries = meant();
      const telling: string[] = [];
      for (const one of tries) {
        if ((await differenceOf(one, one.foreign.value, PAIRS)) < SEEMS) continue;
        const closer = await differenceOf(one, one.foreign.value, PAIRS * CLOSER);
        if (closer > TELLS) telling.push(`${placeName(one.place)}: ${closer.toFixed(1)}`);
      }
      expect(telling).toEqual([]);
      expect(tries.length).toBeGreaterThan(50);
    },
    CAMPAIGN_MS,
  );
});
