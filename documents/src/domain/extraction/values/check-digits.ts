/** ISO 13616: moved, letters as numbers, and the rest of a division by 97 is 1. */
export function isIban(text: string): boolean {
  const plain = compact(text);
  if (!/^[A-Z]{2}\d{2}[A-Z\d]{11,30}$/u.test(plain)) return false;
  const digits = [...`${plain.slice(4)}${plain.slice(0, 4)}`].map((one) => String(Number.parseInt(one, 36))).join('');
  let rest = 0;
  for (const digit of digits) rest = (rest * 10 + Number(digit)) % 97;
  return rest === 1;
}

/** ISO 9362: bank, country, place and perhaps a branch. */
export function isBic(text: string): boolean {
  return /^[A-Z]{6}[A-Z\d]{2}(?:[A-Z\d]{3})?$/u.test(text);
}

/** The check digit of cards and many other numbers. */
export function isLuhn(text: string): boolean {
  const digits = text.replaceAll(/\D/gu, '');
  if (digits.length < 8) return false;
  const sum = [...digits].reverse().reduce((total, one, at) => {
    const doubled = Number(one) * (at % 2 === 1 ? 2 : 1);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}

const VAT_FORMS: Readonly<Record<string, RegExp>> = {
  ...{
    AT: /^U\d{8}$/,
    BE: /^[01]\d{9}$/,
    BG: /^\d{9,10}$/,
    CY: /^\d{8}[A-Z]$/,
    CZ: /^\d{8,10}$/,
    DE: /^\d{9}$/,
    DK: /^\d{8}$/,
  },
  ...{
    EE: /^\d{9}$/,
    EL: /^\d{9}$/,
    ES: /^[A-Z\d]\d{7}[A-Z\d]$/,
    FI: /^\d{8}$/,
    FR: /^[A-Z\d]{2}\d{9}$/,
    GB: /^\d{9}(?:\d{3})?$/,
  },
  ...{
    HR: /^\d{11}$/,
    HU: /^\d{8}$/,
    IE: /^\d[A-Z\d]\d{5}[A-Z]{1,2}$/,
    IT: /^\d{11}$/,
    LT: /^\d{9}(?:\d{3})?$/,
    LU: /^\d{8}$/,
  },
  ...{
    LV: /^\d{11}$/,
    MT: /^\d{8}$/,
    NL: /^\d{9}B\d{2}$/,
    PL: /^\d{10}$/,
    PT: /^\d{9}$/,
    RO: /^\d{2,10}$/,
    SE: /^\d{12}$/,
  },
  ...{ SI: /^\d{8}$/, SK: /^\d{10}$/, CHE: /^\d{9}(?:MWST|TVA|IVA)?$/ },
};

/** Whether a text has the form of a VAT number of a country that it names. */
export function isVatNumber(text: string): boolean {
  const plain = compact(text);
  const country = plain.startsWith('CHE') ? 'CHE' : plain.slice(0, 2);
  return VAT_FORMS[country]?.test(plain.slice(country.length)) === true;
}

function compact(text: string): string {
  return text.replaceAll(/[\s.\-/]/gu, '').toUpperCase();
}
