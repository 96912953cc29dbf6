import t from 'tap';

import { checkPurgeRight } from '../../../server/maintenance/purge-right.ts';
import { Purges, type PurgesOptions } from '../../../server/maintenance/purges.ts';
import type { PurgeEntry, PurgeRequest } from '../../../server/maintenance/sql.ts';
import type { Environment } from '../../../server/model/environment.ts';
import { Failure } from '../../../server/model/failure.ts';
import type { Principal } from '../../../server/model/scope.ts';
import { failureOf } from '../../support/failure-of.ts';

const anonymous: Principal = {
  userId: 'agt_1',
  kind: 'anonymous',
  scopes: ['read', 'write'],
  credentialId: 'crd_1',
  namespace: 'agt-1',
};
const agent: Principal = { ...anonymous, kind: 'claimed', scopes: ['read', 'write', 'account'] };

/** Time that passes when it is told to, with everything that is due meanwhile. */
class HandClock {
  #now = 1_000;
  #timers: { at: number; action: () => void }[] = [];

  readonly environment: Environment = {
    now: () => this.#now,
    elapsed: () => this.#now,
    random: (byteCount) => new Uint8Array(byteCount),
    after: (delay, action) => {
      const timer = { at: this.#now + delay, action };
      this.#timers.push(timer);
      return () => {
        this.#timers = this.#timers.filter((other) => other !== timer);
      };
    },
  };

  /** Milliseconds until the next timer. */
  get next(): number {
    return Math.min(...this.#timers.map(({ at }) => at)) - this.#now;
  }

  async pass(milliseconds: number): Promise<void> {
    this.#now += milliseconds;
    const due = this.#timers.filter(({ at }) => at <= this.#now);
    this.#timers = this.#timers.filter(({ at }) => at > this.#now);
    for (const { action } of due) action();
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** One archived workbook and its objects; what happens to them is noted in order. */
class World {
  readonly clock = new HandClock();
  readonly steps: string[] = [];
  failuresLeft = 0;
  isArchived = true;
  #entry: (PurgeRequest & { removedAt: Date | null }) | undefined;

  readonly table: PurgesOptions['table'] = {
    begin: async (request) => {
      if (this.#entry || !this.isArchived || request.confirm !== 'cf_1') return false;
      this.#entry = { ...request, removedAt: null };
      this.steps.push('begun');
      return true;
    },
    find: async ({ ownerId, confirm }) =>
      this.#entry?.ownerId === ownerId && this.#entry.confirm === confirm ? this.#entry : undefined,
    removeRows: async () => {
      this.steps.push('rows');
      if (this.#entry) this.#entry = { ...this.#entry, removedAt: new Date(0) };
    },
    due: async (): Promise<PurgeEntry[]> => (this.#entry ? [this.#entry] : []),
    forget: async () => {
      this.steps.push('forgotten');
      this.#entry = undefined;
    },
  };

  start(): Purges {
    const registry = {
      get: async () => {
        if (this.#entry) throw new Failure('notFound');
        const base = { id: 'wb_1', ownerId: 'agt_1', namespace: 'n', name: 'n', head: 0 };
        const at = new Date(0);
        const times = { archivedAt: null, createdAt: at, updatedAt: at };
        return { ...base, ...times, archived: this.isArchived };
      },
      isOwner: async () => false,
      dropped: (id: string) => void this.steps.push(`${id} dropped`),
    };
    const objects = {
      deletePrefix: async (prefix: string) => {
        if (this.failuresLeft-- > 0) throw new Error('the store is down');
        this.steps.push(`objects of ${prefix}`);
        return 1;
      },
    };
    const { table } = this;
    const { environment } = this.clock;
    const report = (): void => undefined;
    return new Purges({ table, registry, objects, environment, report });
  }
}

t.test('objects go before rows, and nobody sees either from the beginning on', async (t) => {
  const world = new World();
  const purges = world.start();
  await purges.purge('wb_1', agent, 'cf_1');
  const done = ['begun', 'wb_1 dropped', 'objects of wb/wb_1/', 'rows'];
  t.same(world.steps, done);
  await purges.purge('wb_1', agent, 'cf_1');
  t.same(world.steps, done, 'a repeat does nothing');
  t.equal((await failureOf(() => purges.purge('wb_1', agent, 'cf_2')))?.key, 'notFound');
  t.equal(
    (await failureOf(() => purges.purge('wb_1', { ...agent, userId: 'x' }, 'cf_1')))?.key,
    'notFound',
  );
});

t.test('what cannot be purged is said', async (t) => {
  const world = new World();
  const purges = world.start();
  t.equal((await failureOf(() => purges.purge('wb_1', agent, 'cf_2')))?.key, 'confirmMismatch');
  world.isArchived = false;
  t.equal((await failureOf(() => purges.purge('wb_1', agent, 'cf_1')))?.key, 'workbookActive');
  t.same(world.steps, []);
});

t.test('a purge that fails is tried again, each time later', async (t) => {
  const world = new World();
  const purges = world.start();
  world.failuresLeft = 12;
  const failure = await failureOf(() => purges.purge('wb_1', agent, 'cf_1'));
  t.equal(failure?.key, 'unavailable');
  t.same(world.steps, ['begun', 'wb_1 dropped']);
  const waits: number[] = [];
  while (world.failuresLeft > 0) {
    waits.push(world.clock.next / 1_000);
    await world.clock.pass(world.clock.next);
  }
  t.same(waits, [1, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300]);
  await world.clock.pass(world.clock.next);
  t.same(world.steps.slice(2), ['objects of wb/wb_1/', 'rows']);
});

t.test('a start finishes what was begun, and looks once more a day later', async (t) => {
  const world = new World();
  world.failuresLeft = 1;
  const earlier = world.start();
  await failureOf(() => earlier.purge('wb_1', agent, 'cf_1'));
  await earlier.stop();
  world.steps.length = 0;
  const later = world.start();
  later.start();
  await world.clock.pass(0);
  t.same(world.steps, ['objects of wb/wb_1/', 'rows']);
  t.equal(world.clock.next, 600_000);
  world.steps.length = 0;
  // The table says that it is due again, which the real one does after a day.
  await world.clock.pass(600_000);
  t.same(world.steps.slice(0, 2), ['objects of wb/wb_1/', 'forgotten']);
  await later.stop();
});

t.test('a purge that began without an answer is found by itself', async (t) => {
  const world = new World();
  const { begin } = world.table;
  const purges = world.start();
  world.table.begin = async (request) => {
    await begin(request);
    throw new Error('connection lost after the commit');
  };
  await t.rejects(purges.purge('wb_1', agent, 'cf_1'), { message: /connection lost/ });
  await world.clock.pass(world.clock.next);
  t.same(world.steps, ['begun', 'objects of wb/wb_1/', 'rows']);
});

t.test('a stop ends it', async (t) => {
  const world = new World();
  const purges = world.start();
  purges.start();
  await purges.stop();
  t.equal(world.clock.next, Infinity, 'no timer is left');
  await world.clock.pass(1_000);
  t.same(world.steps, []);
});

t.test('a purge needs the scope account', async (t) => {
  t.doesNotThrow(() => checkPurgeRight(agent));
  const refusal = await failureOf(() => checkPurgeRight(anonymous));
  t.equal(refusal?.key, 'insufficientScope');
  const world = new World();
  const failure = await failureOf(() => world.start().purge('wb_1', anonymous, 'cf_1'));
  t.match(failure, { key: 'insufficientScope', extra: { required: ['account'] } });
  t.same(world.steps, [], 'and nothing has happened');
  await world.start().purge('wb_1', agent, 'cf_1');
  t.equal(world.steps.at(-1), 'rows');
});
