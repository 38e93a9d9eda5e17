import { describe, expect, it } from '@jest/globals';
import type { JsonObject, JsonValue } from '../../../../../../src/domain/json.js';
import { drawnReading } from '../../../../../test/support/extraction/drawn-reading.js';
import { compileSchema } from '../../../schemas/compile-schema.js';
import { extractDocument } from '../../extract-document.js';
import type { ExtractedDocument } from '../../model/extraction-result.js';

const text = (description: string): JsonObject => ({ type: 'string', description });
const listOf = (description: string, items: JsonObject): JsonObject => ({ type: 'array', items, description });
const of = (properties: JsonObject): JsonObject => ({ type: 'object', properties });

const CAREER = of({
  jobs: listOf(
    'Work experience',
    of({
      firm: text('Employer name'),
      post: text('Job title'),
      since: { type: ['string', 'null'], description: 'Start date' },
      until: { type: ['string', 'null'], description: 'End date' },
      now: { type: ['boolean', 'null'], description: 'Whether this is the current position' },
      did: text('Description of the duties'),
    }),
  ),
  studies: listOf('Education', of({ degree: text('Degree'), school: text('Institution'), end: text('End date') })),
  tongues: listOf('Languages spoken', { type: 'string' }),
  mails: listOf('Email addresses', { type: 'string', format: 'email' }),
  clubs: listOf('Memberships', of({ what: text('Description of the membership'), date: text('Date') })),
});

const RESUME = `
##                                    Ada Winter
                      ada.winter@example.org   +44 20 7946 0958

EMPLOYMENT
Lead Surveyor - Northern Bridges Ltd
March 2019 - Present
• Measured forty bridges in two years, and wrote the
  handbook for it
• Trained six surveyors
Surveyor - Office of Roads
June 2012 - February 2019
• Mapped the roads of three counties

EDUCATION
BSc Geodesy, University of Lowmoor
2008 - 2012

LANGUAGES
English (native), Norwegian (fluent); Finnish

MEMBERSHIPS
• Fellow, Society of Surveyors (2016)
• Member, Map Council (2014-2018)
`;

function extracted(schema: JsonObject, ...pages: string[]): ExtractedDocument {
  return extractDocument(compileSchema(schema), drawnReading(...pages));
}

const rows = (result: ExtractedDocument, name: string): JsonValue[] => result.data[name] as JsonValue[];

describe('entries under headings', () => {
  it('DI-013 are items: who, what, from when to when, and what is said of it', () => {
    const result = extracted(CAREER, RESUME);
    expect(rows(result, 'jobs')).toEqual([
      {
        ...{ firm: 'Northern Bridges Ltd', post: 'Lead Surveyor', since: 'March 2019', until: null, now: true },
        did: 'Measured forty bridges in two years, and wrote the handbook for it Trained six surveyors',
      },
      {
        ...{ firm: 'Office of Roads', post: 'Surveyor', since: 'June 2012', until: 'February 2019', now: false },
        did: 'Mapped the roads of three counties',
      },
    ]);
    expect(rows(result, 'studies')).toEqual([{ degree: 'BSc Geodesy', school: 'University of Lowmoor', end: '2012' }]);
    expect(result.fields['/jobs/1/now']?.citations[0]).toMatchObject({ match: 'inferred', excerpt: 'February 2019' });
  });

  it('DI-013 are points of a list, each with its date', () => {
    expect(rows(extracted(CAREER, RESUME), 'clubs')).toEqual([
      { what: 'Fellow, Society of Surveyors', date: '2016' },
      { what: 'Member, Map Council', date: '2014-2018' },
    ]);
  });

  it('DI-013 may be named one after the other, and addresses stand above all of them', () => {
    const result = extracted(CAREER, RESUME);
    expect(rows(result, 'tongues')).toEqual(['English (native), Norwegian (fluent)', 'Finnish']);
    expect(rows(result, 'mails')).toEqual(['ada.winter@example.org']);
  });

  it('DI-013 go on in their own column where another stands beside it', () => {
    const beside = `
EMPLOYMENT                                                               SKILLS
Lead Surveyor - Northern Bridges Ltd
March 2019 - Present                                                     • Levelling
• Measured forty bridges                                                 • Drawing of maps
• Trained six surveyors                                                  • Patience
Surveyor - Office of Roads
June 2012 - February 2019
• Mapped the roads
`;
    const skills = listOf('Skills', { type: 'string' });
    const schema = of({ ...(CAREER['properties'] as JsonObject), skills });
    const result = extracted(schema, beside);
    expect(rows(result, 'skills')).toEqual(['Levelling', 'Drawing of maps', 'Patience']);
    expect(rows(result, 'jobs').map((job) => (job as JsonObject)['did'])).toEqual([
      'Measured forty bridges Trained six surveyors',
      'Mapped the roads',
    ]);
  });

  it('DI-013 are none where no heading names them', () => {
    const result = extracted(CAREER, 'EMPLOYMENT\nA firm\n2001 - 2003\n\nEDUCATION\nA school\n1999\n');
    expect(rows(result, 'clubs')).toEqual([]);
    expect(rows(result, 'tongues')).toEqual([]);
  });
});

