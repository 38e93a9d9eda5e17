import type { ValueKind } from '../../schemas/words/concepts.js';
import { wordsOfLabel } from './label-words.js';

/** What values that are no numbers, dates and the like are made of. */
export type TextShape = 'company' | 'party' | 'person' | 'address' | 'title' | 'passage' | 'place' | 'line';

interface Cue {
  /** Between spaces, as it is looked for. */
  spaced: string;
  /** In words. */
  length: number;
}

/** What a value is for, where documents of many kinds have it. */
export interface Role {
  name: string;
  kind: ValueKind;
  shape: TextShape;
  /** Phrases that tell it in a name or a description, without small words. */
  cues: readonly Cue[];
  /** How documents label it, in the languages of trade. */
  labels: readonly string[];
}

/** `name kind shape | cues | labels`; of two that fit as well the first is meant. One without cues is never sought: its labels are no others'. */
const ROLES_TEXT = `
currency text line | currency; iso 4217; currency code | currency; currency code; curr; wahrung; devise; moneda; valuta
iban identifier line | iban; bank account iban | iban; iban number; account number iban
bic identifier line | bic; swift; swift code; bank identifier code | bic; swift; swift code; bic swift; swift bic
tax-id identifier line | tax identification; tax id; vat number; vat id; vat registration; gst number; gst id; tax number; vat identification; tin | vat number; vat id; vat reg number; vat registration number; tax id; gst number; gst id; gst reg number; tin; ustid; ust idnr; ustidnr; umsatzsteuer identifikationsnummer; btw nummer; btw number; btw; n tva; numero tva; tva intracommunautaire; p iva; partita iva; nif; cif; ein; abn; vat; vat tin; steuernummer; org number
untaxed money line | before tax; untaxed; without tax; excluding tax; tax excluded; net amount; subtotal; net total; taxable amount; total net; excl tax; before vat; excluding vat; pre tax | subtotal; net amount; total excluding tax; total excl tax; total excl vat; total before tax; amount before tax; taxable amount; nettobetrag; summe netto; netto; zwischensumme; total ht; montant ht; base imponible; imponibile; subtotale; subtotaal; grondslag; totaal excl btw; net total; total net; charge; summe ohne mwst
tax money line | amount tax; tax amount; total tax; vat amount; gst amount; sales tax; value added tax; tax charged; amount vat; tax total | tax; total tax; tax amount; sales tax; vat; vat amount; total vat; gst; total gst; gst amount; mwst; mehrwertsteuer; ust; umsatzsteuer; tva; montant tva; iva; btw; btw bedrag; moms; service tax; cuota iva
commitment money line | aggregate principal amount available; total commitment; loan commitment; aggregate commitment; commitment amount; credit limit; facility amount; principal amount; available borrowing; loan amount | total commitment; aggregate commitment; aggregate principal amount; credit facility; revolving credit facility; commitment; aggregate amount; principal amount; aggregate principal; term loan facility; credit agreement; facility amount; loan amount; maximum amount
total money line | amount pay; total pay; total amount; amount due; total due; grand total; balance due; invoice total; total invoice; invoice amount; total payable; amount payable; total; tax included; including tax; total paid; amount paid; gross amount; final amount; total price; order total | total; grand total; total amount; amount incl gst; amount incl tax; amount incl vat; amount including tax; amount inclusive; total gst incl; total gst inclusive; total tax incl; total vat incl; total after adj; total after adjustment; amount due; total due; balance due; total amount due; net total; total payable; amount payable; total sale; total inclusive; total incl; total inclusive gst; total incl gst; total sale inclusive gst; total with gst; rounded total; total rounded; total rm; total after rounding; total for this invoice; invoice total; amount to pay; gesamtbetrag; gesamtsumme; gesamt; rechnungsbetrag; endbetrag; bruttobetrag; zu zahlen; zahlbetrag; summe; total ttc; montant total; net a payer; importe total; totale; totale fattura; totaal; totaal te betalen; te betalen; factuur totaal; factuurbedrag; total a pagar; valor total; att betala; suma
tendered money line | | accepted total; total accepted; total tendered; amount tendered; cash tendered; total received; amount received; cash received; total cash
count number line | | total quantity; total qty; total item; total pcs; total piece; total unit; total point; total page
saving money line | | total discount; total saving; total savings; total rounding
due date line | payment due; due date; date due; pay by; payment deadline; due | due date; payment due; payment due date; due on; due by; pay by; payable by; date due; zahlungsziel; fallig am; falligkeit; falligkeitsdatum; zahlbar bis; echeance; date d echeance; date echeance; fecha vencimiento; fecha de vencimiento; vencimiento; scadenza; data scadenza; vervaldatum; betalen voor; forfallodatum; forfallsdato; termin platnosci; payment date
maturity date line | maturity; maturity date; final date; repaid; final repayment; termination date | maturity date; stated maturity date; scheduled maturity date; final maturity date; termination date; scheduled termination date; commitment termination date; expiration date; final repayment date
agreement-date date line | agreement date; date agreement; effective date; agreement becomes binding; contract date; date contract; becomes binding; entered into; signing date; date signing | dated as of; dated; effective date; is dated as of; made as of; entered into as of; entered into on; agreement date; date of agreement; made this; closing date
period-end date line | end date reporting period; period end; reporting period end; period ended; reporting date; balance sheet date; fiscal period end | period ended; quarterly period ended; year ended; quarter ended; fiscal year ended; month ended; as of; period ending; stichtag
period-start date line | period start; start date period; billing period start; period from | period from; from; period; billing period; zeitraum
birth date line | birth date; date birth; birthday; dob; born | date of birth; birth date; born; dob; geburtsdatum; geboren am; date de naissance; fecha de nacimiento; data di nascita; geboortedatum
delivery date line | delivery date; date delivery; shipping date; delivered; ship date | delivery date; date of delivery; ship date; delivered on; lieferdatum; liefertermin; date de livraison; leverdatum; shipped
expiry date line | expiry; expiry date; expiration; valid until; expires | expiry date; expiration date; expires; valid until; valid to; valid thru; best before; gultig bis; ablaufdatum; fin de validite
order-date date line | order date; date order; ordered | order date; date of order; ordered on; bestelldatum; date de commande; orderdatum
issue date line | date issue; invoice date; issue date; issued; receipt date; date receipt; date document; document date; date invoice; date transaction; transaction date; date purchase; date printed; statement date; report date; date | invoice date; date of issue; issue date; issued; issued on; date; dated; receipt date; bill date; bill dt; trans date; transaction date; document date; doc date; statement date; rechnungsdatum; datum; belegdatum; ausstellungsdatum; date de facture; date facture; date d emission; fecha; fecha factura; fecha de emision; data; data fattura; data emissao; factuurdatum; factuur datum; fakturadatum; fakturadato; data wystawienia
order-number identifier line | order number; purchase order; po number; order id | order number; order id; purchase order; purchase order number; po number; bestellnummer; auftragsnummer; auftrag; numero de commande; bestelling; ordernummer; order
customer-number identifier line | customer number; customer id; client number; account number | customer number; customer id; client id; account number; kundennummer; kundennr; klantnummer; numero client; konto
document-number identifier line | invoice number; number invoice; identifier invoice; receipt number; document number; invoice id; number document; bill number; number receipt; identifier document | invoice number; invoice; invoice id; receipt number; bill number; document number; doc number; tax invoice number; rechnungsnummer; rechnungsnr; rechnung nr; rechnung; belegnummer; belegnr; facture number; facture; numero facture; numero de facture; factura; factura number; fattura; fattura number; factuurnummer; factuurnr; factuur; fakturanummer; faktura; reference number; slip number
page-count integer line | number page; page count; count page; how many page | number of pages
abstract text passage | abstract; summary paper; summary article | abstract; summary; zusammenfassung; resume
profile text passage | personal statement; profile summary; introductory statement; professional summary; personal description; career objective; about candidate | summary; profile; professional summary; personal statement; objective; career objective; about me; about; executive summary; professional profile; career summary
purpose text passage | purpose; permitted purpose; use proceeds; used borrowed fund | use of proceeds; purpose; uses of proceeds
borrowing-notice text passage | notice period; borrowing request; request drawdown; drawdown | borrowing request; notice of borrowing; request for borrowing; making advances; borrowing procedure; borrowing mechanics; notice of revolving loan borrowing; loan notice; notice of loan borrowing; committed loan notice
authorized-officer text passage | authorized officer; authorized signatory; empowered execute document; responsible officer; authorised officer | authorized officer; responsible officer; authorized representative; authorized signatory; designated officer; authorised officer
governing-law text place | governing law; law govern; jurisdiction law; applicable law; governed | governing law; governed by; laws of; applicable law; construed in accordance with
issuer text company | issued invoice; issuer; issuing company; vendor; seller; supplier; merchant; store; shop; company issued; biller; business name; service provider; retailer; company name; name company; vendor name; supplier name; seller name; company | seller; vendor; supplier; sold by; from; issued by; service provider; company; merchant; lieferant; verkaufer; fournisseur; vendedor; fornitore; leverancier
registrant text company | reporting entity; registrant; reporting company; issuer security; filer | exact name of registrant; name of registrant; registrant; company name; issuer
recipient text party | bill to; billed to; customer; recipient; buyer; client; invoice recipient; sold to; purchaser | bill to; billed to; customer; customer name; sold to; buyer; client; invoice to; attn; kunde; rechnungsempfanger; klant; factuuradres; cliente; destinataire; billing address; recipient
admin-agent text company | administrative agent; administer credit; facility agent | administrative agent; agent; facility agent
borrower text company | borrower; receiving credit; obligated repay | borrower
full-name text person | full name; name candidate; candidate name; name person; name applicant; applicant name; name employee; name patient; patient name | name; full name; candidate; applicant; patient; nome; nombre; nom
shipping text address | shipping address; delivery address; ship to | shipping address; delivery address; ship to; deliver to; lieferadresse; lieferanschrift; afleveradres; adresse de livraison
billing text address | billing address; bill to address; customer address; recipient address; buyer address | billing address; bill to; bill to address; customer address; rechnungsadresse; rechnungsanschrift; factuuradres; adresse de facturation
address text address | address; street address; postal address; company address; address store; address company; address seller | address; anschrift; adresse; direccion; indirizzo; adres; alamat
title text title | title; title paper; title document; headline; document title; name event; event name; name report | title; titel; titre; titulo; subject; betreff
`;

