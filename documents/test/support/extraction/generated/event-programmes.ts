import type { JsonObject } from '../../../../../src/domain/json.js';
import type { Random } from '../../../bench/search/random.js';
import { drawPairs, drawTable } from './draw-table.js';
import { date, listOf, number, objectOf, text, type Drawn, type GeneratedClass } from './generated-class.js';
import { companyOf, dayOf, isoOf, longOf, personOf, placeOf, type Day } from './invented.js';

const SCHEMA = objectOf({
  event: text('Title of the event.'),
  venue: text('Venue of the event.'),
  heldOn: date('Date of the event.'),
  organizer: text('Organizer of the event.'),
  contact: { type: ['string', 'null'], format: 'email', description: 'E-mail address for questions.' },
  website: { type: ['string', 'null'], format: 'uri', description: 'Website of the event.' },
  fee: number('Fee for participants ("Admission").'),
  sessions: listOf('One entry for each session of the programme.', {
    time: text('Time at which the session begins.'),
    title: text('Title of the session.'),
    speaker: text('Speaker.'),
    room: text('Room.'),
  }),
  dressCode: text('Dress code.'),
});

const THEMES = [
  'Coastal Engineering',
  'Urban Gardens',
  'Open Archives',
  'Rural Broadband',
  'Bird Migration',
  'Timber Design',
];
const TALKS = [
  'Opening words',
  'Reading old maps',
  'Lessons from a flood',
  'Tools that last',
  'Mending the commons',
  'A year in the field',
  'Questions of scale',
  'Closing panel',
];
const ROOMS = ['Hall A', 'Hall B', 'Library', 'Room 12', 'Garden Room'];

interface Programme {
  event: string;
  venue: string;
  day: Day;
  organizer: string;
  contact: string;
  website: string;
  fee: number;
  sessions: { time: string; title: string; speaker: string; room: string }[];
}

function programmeOf(random: Random): Programme {
  const theme = random.pick(THEMES);
  const host = theme.toLowerCase().replaceAll(' ', '-');
  return {
    ...{
      event: `${theme} Day`,
      venue: `${placeOf(random)} Town Hall`,
      day: dayOf(random),
      organizer: companyOf(random),
    },
    ...{ contact: `info@${host}.example`, website: `https://www.${host}.example`, fee: 5 * (1 + random.below(30)) },
    sessions: random
      .shuffle(TALKS)
      .slice(0, 4 + random.below(5))
      .map((title, at) => {
        const time = `${String(9 + at).padStart(2, '0')}:${random.pick(['00', '15', '30'])}`;
        return { time, title, speaker: personOf(random), room: random.pick(ROOMS) };
      }),
  };
}

const goldOf = ({ day, ...rest }: Programme): JsonObject => ({ ...rest, heldOn: isoOf(day), dressCode: null });

const COLUMNS = [
  { title: 'Time', width: 60 },
  { title: 'Session', width: 190 },
  { title: 'Speaker', width: 150 },
  { title: 'Room', width: 90 },
] as const;

/** A title over the page, then labels, then a table; or the table first. */
function programmeIn(ruled: boolean): (random: Random) => Drawn {
  return (random) => {
    const programme = programmeOf(random);
    const pairs = [
      ['Date:', longOf(programme.day)],
      ['Venue:', programme.venue],
      ['Organizer:', programme.organizer],
      ['Admission:', `EUR ${programme.fee.toFixed(2)}`],
    ] as const;
    const rows = programme.sessions.map(({ time, title, speaker, room }) => [time, title, speaker, room]);
    return {
      gold: goldOf(programme),
      draw: (drawing) => {
        drawing.font('Helvetica-Bold').fontSize(22).text(programme.event, 50, 45);
        const top = ruled ? drawPairs(drawing, pairs, { x: 50, y: 90 }) : 80;
        drawing
          .font('Helvetica-Bold')
          .fontSize(12)
          .text('Programme', 50, top + 15);
        const end = drawTable(drawing, COLUMNS, rows, { x: 46, y: top + 35, ruled, rowHeight: 19 });
        const below = ruled ? end : drawPairs(drawing, pairs, { x: 50, y: end + 20 });
        drawing
          .font('Helvetica')
          .fontSize(9)
          .text(`Questions: ${programme.contact}`, 50, below + 20);
        drawing.text(`Website: ${programme.website}`, 50, below + 34);
      },
    };
  };
}

export const EVENT_PROGRAMMES: GeneratedClass = {
  ...{ name: 'event-programme', schema: SCHEMA, layouts: [programmeIn(true), programmeIn(false)] },
};
