/** Words over columns in German, Dutch, French, Spanish and Italian, with what they say in English. */
const WORDS = `
  menge anzahl stückzahl hoeveelheid aantal quantité quantite qté cantidad cant quantità quantita stück = quantity
  beschreibung bezeichnung leistung omschrijving désignation désignation designation libellé libelle descripción descripcion concepto descrizione = description
  artikel article artículo articulo articolo = item
  produkt produit producto prodotto = product
  preis prijs prix precio prezzo = price
  betrag bedrag montant importe importo = amount
  summe gesamt total totaal totale = total
  wert waarde valeur valor valore = value
  datum fecha data = date
  tag dag jour día dia giorno = day
  uhrzeit zeit tijd heure hora ora = time
  name naam nom nombre nome = name
  kunde klant client cliente = customer
  lieferant leverancier fournisseur proveedor fornitore = supplier
  firma bedrijf société societe empresa azienda = company
  ort stadt plaats stad ville ciudad città = city
  land pays país pais paese = country
  straße strasse adresse adres dirección indirizzo = address
  steuer mwst ust btw tva iva belasting impuesto imposta = tax
  rabatt korting remise descuento sconto = discount
  einheit eenheid unité unite unidad unità = unit
  position pos positie posición posizione ligne zeile = position
  nummer nr numéro numero número = number
  referenz referentie référence referencia riferimento = reference
  rechnung factuur facture factura fattura = invoice
  bestellung bestelling commande pedido ordine = order
  konto rekening compte cuenta conto = account
  soll debet débit debe dare = debit
  haben kredit crédit haber avere = credit
  saldo solde = balance
  gewicht poids peso = weight
  gebühr kosten frais coste costo = fee
  satz tarief taux tasa tasso = rate
  jahr jaar année an año anno = year
  monat maand mois mes mese = month
  alter leeftijd âge edad età = age
  geschlecht geslacht sexe sexo sesso = gender
  verein mannschaft équipe equipo squadra = team
  rang platz plaats rango = rank
  bemerkung anmerkung hinweis opmerking remarque observación nota = note
  abteilung afdeling service departamento reparto = department
  mitarbeiter werknemer employé empleado dipendente = employee
  gehalt lohn salaris salaire salario stipendio = salary
  stunde uur heures horas ore = hour
  von van de = from
  bis tot = to
`;

/** First parts of German and Dutch compounds, which say which one it is. */
const FIRST_PARTS: Readonly<Record<string, string>> = {
  ...{ einzel: 'unit', stück: 'unit', gesamt: 'total', zeilen: 'line', rechnungs: 'invoice', liefer: 'delivery' },
  ...{ artikel: 'item', kunden: 'customer', buchungs: 'booking', steuer: 'tax', factuur: 'invoice', regel: 'line' },
};

const LEAST_ENDING = 4;
const translated = new Map<string, string>();
for (const line of WORDS.split('\n')) {
  const [words = '', english = ''] = line.split('=').map((one) => one.trim());
  for (const word of words.split(' ')) if (word !== '' && !translated.has(word)) translated.set(word, english);
}
const endings = [...translated.keys()].filter((word) => word.length >= LEAST_ENDING);

/** A word over a column in English, as one word or two; as it is where it is of no language that is known. */
export function inEnglish(word: string): string[] {
  const whole = translated.get(word);
  if (whole !== undefined) return [whole];
  if (word.length <= LEAST_ENDING + 1) return [word];
  const ending = endings.find((one) => word.length > one.length + 1 && word.endsWith(one));
  const english = ending === undefined ? undefined : translated.get(ending);
  if (ending === undefined || english === undefined) return [word];
  const first = FIRST_PARTS[word.slice(0, -ending.length)];
  return first === undefined ? [english, word] : [first, english];
}
