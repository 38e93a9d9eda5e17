/** Names of the months from January on in the languages that documents are mostly written in; short forms are told by their beginnings. */
const NAMES: readonly string[] = [
  'january january january janvier enero gennaio januari janeiro styczeń stycznia januar tammikuu leden ledna ocak ianuarie január',
  'february februar février febrero febbraio februari fevereiro luty lutego helmikuu únor února şubat februarie február',
  'march märz mars marzo maart março marzec marca marts maaliskuu březen března mart martie március',
  'april avril abril aprile kwiecień kwietnia huhtikuu duben dubna nisan aprilie április',
  'may mai mayo maggio mei maio maj maja toukokuu květen května mayıs május',
  'june juni juin junio giugno junho czerwiec czerwca kesäkuu červen června haziran iunie június',
  'july juli juillet julio luglio julho lipiec lipca heinäkuu červenec července temmuz iulie július',
  'august août agosto augustus sierpień sierpnia augusti elokuu srpen srpna ağustos',
  'september septembre septiembre settembre setembro wrzesień września syyskuu září eylül septembrie szeptember',
  'october oktober octobre octubre ottobre outubro październik października lokakuu říjen října ekim octombrie október',
  'november novembre noviembre novembro listopad listopada marraskuu kasım noiembrie',
  'december dezember décembre diciembre dicembre dezembro grudzień grudnia desember joulukuu prosinec prosince aralık decembrie',
];
/** Short forms that are no beginning of one name alone, or have a spelling of their own. */
const SHORT: Readonly<Record<string, number>> = {
  ...{ jan: 1, feb: 2, fev: 2, fév: 2, mar: 3, mär: 3, mrz: 3, mrt: 3, apr: 4, avr: 4, abr: 4, jun: 6, jul: 7 },
  ...{ juil: 7, aug: 8, ago: 8, aou: 8, aoû: 8, sep: 9, sept: 9, set: 9, oct: 10, okt: 10, out: 10, nov: 11, dec: 12 },
  ...{ dez: 12, déc: 12, dic: 12, dc: 12, gen: 1, ene: 1, giu: 6, lug: 7, ott: 10, mag: 5 },
};
const SHORTEST = 4;
const BY_NAME = readNames();

/** The month, 1…12, that a word names, whole or cut short; null for another word. */
export function monthNamed(word: string): number | null {
  const name = plain(word);
  const whole = BY_NAME.get(name) ?? SHORT[name];
  if (whole !== undefined) return whole;
  if (name.length < SHORTEST) return null;
  const begun = new Set([...BY_NAME].flatMap(([full, month]) => (full.startsWith(name) ? [month] : [])));
  const [only] = begun;
  return begun.size === 1 && only !== undefined ? only : null;
}

function plain(word: string): string {
  return word.normalize('NFC').toLowerCase().replaceAll('.', '');
}

/** A name of two months in different languages, as `listopad`, is that of the first. */
function readNames(): ReadonlyMap<string, number> {
  const read = new Map<string, number>();
  for (const [at, names] of NAMES.entries()) {
    for (const name of names.split(' ')) if (!read.has(name)) read.set(name, at + 1);
  }
  return read;
}
