import { tellingWords, type TextShape } from './roles.js';

/** Nouns of texts by what they are made of. */
const NOUNS: Readonly<Record<Exclude<TextShape, 'line'>, string>> = {
  company:
    'company vendor supplier seller merchant store shop bank lender borrower insurer employer manufacturer carrier institution university school organization organisation firm agency entity contractor arranger trustee publisher hospital clinic registrant issuer agent guarantor lessor franchisor provider brand',
  party:
    'customer client buyer tenant landlord lessee party recipient payee payer beneficiary holder consignee shipper licensee licensor purchaser owner sender assignee',
  person:
    'person author patient employee candidate applicant doctor physician contact manager director signatory supervisor student teacher judge inspector operator passenger guest driver athlete player speaker chairman officer secretary attendee technician analyst',
  address: 'address',
  title: 'title headline heading championship tournament competition conference event',
  passage:
    'summary abstract statement purpose definition description explanation clause conclusion finding recommendation instruction note remark comment reason overview scope background provision responsibility objective history diagnosis',
  place: 'jurisdiction city town country state province region location place venue county',
};
const BY_NOUN: ReadonlyMap<string, TextShape> = new Map(
  (Object.entries(NOUNS) as [TextShape, string][]).flatMap(([shape, nouns]) =>
    nouns.split(' ').map((noun) => [noun, shape] as const),
  ),
);
/** Words that stand behind a noun and leave it what it is. */
const BEHIND: ReadonlySet<string> = new Set(['name', 'full', 'legal', 'text']);

/** What a text is made of, by the last noun of its name that tells, else the first of its description. */
export function shapeOf(phrases: readonly (readonly string[])[]): TextShape {
  const [name = [], ...said] = phrases.map(tellingWords);
  const last = name.filter((word) => !BEHIND.has(word)).at(-1);
  const byName = last === undefined ? undefined : BY_NOUN.get(last);
  if (byName !== undefined) return byName;
  for (const phrase of said) {
    const noun = phrase.slice(0, 6).find((word) => BY_NOUN.has(word));
    const shape = noun === undefined ? undefined : BY_NOUN.get(noun);
    if (shape !== undefined) return shape;
  }
  return 'line';
}
