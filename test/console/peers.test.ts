import t from 'tap';

import { peersAfter } from '../../client/console/store/peers.ts';

type Frame = Parameters<typeof peersAfter>[1];

const peer = (session: string, name: string) => ({ session, name, kind: 'human', presence: {} });
/** A frame as it comes over the wire. */
const frame = (members: object) => JSON.parse(JSON.stringify(members)) as Frame;

t.test('nobody is seen as another person', (t) => {
  const own = new Set(['s1', 's2']);
  const peers = [peer('s1', 'Ada'), peer('s3', 'Bob')];
  const snapshot = frame({ kind: 'presence_snapshot', session: 's2', peers });
  const after = peersAfter([], snapshot, own);
  t.same(after, [peer('s3', 'Bob')], 'a former session of this page is no other person');
  const changes = [
    { session: 's2', name: 'Ada', presence: { cell: 'A1' } },
    { session: 's3', presence: { cell: 'C1' } },
  ];
  t.same(
    peersAfter(after, frame({ kind: 'presence_changed', changes }), own),
    [{ ...peer('s3', 'Bob'), presence: { cell: 'C1' } }],
    'news of several people are also of oneself',
  );
  const come = [peer('s4', 'Cy')];
  t.same(peersAfter(after, frame({ kind: 'presence_changed', changes: come }), own).length, 2);
  t.end();
});
