/** ISO codes by the signs and words that documents print. */
const BY_SIGN: Readonly<Record<string, string>> = {
  ...{ '€': 'EUR', '£': 'GBP', '¥': 'JPY', '₹': 'INR', '₩': 'KRW', '₺': 'TRY', '₽': 'RUB', '₪': 'ILS', '₫': 'VND' },
  ...{
    $: 'USD',
    us$: 'USD',
    'u.s.$': 'USD',
    c$: 'CAD',
    ca$: 'CAD',
    a$: 'AUD',
    au$: 'AUD',
    s$: 'SGD',
    hk$: 'HKD',
    nz$: 'NZD',
    r$: 'BRL',
  },
  ...{
    rm: 'MYR',
    rs: 'INR',
    'rs.': 'INR',
    kč: 'CZK',
    zł: 'PLN',
    ft: 'HUF',
    'fr.': 'CHF',
    sfr: 'CHF',
    'kr.': 'DKK',
    rp: 'IDR',
    '฿': 'THB',
  },
  ...{
    euro: 'EUR',
    euros: 'EUR',
    dollar: 'USD',
    dollars: 'USD',
    pound: 'GBP',
    pounds: 'GBP',
    yen: 'JPY',
    rupees: 'INR',
    rupee: 'INR',
  },
  ...{ ringgit: 'MYR', francs: 'CHF', sterling: 'GBP' },
};
const CODES: ReadonlySet<string> = new Set(
  (
    'AED ARS AUD BDT BGN BHD BRL CAD CHF CLP CNY COP CRC CZK DKK DOP EGP EUR GBP GEL GHS HKD HRK HUF IDR ILS INR ISK JOD JPY KES KRW KWD KZT ' +
    'LKR MAD MXN MYR NGN NOK NZD OMR PEN PHP PKR PLN QAR RON RSD RUB SAR SEK SGD THB TND TRY TWD UAH UGX USD UYU VND XAF XOF ZAR'
  ).split(' '),
);

/** Signs before or after amounts, the longest first, as a part of an expression. */
export const CURRENCY_PATTERN = [
  ...[
    String.raw`U\.?S\.?\s?\$`,
    String.raw`(?:CA|AU|HK|NZ|[CASR])\$`,
    String.raw`[$€£¥₹₩₺₽₪₫฿]`,
    String.raw`RM`,
    String.raw`Rs\.?`,
    String.raw`Kč`,
    String.raw`zł`,
  ],
  [...CODES].join('|'),
].join('|');

/** The ISO 4217 code that a sign, a word or a code stands for; null for another word. */
export function currencyOf(text: string): string | null {
  const plain = text.replaceAll(/\s/gu, '');
  const code = plain.toUpperCase();
  if (CODES.has(code)) return code;
  const lower = plain.toLowerCase();
  return BY_SIGN[lower] ?? BY_SIGN[lower.replaceAll('.', '')] ?? null;
}