const PAPER = of({
  people: listOf('Authors of the paper', of({ name: text('Name'), mail: text('Email'), place: text('Affiliation') })),
  terms: listOf('Keywords', { type: 'string' }),
  works: listOf(
    'References: works cited',
    of({
      title: text('Title'),
      year: { type: ['integer', 'null'], description: 'Year' },
      venue: text('Venue'),
      authors: listOf('Authors', of({ name: text('Name') })),
    }),
  ),
});

const FIRST = `
##                    On the Weight of Snow

                      Ida Frost1, Jon Hale2
                      1 Institute of Winters, Oslo
                      2 School of Roofs, Bergen

#Abstract
Snow is heavy, and heavier where it is wet, as is shown below with measurements of several years.

Keywords: snow, roofs, load
`;

const NUMBERED = `
#References
[1] A. Berg and C. D. Lund. 2019. Wet snow on flat
    roofs. Journal of Loads 12, 3 (2019), 4-9.
[2] E. Holm, "Roofs of barns," in Proc. of the Barn Conference, 2015.
[3] K. Moe. 2021. Falling ice. Ice Press.
`;

describe('a paper', () => {
  it('DI-013 names its authors below its title, with the affiliation that a number points to', () => {
    const result = extracted(PAPER, FIRST);
    expect(rows(result, 'people')).toEqual([
      { name: 'Ida Frost', mail: null, place: 'Institute of Winters, Oslo' },
      { name: 'Jon Hale', mail: null, place: 'School of Roofs, Bergen' },
    ]);
    expect(rows(result, 'terms')).toEqual(['snow', 'roofs', 'load']);
  });

  it('DI-013 has the affiliation of its authors without the address of the post behind it', () => {
    const first = FIRST.replace(/1 Institute of Winters, Oslo/u, '1 Institute of Winters, Oslo, N. W. 07733');
    expect(first).not.toBe(FIRST);
    const [one, other] = rows(extracted(PAPER, first, NUMBERED), 'people') as JsonObject[];
    expect([one?.['place'], other?.['place']]).toEqual(['Institute of Winters', 'School of Roofs, Bergen']);
  });

  it('DI-013 cites works by their numbers, which tell how many there are', () => {
    const result = extracted(PAPER, FIRST, NUMBERED);
    const named = (...names: string[]): JsonObject[] => names.map((name) => ({ name }));
    expect(rows(result, 'works')).toEqual([
      {
        ...{ title: 'Wet snow on flat roofs', year: 2019, venue: 'Journal of Loads' },
        authors: named('A. Berg', 'C. D. Lund'),
      },
      { title: 'Roofs of barns', year: 2015, venue: 'Proc. of the Barn Conference', authors: named('E. Holm') },
      { title: 'Falling ice', year: 2021, venue: 'Ice Press', authors: named('K. Moe') },
    ]);
    const [list] = result.completeness.filter(({ path }) => path === '/works');
    expect(list).toMatchObject({ returnedRows: 3, expectedRows: 3, method: 'numbering', complete: true });
  });

  it('DI-013 does not say that works are all there when one of their numbers is missing', () => {
    const damaged = NUMBERED.replace(/\[2\].*\n/u, '');
    const [list] = extracted(PAPER, FIRST, damaged).completeness.filter(({ path }) => path === '/works');
    expect(list).toMatchObject({ returnedRows: 2, expectedRows: 3, complete: false });
  });

  it('DI-013 cites works by author and year, whose lines after the first are indented', () => {
    const indented = `
#References
Berg, A. and Lund, C. D. (2019). Wet snow on flat
    roofs. Journal of Loads, 12:4-9.
Holm, E. (2015). Roofs of barns. In Vik, O., editor, Barns of
    the North. Barn Press.
`;
    expect(rows(extracted(PAPER, FIRST, indented), 'works')).toMatchObject([
      { title: 'Wet snow on flat roofs', year: 2019, venue: 'Journal of Loads' },
      { title: 'Roofs of barns', year: 2015, venue: 'Barns of the North' },
    ]);
  });
});
