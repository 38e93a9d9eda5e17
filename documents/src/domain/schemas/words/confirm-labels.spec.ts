import { expect, it } from '@jest/globals';
import { confirmLabels } from './confirm-labels.js';

it('DI-012 labels are confirmed by sample documents, as whole words', () => {
  const field = (labels: string[]) => ({ path: '/properties/a', reason: 'text', labels });
  const reasons = confirmLabels(
    [field(['Invoice no.', 'inv']), field(['inv']), field([])],
    ['INVOICE NO: 17', 'inventory'],
  );
  expect(reasons.map(({ reason }) => reason)).toEqual([
    'text; "Invoice no." stands in 1 of 2 samples',
    'text; no sample prints its name',
    'text; no sample prints its name',
  ]);
  expect(confirmLabels([field(['x'])], [])).toEqual([field(['x'])]);
});
