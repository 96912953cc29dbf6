import process from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import t from 'tap';

import { BranchState } from '../../server/state/branch-state.ts';
import { Formulas } from '../../workers/formulas.ts';
import { Book } from '../support/book.ts';
import { TestService } from '../support/test-service.ts';

/** Memory that a branch took is given back when the branch is gone. Runs long. */

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** States that somebody has looked at and that are not collected yet. */
class LivingStates {
  readonly #known = new WeakSet<BranchState>();
  readonly #registry = new FinalizationRegistry(() => (this.count -= 1));
  count = 0;

  constructor() {
    const look = Reflect.getOwnPropertyDescriptor(BranchState.prototype, 'head')?.get;
    if (!look) throw new Error('the head of a state is no property');
    const note = (state: BranchState): void => this.#note(state);
    Reflect.defineProperty(BranchState.prototype, 'head', {
      configurable: true,
      get(this: BranchState): unknown {
        note(this);
        return look.call(this);
      },
    });
  }

  #note(state: BranchState): void {
    if (this.#known.has(state)) return;
    this.#known.add(state);
    this.#registry.register(state, undefined);
    this.count += 1;
  }
}

const living = new LivingStates();
/** The log's files of a cycle are some 5 KiB, which are kept until their room is full. */
const keptBytesMost = 10 << 10;

/** Counted after collections, of which one tells the next what it need not keep. */
async function heldMemory(): Promise<{ states: number; bytes: number }> {
  for (let times = 0; times < 3; times++) {
    collect();
    await setTimeout(20);
  }
  return { states: living.count, bytes: process.memoryUsage().arrayBuffers };
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
  while ((await departures()) < 12 && number < 1_000) await cycle(number++);
  const before = await heldMemory();
  const cycles = 16;
  for (let count = 0; count < cycles; count++) await cycle(number++);
  const after = await heldMemory();
  t.ok(after.states - before.states < cycles / 2, `${before.states} states, then ${after.states}`);
  const grown = after.bytes - before.bytes;
  t.ok(grown < cycles * keptBytesMost, `${grown} bytes more outside the heap`);
});
