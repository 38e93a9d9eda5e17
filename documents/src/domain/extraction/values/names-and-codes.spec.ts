import { expect, it } from '@jest/globals';
import { addressScore } from './address-lines.js';
import { isBic, isIban, isLuhn, isVatNumber } from './check-digits.js';
import { findCompanies } from './company-names.js';
import { findEmails, findPhones, findUris } from './contacts.js';
import { currencyOf } from './currencies.js';
import { findIbans, findIdentifiers } from './identifiers.js';

const said = (text: string, find: (text: string) => { from: number; to: number }[]): string[] =>
  find(text).map(({ from, to }) => text.slice(from, to));

it('companies are found by their endings, with their connectors and without what is beside them', () => {
  expect(said('between GREEN & FIELD (UK) LTD, a company, and Meyer Bau GmbH & Co. KG.', findCompanies)).toEqual([
    'GREEN & FIELD (UK) LTD',
    'Meyer Bau GmbH & Co. KG.',
  ]);
  expect(said('the company said so', findCompanies)).toEqual([]);
  expect(said('‘77 ROSE LANE S/B (519537-X)', findCompanies)).toEqual(['77 ROSE LANE S/B']);
  expect(said('BLUE HERON STATIONERY SHOP', findCompanies)).toEqual(['BLUE HERON STATIONERY SHOP']);
});

it('check digits tell accounts, cards and the form of tax numbers', () => {
  expect(isIban('DE89 3704 0044 0532 0130 00')).toBe(true);
  expect(isIban('DE89 3704 0044 0532 0130 01')).toBe(false);
  expect(said('IBAN GB82 WEST 1234 5698 7654 32 BIC', findIbans)).toEqual(['GB82 WEST 1234 5698 7654 32']);
  expect([isBic('DEUTDEFF500'), isBic('DEUTDEFF5')]).toEqual([true, false]);
  expect([isLuhn('4539 1488 0343 6467'), isLuhn('4539 1488 0343 6468')]).toEqual([true, false]);
  expect([isVatNumber('ATU12345678'), isVatNumber('DE 123 456 789'), isVatNumber('DE12345')]).toEqual([
    true,
    true,
    false,
  ]);
});

it('contacts are found, and nothing that only looks like them', () => {
  expect(said('Write to a.b@green-field.co.uk or www.green-field.co.uk/shop.', findEmails)).toEqual([
    'a.b@green-field.co.uk',
  ]);
  expect(said('Write to a.b@green-field.co.uk or www.green-field.co.uk/shop.', findUris)).toEqual([
    'www.green-field.co.uk/shop',
  ]);
  expect(said('Tel +49 6051 916 44 10 on 07/03/2024 for 1234.50', findPhones)).toEqual(['+49 6051 916 44 10']);
});

it('identifiers hold a digit and are no amounts and no times', () => {
  expect(said('Invoice INV/2024/0008 of 12.50 at 12:30', findIdentifiers)).toEqual(['INV/2024/0008']);
});

it('lines of addresses are told from others by streets, numbers and postal codes', () => {
  expect(addressScore('12 Station Road, 53100 Karlsby')).toBeGreaterThan(0.8);
  expect(addressScore('Tel 03-7859 9863')).toBe(0);
  expect(addressScore('Two coffees')).toBe(0);
});

it('signs and words stand for currencies', () => {
  expect(['€', 'RM', 'US$', 'usd', 'Dollars', 'kilos'].map(currencyOf)).toEqual([
    'EUR',
    'MYR',
    'USD',
    'USD',
    'USD',
    null,
  ]);
});
