import type { TextSpan } from './contacts.js';
import { isBic, isIban, isVatNumber } from './check-digits.js';

const TOKEN = /[\p{L}\p{N}#][\p{L}\p{N}\-_/.:#&]*/gu;
const IBAN = /[A-Z]{2}\d{2}(?:[ .-]?[A-Z\d]{1,4}){3,9}/gu;
const BIC = /[A-Z]{6}[A-Z\d]{2}(?:[A-Z\d]{3})?/gu;
const VAT =
  /(?:AT|BE|BG|CHE|CY|CZ|DE|DK|EE|EL|ES|FI|FR|GB|HR|HU|IE|IT|LT|LU|LV|MT|NL|PL|PT|RO|SE|SI|SK)[\s.-]?[A-Z\d](?:[\s.-]?[A-Z\d]){6,13}/gu;

/** Words that hold a digit, with what is joined to them by hyphens, slashes and dots. */
export function findIdentifiers(text: string): TextSpan[] {
  return [...text.matchAll(TOKEN)]
    .map((match) => {
      const said = match[0].replace(/[.:\-/&]+$/u, '');
      return { from: match.index, to: match.index + said.length };
    })
    .filter(({ from, to }) => isIdentifier(text.slice(from, to)));
}

/** Accounts whose check digits are right, and what has the form of one right behind its label. */
export function findIbans(text: string): TextSpan[] {
  return wholeMatches(IBAN, text).flatMap(({ from, to }) => {
    // Words in capitals may follow the number: it ends where its check digits are right.
    const parts = text.slice(from, to).split(' ');
    for (let count = parts.length; count > 0; count -= 1) {
      const said = parts.slice(0, count).join(' ');
      if (isIban(said)) return [{ from, to: from + said.length }];
    }
    return [];
  });
}

export function findBics(text: string): TextSpan[] {
  return wholeMatches(BIC, text).filter(({ from, to }) => isBic(text.slice(from, to)));
}

export function findVatNumbers(text: string): TextSpan[] {
  return wholeMatches(VAT, text).flatMap(({ from, to }) => {
    const parts = text.slice(from, to).split(' ');
    for (let count = parts.length; count > 0; count -= 1) {
      const said = parts.slice(0, count).join(' ');
      if (isVatNumber(said)) return [{ from, to: from + said.length }];
    }
    return [];
  });
}

function wholeMatches(pattern: RegExp, text: string): TextSpan[] {
  return [...text.matchAll(pattern)]
    .map((match) => ({ from: match.index, to: match.index + match[0].length }))
    .filter(({ from, to }) => !/[\p{L}\p{N}]$/u.test(text.slice(0, from)) && !/^[\p{L}\p{N}]/u.test(text.slice(to)));
}

/** Amounts, shares and times are none. */
function isIdentifier(said: string): boolean {
  return said.length >= 2 && /\d/u.test(said) && !/^\d+(?:[.,]\d{3})*[.,]\d{2}$|^\d{1,2}:\d{2}(?::\d{2})?$/u.test(said);
}
