import type { JsonObject } from '../../../../../src/domain/json.js';
import type { Random } from '../../../bench/search/random.js';
import { drawBoxes, drawPairs, drawTable } from './draw-table.js';
import { date, integer, listOf, number, objectOf, text, type Drawn, type GeneratedClass } from './generated-class.js';
import {
  centsOf,
  companyOf,
  dottedOf,
  ibanOf,
  isoOf,
  longOf,
  moneyOf,
  personOf,
  placeOf,
  type Day,
} from './invented.js';

const SCHEMA = objectOf({
  bank: text('Name of the bank.'),
  accountHolder: text('Name of the account holder.'),
  iban: text('IBAN of the account.'),
  statementNumber: integer('Number of the statement.'),
  statementDate: date('Date of the statement.'),
  openingBalance: number('Balance at the beginning of the period ("Opening balance").'),
  closingBalance: number('Balance at the end of the period ("Closing balance").'),
  transactions: listOf('All bookings of the statement.', {
    bookedOn: date('Booking date.'),
    text: text('Text of the booking ("Description").'),
    amount: number('Amount of the booking, negative for a debit.'),
    balance: number('Balance after the booking.'),
  }),
  overdraftLimit: number('Agreed overdraft limit.'),
});

const REASONS = [
  'Rent',
  'Salary',
  'Card payment',
  'Direct debit electricity',
  'Transfer',
  'Refund',
  'Insurance premium',
  'Cash withdrawal',
];

interface Statement {
  bank: string;
  holder: string;
  iban: string;
  number: number;
  issued: Day;
  opening: number;
  bookings: { day: Day; text: string; amount: number; balance: number }[];
}

function statementOf(random: Random): Statement {
  const [year, month] = [2023 + random.below(4), 1 + random.below(12)];
  const opening = centsOf(random, 9000);
  let balance = opening;
  const days = Array.from({ length: 5 + random.below(14) }, () => 1 + random.below(27)).sort((a, b) => a - b);
  const bookings = days.map((day) => {
    const amount = random.below(3) === 0 ? centsOf(random, 2500) : -centsOf(random, 600);
    balance = Math.round((balance + amount) * 100) / 100;
    return { day: { year, month, day }, text: `${random.pick(REASONS)} ${companyOf(random)}`, amount, balance };
  });
  return {
    ...{ bank: `${placeOf(random)} Savings Bank`, holder: personOf(random), iban: ibanOf(random) },
    ...{ number: 1 + random.below(12), issued: { year, month, day: 28 }, opening, bookings },
  };
}

const goldOf = ({ bank, holder, iban, number: statementNumber, issued, opening, bookings }: Statement): JsonObject => ({
  ...{ bank, accountHolder: holder, iban, statementNumber, statementDate: isoOf(issued) },
  ...{ openingBalance: opening, closingBalance: bookings.at(-1)?.balance ?? opening },
  transactions: bookings.map(({ day, text: said, amount, balance }) => ({
    bookedOn: isoOf(day),
    text: said,
    amount,
    balance,
  })),
  overdraftLimit: null,
});

const grouped = (iban: string): string => iban.replaceAll(/(.{4})(?=.)/gu, '$1 ');

function englishStatement(random: Random): Drawn {
  const statement = statementOf(random);
  const money = (value: number): string => moneyOf(value);
  return {
    gold: goldOf(statement),
    draw: (drawing) => {
      drawing.font('Helvetica-Bold').fontSize(15).text(statement.bank, 50, 40);
      drawing.font('Helvetica').fontSize(11).text('Account statement', 50, 62);
      const pairs = [
        ['Account holder', statement.holder],
        ['IBAN', grouped(statement.iban)],
        ['Statement no.', String(statement.number)],
        ['Statement date', longOf(statement.issued)],
        ['Opening balance', money(statement.opening)],
        ['Closing balance', money(statement.bookings.at(-1)?.balance ?? 0)],
      ] as const;
      const end = drawPairs(drawing, pairs, { x: 50, y: 95 });
      const columns = [
        { title: 'Date', width: 85 },
        { title: 'Description', width: 250 },
        { title: 'Amount', width: 80, align: 'right' },
        { title: 'Balance', width: 85, align: 'right' },
      ] as const;
      const rows = statement.bookings.map((one) => [longOf(one.day), one.text, money(one.amount), money(one.balance)]);
      drawTable(drawing, columns, rows, { x: 46, y: end + 20, rowHeight: 17 });
    },
  };
}

function germanNumbers(random: Random): Drawn {
  const statement = statementOf(random);
  const money = (value: number): string => moneyOf(value, 'german');
  return {
    gold: goldOf(statement),
    draw: (drawing) => {
      drawing.font('Helvetica-Bold').fontSize(13).text(statement.bank, 40, 40);
      drawing
        .font('Helvetica')
        .fontSize(9)
        .text(`Statement no. ${statement.number} of ${dottedOf(statement.issued)}`, 40, 60);
      const boxes = [
        ['Account holder', statement.holder],
        ['IBAN', grouped(statement.iban)],
      ] as const;
      drawBoxes(drawing, boxes, { x: 40, y: 85, width: 200 });
      const columns = [
        { title: 'Booking date', width: 80 },
        { title: 'Description', width: 260 },
        { title: 'Amount EUR', width: 85, align: 'right' },
        { title: 'Balance EUR', width: 90, align: 'right' },
      ] as const;
      drawPairs(drawing, [['Opening balance', money(statement.opening)]], { x: 44, y: 130, gap: 430 });
      const rows = statement.bookings.map((one) => [
        dottedOf(one.day),
        one.text,
        money(one.amount),
        money(one.balance),
      ]);
      const end = drawTable(drawing, columns, rows, { x: 40, y: 150, ruled: true, rowHeight: 17 });
      drawPairs(drawing, [['Closing balance', money(statement.bookings.at(-1)?.balance ?? 0)]], {
        x: 44,
        y: end + 8,
        gap: 430,
      });
    },
  };
}

export const BANK_STATEMENTS: GeneratedClass = {
  ...{ name: 'bank-statement', schema: SCHEMA, layouts: [englishStatement, germanNumbers] },
};
