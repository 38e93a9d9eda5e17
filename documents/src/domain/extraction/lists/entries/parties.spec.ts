import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../../../../src/domain/json.js';
import { drawnReading } from '../../../../../test/support/extraction/drawn-reading.js';
import { compileSchema } from '../../../schemas/compile-schema.js';
import { extractDocument } from '../../extract-document.js';
import type { ExtractedDocument } from '../../model/extraction-result.js';

const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    lenders: { type: 'array', items: { type: 'string' }, description: 'Those who lend the money.' },
    leadArrangers: { type: 'array', items: { type: 'string' }, description: 'Who has arranged the loan.' },
  },
};

const COVER = `
                                   LOAN AGREEMENT
                                  dated May 5, 2031
                                       among
                                 TALL MASTS, INC.,
                                    as Borrower,
                                        and
                              HARBOUR BANK, N.A.,
                            as Agent for the Lenders

                           QUAY SECURITIES LLC
                                   and
                           PIER CAPITAL LIMITED,
                                   as
                           Joint Lead Arrangers
`;

const SCHEDULE = `
                                    SCHEDULE 1
                                   COMMITMENTS
          Name of Lender                               Commitment
          Harbour Bank, N.A.                      $   40,000,000
          First Union of Sailors and              $   35,000,000
          Riggers Limited
          Lighthouse Trust Company                $   25,000,000
          Total                                   $  100,000,000
          The amounts above may be changed by the parties as the agreement says in the section on it.
`;

const SIGNED = `


LENDERS:
HARBOUR BANK, N.A.
By: /s/ A. Reef
Name: A. Reef
Title: Director
FIRST UNION OF SAILORS AND
RIGGERS LIMITED
By: Deck Management LLC, its manager
By: /s/ B. Buoy
Name: B. Buoy
`;

const extracted = (...pages: string[]): ExtractedDocument =>
  extractDocument(compileSchema(SCHEMA), drawnReading(...pages));
const listOf = (description: string): JsonObject => ({ type: 'array', items: { type: 'string' }, description });

describe('those who take part in an agreement', () => {
  it('DI-013 are named in a schedule of what each does, also where a name goes on in the next line', () => {
    expect(extracted(COVER, SCHEDULE, SIGNED).data['lenders']).toEqual([
      'Harbour Bank, N.A.',
      'First Union of Sailors and Riggers Limited',
      'Lighthouse Trust Company',
    ]);
  });

  it('DI-013 are named above their role; an agent for them has another', () => {
    const { data } = extracted(COVER);
    expect(data['leadArrangers']).toEqual(['QUAY SECURITIES LLC', 'PIER CAPITAL LIMITED']);
    expect(data['lenders']).toEqual([]);
  });

  it('DI-013 sign under a heading that says their role, and those who act for them are none', () => {
    const { data, fields } = extracted(COVER, SIGNED);
    expect(data['lenders']).toEqual(['HARBOUR BANK, N.A.', 'FIRST UNION OF SAILORS AND RIGGERS LIMITED']);
    expect(fields['/lenders/1']?.citations[0]?.excerpt).toBe('FIRST UNION OF SAILORS AND\nRIGGERS LIMITED');
  });

  it('DI-013 are told by what a description says of them, whatever the list is called', () => {
    const properties = {
      k1: listOf('All entities that provide money under this agreement, the initial lenders and those after them'),
      k2: listOf('The institutions responsible for structuring, underwriting and syndicating the loan'),
    };
    const { data } = extractDocument(compileSchema({ type: 'object', properties }), drawnReading(COVER, SCHEDULE));
    expect(data['k1']).toHaveLength(3);
    expect(data['k2']).toEqual(['QUAY SECURITIES LLC', 'PIER CAPITAL LIMITED']);
  });
});
