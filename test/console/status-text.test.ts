import t from 'tap';

import { statusText } from '../../client/console/sheet/status-text.ts';

type Session = Parameters<typeof statusText>[0];

const liveEdits = {
  state: 'live',
  offlineSince: undefined,
  endCode: undefined,
  isBookGone: false,
  isHeld: false,
} as const;

const session: Session = {
  edits: liveEdits,
  waitingCount: 0,
  lockedBecause: undefined,
  fault: undefined,
  refused: [],
};
const page = { isOut: false, isKeyTyped: true, isUnopened: false };

interface Changes extends Partial<Omit<Session, 'edits'>> {
  readonly edits?: Partial<Session['edits']>;
  readonly page?: Partial<typeof page>;
}

function told({ edits, page: ofPage, ...others }: Changes): string {
  const shown = { ...session, ...others, edits: { ...liveEdits, ...edits } };
  return statusText(shown, { ...page, ...ofPage });
}

const lost = { state: 'offline', offlineSince: new Date(0) } as const;
const refused = { kind: 'cells.set' };

const cases: readonly (readonly [string, Changes])[] = [
  ['Live, all saved', {}],
  ['1 edit on its way', { waitingCount: 1 }],
  ['2,000 edits on their way', { waitingCount: 2_000 }],
  ['2 edits wait for you', { waitingCount: 2, edits: { isHeld: true } }],
  ['Offline', { edits: lost }],
  ['Offline, 2 edits wait', { waitingCount: 2, edits: lost }],
  ['Offline', { edits: { ...lost, state: 'connecting' } }],
  ['Connecting…', { edits: { state: 'connecting' } }],
  ['Catching up…', { edits: { state: 'lagging' } }],
  ['Not opened', { edits: { state: 'connecting' }, page: { isUnopened: true } }],
  ['Live, 1 edit is not applied', { refused: [refused] }],
  ['Live, 2 edits are not applied', { refused: [refused, refused] }],
  ['All saved, but cells are not loaded', { fault: new Error('none') }],
  ['Read only', { lockedBecause: 'You are a viewer.' }],
  ['Key refused: use another one', { page: { isOut: true } }],
  ['Key refused: use another one', { edits: { state: 'closed', endCode: 4401 } }],
  ['Signed out: sign in again', { page: { isOut: true, isKeyTyped: false } }],
  ['No access any more', { edits: { endCode: 4403 }, lockedBecause: 'You cannot.' }],
  ['Branch deleted', { edits: { endCode: 4404 }, lockedBecause: 'You cannot.' }],
  ['Workbook gone', { edits: { endCode: 4404, isBookGone: true } }],
  ['Workbook purged', { edits: { endCode: 4410 }, lockedBecause: 'It was purged.' }],
  ['Not connected: load the page again', { edits: { state: 'closed', endCode: 4400 } }],
];

t.test('of several states the status line tells the one that matters most', (t) => {
  for (const [text, changes] of cases) t.equal(told(changes), text, JSON.stringify(changes));
  t.end();
});
