import type { JsonObject } from '../../../../../src/domain/json.js';
import type { Random } from '../../../bench/search/random.js';
import { drawBoxes, drawPairs, drawTable } from './draw-table.js';
import { date, integer, listOf, number, objectOf, text, type Drawn, type GeneratedClass } from './generated-class.js';
import { companyOf, dayOf, digitsOf, dottedOf, isoOf, longOf, placeOf, streetOf, type Day } from './invented.js';

const SCHEMA = objectOf({
  noteNumber: text('Number of the delivery note.'),
  orderNumber: text('Number of the order that is delivered.'),
  shippedOn: date('Date on which the goods were shipped.'),
  carrier: text('Carrier that brings the goods.'),
  recipient: {
    ...objectOf({
      name: text('Name of the recipient.'),
      street: text('Street and house number of the recipient.'),
      city: text('Postal code and town of the recipient.'),
    }),
    description: 'Where the goods are delivered to ("Ship to").',
  },
  items: listOf('One entry for each article that is delivered.', {
    position: integer('Position in the note.'),
    article: text('Article number.'),
    description: text('Name of the article.'),
    ordered: integer('Quantity ordered.'),
    delivered: integer('Quantity delivered.'),
  }),
  grossWeight: number('Gross weight of the delivery in kg.'),
  receivedBy: text('Name of the person who received the goods.'),
});

const GOODS = [
  'Hinge, brass',
  'Cable drum 50 m',
  'Pallet wrap',
  'Bearing 6204',
  'Valve DN25',
  'Hex bolt M8',
  'Safety gloves',
  'Filter insert',
  'Sealing ring',
  'Work lamp',
];
const CARRIERS = ['Swiftline Haulage', 'Nordic Freight', 'Parcel Union', 'Bluebird Couriers'];

interface Note {
  sender: string;
  noteNumber: string;
  orderNumber: string;
  shipped: Day;
  carrier: string;
  recipient: { name: string; street: string; city: string };
  items: { position: number; article: string; description: string; ordered: number; delivered: number }[];
  weight: number;
}

function noteOf(random: Random): Note {
  return {
    sender: companyOf(random),
    noteNumber: `DN-${digitsOf(random, 6)}`,
    orderNumber: `PO${digitsOf(random, 7)}`,
    shipped: dayOf(random),
    carrier: random.pick(CARRIERS),
    recipient: { name: companyOf(random), street: streetOf(random), city: `${digitsOf(random, 5)} ${placeOf(random)}` },
    items: random
      .shuffle(GOODS)
      .slice(0, 3 + random.below(6))
      .map((description, at) => {
        const ordered = 1 + random.below(60);
        const position = at + 1;
        return {
          position,
          article: `A-${digitsOf(random, 5)}`,
          description,
          ordered,
          delivered: ordered - random.below(2),
        };
      }),
    weight: (10 + random.below(9000)) / 10,
  };
}

const goldOf = ({ noteNumber, orderNumber, shipped, carrier, recipient, items, weight }: Note): JsonObject => ({
  ...{ noteNumber, orderNumber, shippedOn: isoOf(shipped), carrier, recipient, items, grossWeight: weight },
  receivedBy: null,
});

const COLUMNS = [
  { title: 'Pos', width: 40 },
  { title: 'Article no.', width: 90 },
  { title: 'Description', width: 190 },
  { title: 'Qty ordered', width: 90, align: 'right' },
  { title: 'Qty delivered', width: 100, align: 'right' },
] as const;

const rowsOf = ({ items }: Note): string[][] =>
  items.map((item) => [item.position, item.article, item.description, item.ordered, item.delivered].map(String));

/** Labels on the right, the address on the left, a ruled table. */
function ruledNote(random: Random): Drawn {
  const note = noteOf(random);
  return {
    gold: goldOf(note),
    draw: (drawing) => {
      drawing.font('Helvetica-Bold').fontSize(18).text('DELIVERY NOTE', 45, 40);
      drawing.font('Helvetica').fontSize(10).text(note.sender, 45, 66);
      drawing.font('Helvetica-Bold').fontSize(9).text('Ship to', 45, 110);
      const { name, street, city } = note.recipient;
      for (const [at, line] of [name, street, city].entries()) drawing.font('Helvetica').text(line, 45, 125 + at * 13);
      const pairs = [
        ['Delivery note no.', note.noteNumber],
        ['Order no.', note.orderNumber],
        ['Date shipped', dottedOf(note.shipped)],
        ['Carrier', note.carrier],
      ] as const;
      drawPairs(drawing, pairs, { x: 330, y: 110 });
      const end = drawTable(drawing, COLUMNS, rowsOf(note), { x: 45, y: 210, ruled: true });
      drawing.font('Helvetica').text(`Gross weight: ${note.weight.toFixed(1)} kg`, 45, end + 20);
      drawing.text('Received by: ______________________', 45, end + 60);
    },
  };
}

/** Labels above their values, a table without lines. */
function openNote(random: Random): Drawn {
  const note = noteOf(random);
  return {
    gold: goldOf(note),
    draw: (drawing) => {
      drawing.font('Helvetica').fontSize(11).text(note.sender, 60, 40);
      drawing.font('Helvetica-Bold').fontSize(15).text(`Delivery Note ${note.noteNumber}`, 60, 75);
      const boxes = [
        ['ORDER NUMBER', note.orderNumber],
        ['SHIPPING DATE', longOf(note.shipped)],
        ['CARRIER', note.carrier],
      ] as const;
      drawBoxes(drawing, boxes, { x: 60, y: 110, width: 150 });
      const { name, street, city } = note.recipient;
      drawing.font('Helvetica').fontSize(7).text('SHIP TO', 60, 160);
      for (const [at, line] of [name, street, city].entries()) drawing.fontSize(10).text(line, 60, 172 + at * 13);
      const end = drawTable(drawing, COLUMNS, rowsOf(note), { x: 56, y: 240, rowHeight: 16 });
      drawPairs(
        drawing,
        [
          ['Gross weight (kg)', note.weight.toFixed(1)],
          ['Received by', ''],
        ],
        { x: 60, y: end + 20 },
      );
    },
  };
}

export const DELIVERY_NOTES: GeneratedClass = { name: 'delivery-note', schema: SCHEMA, layouts: [ruledNote, openNote] };
