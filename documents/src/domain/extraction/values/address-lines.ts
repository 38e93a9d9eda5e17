const STREETS =
  'street st road rd avenue ave lane ln drive dr boulevard blvd way court ct square sq place pl parkway pkwy highway hwy terrace close crescent ' +
  'strasse straße str weg platz allee gasse ring damm ufer rue chemin impasse quai calle avenida avda plaza paseo carrera via viale corso piazza ' +
  'rua travessa largo praça straat laan plein gracht kade ulica ul aleja jalan jln lorong persiaran lebuh lebuhraya jl soi gatan gata vej gade veien tie katu ' +
  'nagar marg marga autoroute';
const PARTS =
  'suite ste floor flr level unit building bldg block blk lot no wisma menara plaza tower mall complex centre center taman kampung kg bandar desa seksyen ' +
  'section sector phase mukim batu apartment apt room house estate park industrial kawasan perindustrian village district taluk box postfach postbus ' +
  'north south east west city town';
const STREET_WORDS: ReadonlySet<string> = new Set(STREETS.split(' '));
const PART_WORDS: ReadonlySet<string> = new Set(PARTS.split(' '));
const STREET_END =
  /(?:straße|strasse|str\.?|weg|platz|gasse|allee|ufer|straat|laan|plein|gracht|gatan|vägen|vej|gade|katu)$/u;
/** What stands beside addresses and is no part of them. */
const OTHER =
  /\b(?:tel|telephone|phone|fax|mobile|e-?mail|www|http|gst|vat|tin|reg|registration|invoice|receipt|date|time|cashier|ssm|roc|hotline|website|iban|total|tax|qty|bill|customer|ustid|steuer|order|table|page)\b|@|\d{2}:\d{2}|\d{2}[/-]\d{2}[/-]\d{2}/iu;
/** Postal codes as most countries write them. */
const POSTAL =
  /(?:^|[\s,-])(?:[A-Z]{1,2}-)?(?:\d{5}(?:-\d{4})?|\d{4}\s?[A-Z]{2}|[A-Z]{1,2}\d[A-Z\d]?\s?\d[A-Z]{2}|\d{6}|[A-Z]\d[A-Z]\s?\d[A-Z]\d)(?=$|[\s,.])/u;

/** How much a line looks like a part of a postal address, 0…1. */
export function addressScore(text: string): number {
  if (OTHER.test(text)) return 0;
  const words = text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  if (words.length === 0 || !/\p{L}/u.test(text)) return 0;
  const hasNumber = /\d/u.test(text);
  const street = words.some((word) => STREET_WORDS.has(word) || STREET_END.test(word));
  const part = words.some((word) => PART_WORDS.has(word));
  const postal = hasPostalCode(text);
  const begins = /^(?:no|lot|unit|block|blk|p\.?\s?o\.?)?[.,:\s]*\d+[\p{L}\d]{0,3}(?:[-/&,]|\s)/iu.test(text);
  const score =
    (street ? 0.45 : 0) + (part ? 0.25 : 0) + (postal ? 0.45 : 0) + (begins ? 0.2 : 0) + (text.includes(',') ? 0.1 : 0);
  return Math.min(1, hasNumber || street ? score : score * 0.7);
}

export function hasPostalCode(text: string): boolean {
  return POSTAL.test(text.toUpperCase());
}

/** Whether a line says something that is no address, as a telephone or a date. */
export function isOtherThanAddress(text: string): boolean {
  return OTHER.test(text);
}
