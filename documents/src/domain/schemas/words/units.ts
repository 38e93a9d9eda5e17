const CURRENCIES =
  'eur usd gbp chf jpy cny inr aud cad sek nok dkk pln czk huf ron bgn try brl mxn zar sgd hkd nzd krw ils aed'.split(
    ' ',
  );
const CURRENCY_WORDS =
  'euro euros dollar dollars pound pounds franc francs yen rupee rupees cent cents € $ £ ¥ ₹'.split(' ');
const SCALES = 'thousand thousands million millions billion billions'.split(' ');
const MEASURES = (
  'kg g mg µg t lb lbs oz ton tons tonne tonnes kilogram kilograms gram grams pound km m cm mm mi mile miles ft feet in inch inches yd metre ' +
  'metres meter meters kilometre kilometres kilometer kilometers m2 m² sqm sqft ft2 ft² km2 km² ha hectare hectares acre acres m3 m³ l ml dl ' +
  'cl litre litres liter liters gal gallon gallons °c °f c f k celsius fahrenheit kelvin bar mbar pa kpa mpa hpa psi atm w kw mw gw watt watts ' +
  'kwh mwh wh gwh j kj mj kcal cal v kv mv volt volts a ma amp amps ampere amperes ohm ohms ω hz khz mhz ghz rpm n nm kn db dba lux lumen ' +
  'lumens cd ppm ppb mol mmol pcs pieces bytes kb mb gb tb px dpi % percent ‰ l/min l/s m/s km/h mph m³/h m3/h kg/m³ kg/m3 g/l mg/l ' +
  'mg/dl mmol/l µg/l g/dl l/h kwh/m² gco2/km mg/kg iu'
).split(' ');
const TIMES = 'second seconds s sec minute minutes min hour hours h day days week weeks month months year years'.split(
  ' ',
);

export type UnitKind = 'currency' | 'scale' | 'percent' | 'measure';

const KINDS: ReadonlyMap<string, UnitKind> = new Map([
  ...[...MEASURES, ...TIMES].map((unit) => [unit, 'measure'] as const),
  ...[...CURRENCIES, ...CURRENCY_WORDS].map((unit) => [unit, 'currency'] as const),
  ...SCALES.map((unit) => [unit, 'scale'] as const),
  ...['%', 'percent', 'pct', '‰'].map((unit) => [unit, 'percent'] as const),
]);

/** The kind of a unit as somebody writes it; null for a word that is none. */
export function unitKind(text: string): UnitKind | null {
  return KINDS.get(text.trim().toLowerCase().replaceAll('μ', 'µ')) ?? null;
}

/** Cuts what follows `in` or `per` from a phrase: `premium per month`, `weight in kg`, `revenue in millions of USD`. */
export function cutUnit(phrase: string): { phrase: string; unit: string | null; kind: UnitKind | null } {
  const per = /^(.+?)\s+per\s+(month|year|day|hour|week|night|annum|quarter)$/iu.exec(phrase);
  if (per !== null) return { phrase: per[1] ?? phrase, unit: `per ${per[2]}`, kind: null };
  const match = /^(.+)\s+(?:in|measured in|given in)\s+(\S+(?:\s+(?:of\s+)?\S+)?)$/iu.exec(phrase);
  const [, rest = '', unit = ''] = match ?? [];
  if (unit === '' || NO_UNITS.test(unit)) return { phrase, unit: null, kind: null };
  const [first = '', last = ''] = [unit.split(/\s+/)[0], unit.split(/\s+/).at(-1)];
  const kind = unitKind(unit) ?? unitKind(first) ?? unitKind(last) ?? (/^\p{Ll}{3,}s$/u.test(unit) ? 'measure' : null);
  return kind === null ? { phrase, unit: null, kind: null } : { phrase: rest, unit, kind };
}

const NO_UNITS =
  /^(?:words|letters|full|total|figures|capitals|brackets|parentheses|charge|transit|stock|use|force|advance)\b/iu;
