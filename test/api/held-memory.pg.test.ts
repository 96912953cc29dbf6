import { queryObjects } from 'node:v8';
import t from 'tap';

import { BranchState } from '../../server/state/branch-state.ts';
import { Formulas } from '../../workers/formulas.ts';
import { Book } from '../support/book.ts';
import { TestService } from '../support/test-service.ts';

/** Memory that a branch took is given back when the branch is gone. */

/** After a collection: states, and views of buffers outside the heap. */
function heldObjects(): { states: number; views: number } {
  const states = queryObjects(BranchState, { format: 'count' });
  const views = queryObjects(DataView, { format: 'count' });
  return { states, views };
}

t.test('forks that are written to, merged and deleted leave nothing behind', async (t) => {
  const settings = { STATE_MEMORY_MIB: '1', MODEL_MEMORY_MIB: '1' };
  const service = await TestService.start(t, settings, { formulas: new Formulas() });
  const book = await Book.create(service);
  await book.set('A1', 'begin');
  const must = async (path: string, options: Parameters<Book['ask']>[1]): Promise<void> => {
    const { status, text } = await book.ask(path, options);
    if (status >= 300) throw new Error(`${path}: ${text}`);
  };
  const cycle = async (number: number): Promise<void> => {
    const name = `b${number}`;
    await must('/branches', { body: { name } });
    // Long, so that a few states are as much as may be kept: each cycle waits for a disk.
    const input = `${number} ${'x'.repeat(30_000)}`;
    const row = (number % 50) + 1;
    const cells = ['B', 'C', 'D', 'E'].map((column) => ({ a1: `${column}${row}`, input }));
    const ops = [{ kind: 'cells.set', payload: { cells } }];
    await must(`/branches/${name}/ops`, { body: { ops } });
    await must('/merges', { body: { source: name, target: 'main', apply: 'auto' } });
    await must(`/branches/${name}`, { method: 'DELETE' });
  };
  const departures = async (): Promise<number> => {
    const { text } = await service.request('/metrics');
    return Number(/^quire_state_departures (\d+)$/m.exec(text)?.[1]);
  };
  // States fill their room first; from then on one leaves for each that comes.
  let number = 0;
  while (number < 20 || ((await departures()) < 20 && number < 1_000)) await cycle(number++);
  const before = heldObjects();
  const cycles = 24;
  for (let count = 0; count < cycles; count++) await cycle(number++);
  const after = heldObjects();
  t.ok(after.states - before.states < cycles / 2, `${before.states} states, then ${after.states}`);
  t.ok(after.views - before.views < cycles / 2, `${before.views} views, then ${after.views}`);
});
