import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';

import { Book } from '../support/book.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { TestService } from '../support/test-service.ts';

const rowCount = 30_000;

async function stateBytes(service: TestService): Promise<number> {
  const { text } = await service.request('/metrics');
  const bytes = /^quire_state_bytes (\d+)$/m.exec(text)?.[1];
  if (bytes === undefined) throw new Error('no weight of states is told');
  return Number(bytes);
}

/** States are weighed a while after they changed: until the weight stays. */
async function settledBytes(service: TestService): Promise<number> {
  let [last, sameCount] = [-1, 0];
  while (sameCount < 5) {
    await sleep(100);
    const bytes = await stateBytes(service);
    sameCount = bytes === last ? sameCount + 1 : 0;
    last = bytes;
  }
  return last;
}

t.test('a branch of a head in memory shares its cells when both go on', async (t) => {
  const service = await TestService.start(t, { DATABASE_URL: await createMigratedDatabase() });
  const book = await Book.create(service);
  const write = async (branch: string, op: object): Promise<void> => {
    const body = { ops: [op], writer: 'w' };
    const answer = await book.ask(`/branches/${branch}/ops`, { body });
    if (answer.status !== 200) throw new Error(answer.text);
  };
  const setA1 = (input: number) => ({
    kind: 'cells.set',
    payload: { cells: [{ a1: 'A1', input }] },
  });
  const payload = { sheet: 'Sheet1', range: `A1:J${rowCount}`, input: 7 };
  await write('main', { kind: 'range.fill', payload });
  const alone = await settledBytes(service);
  t.ok(alone > rowCount * 10 * 8, `${alone} bytes`);
  const forked = await book.ask('/branches', { body: { name: 'side', from: 'main' } });
  t.equal(forked.status, 201, forked.text);
  // Main has gone on by the time at which anybody asks for the state of the branch.
  await write('main', setA1(1));
  await write('side', setA1(2));
  const both = await settledBytes(service);
  t.ok(both < alone * 1.3, `${both} bytes for two branches, ${alone} for one`);
  for (const [branch, value] of Object.entries({ main: 1, side: 2 })) {
    const { json } = await book.ask(`/slice?ref=${branch}&range=A1:B1`);
    t.same((json as { rows: unknown }).rows, [[value, 7]], branch);
  }
});
