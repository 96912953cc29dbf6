import t from 'tap';

import { Turns } from '../../../server/branches/turns.ts';
import { realEnvironment } from '../../../server/foundation.ts';

const address = { workbookId: 'wb_1', branchNo: 1 };
const long = 60_000;

t.test('others wait for a turn, and turns follow one another', async (t) => {
  const turns = new Turns(realEnvironment);
  const done: string[] = [];
  t.equal(turns.before(address, undefined), undefined);
  const first = turns.hold(address, long, async (turn) => {
    t.equal(turns.before(address, turn), undefined, 'its own submission goes on');
    t.equal(turns.before({ ...address, branchNo: 2 }, undefined), undefined);
    await new Promise((resolve) => setTimeout(resolve, 10));
    done.push('first');
  });
  const second = turns.hold(address, long, async () => void done.push('second'));
  const other = turns.before(address, undefined)?.then(() => done.push('other'));
  await Promise.all([first, second, other]);
  t.equal(done[0], 'first');
  t.same(done.slice(1).sort(), ['other', 'second']);
  t.equal(turns.before(address, undefined), undefined);
});

t.test('a turn ends with its time, and with a failure', async (t) => {
  const turns = new Turns(realEnvironment);
  let finish = (): void => undefined;
  const slow = turns.hold(address, 10, () => new Promise<void>((resolve) => (finish = resolve)));
  await turns.before(address, undefined);
  t.equal(turns.before(address, undefined), undefined, 'before the work is done');
  const next = turns.hold(address, long, async () => {
    finish();
    await slow;
    t.ok(turns.before(address, undefined), 'the end of the late work ends no other turn');
    throw new Error('failed');
  });
  await t.rejects(next, { message: 'failed' });
  t.equal(turns.before(address, undefined), undefined);
});
