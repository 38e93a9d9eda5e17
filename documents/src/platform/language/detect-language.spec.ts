import { describe, expect, it } from '@jest/globals';
import { detectLanguage } from './detect-language.js';

describe('the language of a page', () => {
  it.each([
    ['en', 'The supplier shall deliver the goods within thirty days of the order, free of any charge.'],
    ['de', 'Der Lieferant liefert die Ware innerhalb von dreißig Tagen nach der Bestellung, frei von Kosten.'],
    ['fr', 'Le fournisseur livre les marchandises dans les trente jours suivant la commande, sans aucun frais.'],
  ])('DI-019 is told: %s', (language, text) => {
    expect(detectLanguage(text)).toBe(language);
  });

  it('is not told of numbers and codes', () => {
    expect(detectLanguage('12 400 A3-77 2026-01-31 9,90 EUR')).toBeNull();
  });
});
