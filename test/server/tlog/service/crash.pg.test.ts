import t from 'tap';

import { checkGrown } from '../../../support/log-reader.ts';
import { LogWorld, until } from '../../../support/log-world.ts';

/** Everywhere a process can die, or hang and come back, while it writes the log. */
const places = [
  'tlog.taken',
  'tlog.sequenced',
  'tlog.tiles',
  'tlog.integrated',
  'tlog.signed',
  'tlog.stored',
  'tlog.published',
];

/** Stops a process at a place, once, until it is opened. */
class Barrier {
  readonly #place: string;
  #open: () => void = () => undefined;
  isReached = false;
  isArmed = false;

  constructor(place: string) {
    this.#place = place;
  }

  readonly checkpoint = async (place: string): Promise<void> => {
    if (!this.isArmed || this.isReached || place !== this.#place) return;
    this.isReached = true;
    await new Promise<void>((resolve) => {
      this.#open = resolve;
    });
  };

  open(): void {
    this.#open();
  }
}

for (const place of places) {
  t.test(`a process that stops at ${place} does no harm, dead or alive`, async (t) => {
    const world = await LogWorld.open(t);
    const barrier = new Barrier(place);
    barrier.isArmed = place === 'tlog.taken';
    const first = world.start(barrier);
    if (!barrier.isArmed) await until(() => first.published.newest?.size === 0, 'first checkpoint');
    barrier.isArmed = true;
    await world.add(300);
    await until(() => barrier.isReached, `process at ${place}`);
    // Others see it as dead: it does nothing any more, and does not renew its lease.
    await world.add(40);
    world.start();
    const before = await world.caughtUp();
    t.equal(before.size, 340);
    barrier.open();
    await world.add(10);
    const after = await world.caughtUp();
    checkGrown(before, after);
    await world.add(500);
    const last = await world.caughtUp();
    checkGrown(after, last);
    t.equal(first.sequencer.haltedReason, undefined);
    const roots = await world.signed();
    for (const seen of [before, after, last]) t.equal(roots.get(seen.size), seen.root);
  });
}

t.test('two processes that both believe to have the log write one log', async (t) => {
  const world = await LogWorld.open(t);
  // They have the same name in the database, so that no lease keeps them apart.
  const nodes = [world.start(), world.start(), world.start()];
  let before = await world.caughtUp();
  for (let round = 0; round < 12; round++) {
    await world.add(1 + round * 37);
    for (const { sequencer } of nodes) sequencer.wake();
    const seen = await world.caughtUp();
    checkGrown(before, seen);
    before = seen;
  }
  for (const { sequencer } of nodes) t.equal(sequencer.haltedReason, undefined);
});

t.test('who has the log keeps others out until it lets go', async (t) => {
  const world = await LogWorld.open(t);
  const { table, sql } = world;
  const state = await table.takeOver();
  t.ok(state);
  await sql`update tlog_state set holder = 'another process'`;
  const gone = await table.takeOver();
  t.equal(gone?.epoch, (state?.epoch ?? 0) + 1, 'one of which the database knows nothing is gone');
  await sql`
    update tlog_state set holder = (
      select application_name from pg_stat_activity
       where datname = current_database() and application_name <> 'quire-test' limit 1)`;
  const epoch = gone?.epoch ?? 0;
  await t.rejects(table.renew(epoch - 1), { name: 'LeaseLost' });
  await t.rejects(table.sequence(epoch - 1, 10), { name: 'LeaseLost' });
  await table.renew(epoch);
  await table.release(epoch);
  t.equal((await table.takeOver())?.epoch, epoch + 1);
});
