import t, { type Test } from 'tap';

import { newestOr } from '../../../server/model/newest.ts';
import type { NodeStore, OtherNode } from '../../../server/nodes/node-store.ts';
import { Nodes } from '../../../server/nodes/nodes.ts';
import { MovingClock } from '../../support/moving-clock.ts';

const noUnlisten = (): Promise<void> => Promise.resolve();

/** The processes of a database that answers at once, or not at all. */
class NodesDouble implements NodeStore {
  isSilent = false;
  others: readonly OtherNode[] = [];

  beat(): Promise<readonly OtherNode[]> {
    return this.isSilent ? new Promise(() => undefined) : Promise.resolve(this.others);
  }

  leave = noUnlisten;
  clear = noUnlisten;
  callBeats = noUnlisten;
  tellHeads = noUnlisten;
  tellPresence = noUnlisten;
  listenForPresence = (): Promise<() => Promise<void>> => Promise.resolve(noUnlisten);
  listenForBeats = (): Promise<() => Promise<void>> => Promise.resolve(noUnlisten);
  listenForHeads = (): Promise<() => Promise<void>> => Promise.resolve(noUnlisten);
}

const hint = 'Try again.';
const silent = new Promise<undefined>(() => undefined);
const refused = async (): Promise<undefined> => {
  throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
};

t.test('while the database is away a process that nothing stopped shows what it has', async (t) => {
  const { nodes, store, clock } = await started(t);
  store.isSilent = true;
  for (let second = 0; second < 12; second++) {
    clock.forward(1);
    t.equal(nodes.mayHaveOthers, false);
  }
  t.equal(nodes.isAlone, false, 'it asks first');
  const { environment } = clock;
  t.equal(await newestOr(refused(), { others: nodes, environment, hint }), 'unknown');
  t.equal(await newestOr(silent, { others: nodes, environment, hint }), 'unknown');
});

t.test('a process that was paused shows nothing until it has looked for others', async (t) => {
  const { nodes, clock } = await started(t);
  t.equal(nodes.isAlone, true);
  clock.forward(11);
  t.equal(nodes.isAlone, false);
  t.equal(nodes.mayHaveOthers, true, 'before any timer has run');
  const { environment } = clock;
  const pinned = await newestOr(refused(), { others: nodes, environment, hint, isPinned: true });
  t.equal(pinned, 'unknown', 'what others write changes nothing there');
  await t.rejects(
    newestOr(refused(), { others: nodes, environment, hint }),
    /Another|another process/,
  );
  clock.forward(60);
  t.equal(nodes.mayHaveOthers, true);
  clock.forward(1);
  await nodes.stayKnown();
  t.equal(nodes.mayHaveOthers, false, 'it has looked since');
});

async function started(t: Test) {
  const clock = new MovingClock({ stands: true });
  const store = new NodesDouble();
  const nodes = new Nodes({
    store,
    key: 'this',
    version: '1',
    environment: clock.environment,
    report: (step, error) => t.fail(`${step}: ${String(error)}`),
  });
  await nodes.start();
  t.teardown(() => nodes.stop());
  return { nodes, store, clock };
}