const SMALL: ReadonlySet<string> = new Set(
  'of the a an to by in is on for with which that at as or and be are was s its this into'.split(' '),
);

export const ROLES: readonly Role[] = readRoles();

/** Words of a phrase that tell something. */
export function tellingWords(words: readonly string[]): string[] {
  return words.filter((word) => !SMALL.has(word));
}

/**
 * The role that phrases tell, by the longest cue; of equals the first of the table.
 *
 * @param isPossible whether a value of a kind may be meant at all
 */
export function roleOf(phrases: readonly (readonly string[])[], isPossible: (role: Role) => boolean): Role | null {
  let best: { role: Role; length: number } | null = null;
  const said = phrases.map((phrase) => ` ${tellingWords(phrase).join(' ')} `);
  for (const role of ROLES.filter(isPossible)) {
    for (const { spaced, length } of role.cues) {
      if ((best === null || length > best.length) && said.some((phrase) => phrase.includes(spaced)))
        best = { role, length };
    }
  }
  return best?.role ?? null;
}

/** The roles that a label names, by the words of the label. */
export const ROLES_BY_LABEL: ReadonlyMap<string, ReadonlySet<string>> = readLabels();

function readLabels(): ReadonlyMap<string, ReadonlySet<string>> {
  const read = new Map<string, Set<string>>();
  for (const { name, labels } of ROLES) {
    for (const label of labels) {
      const words = wordsOfLabel(label).join(' ');
      const known = read.get(words);
      if (known === undefined) read.set(words, new Set([name]));
      else known.add(name);
    }
  }
  return read;
}

function readRoles(): Role[] {
  return ROLES_TEXT.trim()
    .split('\n')
    .map((line) => {
      const [head = '', cues = '', labels = ''] = line.split('|');
      const [name = '', kind = '', shape = ''] = head.trim().split(' ');
      const listOf = (text: string): string[] =>
        text
          .split(';')
          .map((one) => one.trim())
          .filter((one) => one !== '');
      const plain = listOf(cues).map((cue) => tellingWords(wordsOfLabel(cue)).join(' '));
      const said = plain.map((cue) => ({ spaced: ` ${cue} `, length: cue.split(' ').length }));
      return { name, kind: kind as ValueKind, shape: shape as TextShape, cues: said, labels: listOf(labels) };
    });
}
