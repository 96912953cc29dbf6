import t from 'tap';

import { CellWatch, type CellWatcher } from '../../../server/collaboration/cell-watch.ts';
import type { Presence } from '../../../server/collaboration/presence.ts';
import { realEnvironment } from '../../../server/foundation.ts';
import type { ViewportValues } from '../../../server/values/viewport.ts';

interface Told {
  readonly seq: number;
  readonly ranges: readonly string[];
  readonly cause: string;
  readonly values?: { readonly data: readonly (readonly unknown[])[] };
}

const rest = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

class Watcher implements CellWatcher {
  readonly told: Told[] = [];
  readonly wantsPresence = false;
  readonly wants = { cell_activity: 'viewport' } as const;
  isSlow = false;
  readonly presence: Presence;

  constructor(range: string) {
    this.presence = { value: { viewport: { sheet: 'S', range } } } as Presence;
  }

  tellLeft(): void {
    throw new Error('nobody leaves here');
  }

  sendLossy(frame: { bytes(framing: 'json'): Buffer }): boolean {
    if (this.isSlow) return false;
    this.told.push(JSON.parse(frame.bytes('json').toString()) as Told);
    return true;
  }
}

function valuesOf(seq: number, value: number): ViewportValues {
  return { seq, rows: [[value, 0]], formats: [['General', 'General']] };
}

function written(seq: number, a1: string) {
  const payload = { sheet: 'S', cells: [{ a1, input: 1 }] };
  const resolved = { sheet: 's1', cells: [0, 0, 0, 0, 0, 0] };
  const made = { id: null, writer: 'w', principalId: 'p', resolved, at: 0 };
  return { seq, kind: 'cells.set', payload, ...made } as const;
}

/** A state whose written cells are always in its first cell. */
const places = () => {
  const range = { row0: 0, column0: 0, row1: 0, column1: 0 };
  return Promise.resolve({ seq: 0, sheets: [{ name: 'S', ranges: [range] }] });
};

t.test('values that take long are announced at once, and sent when they are there', async (t) => {
  const watchers: Watcher[] = [new Watcher('A1:B1'), new Watcher('D1')];
  let finish = (_values: ViewportValues): void => undefined;
  let asked = 0;
  const watch = new CellWatch({
    environment: realEnvironment,
    report: (step, error) => {
      throw new Error(step, { cause: error });
    },
    watchers: () => watchers,
    places,
    values: ({ range }) => {
      if (range === 'D1') {
        return Promise.resolve({ seq: 7, rows: [[4]], formats: [['General']] });
      }
      asked++;
      return new Promise((resolve) => (finish = resolve));
    },
  });
  t.teardown(() => watch.stop());
  watch.note(written(7, 'A1'));
  watch.lookSoon();
  await rest(450);
  const [slow, quick] = watchers;
  t.match(slow?.told, [{ seq: 7, ranges: ['A1'] }]);
  t.notOk(slow?.told[0]?.values, 'the values follow');
  t.match(quick?.told, [{ values: { data: [[4]] } }], 'others do not wait for them');
  watch.note(written(8, 'B1'));
  watch.lookSoon();
  await rest(450);
  t.equal(asked, 1, 'nothing is asked for twice at a time');
  finish(valuesOf(7, 1));
  await rest(150);
  t.match(slow?.told.at(-1), { seq: 7, values: { data: [[1, 0]] } });
  t.equal(asked, 2, 'and again for what came meanwhile');
  finish(valuesOf(8, 2));
  await rest(50);
  t.match(slow?.told.at(-1), { seq: 8, ranges: ['A1'], values: { data: [[2, 0]] } });
});

t.test('whoever comes later or was slow gets all that is looked at', async (t) => {
  const watchers = [new Watcher('A1:B1')];
  let current = valuesOf(1, 1);
  const watch = new CellWatch({
    environment: realEnvironment,
    report: () => undefined,
    watchers: () => watchers,
    places,
    values: () => Promise.resolve(current),
  });
  t.teardown(() => watch.stop());
  watch.lookSoon();
  await rest(150);
  const late = new Watcher('A1:B1');
  watchers.push(late);
  watch.lookSoon();
  await rest(150);
  t.match(late.told, [{ ranges: ['A1:B1'], values: { data: [[1, 0]] } }]);
  t.equal(watchers[0]?.told.length, 1, 'who has it hears nothing');
  late.isSlow = true;
  current = valuesOf(2, 2);
  watch.lookSoon();
  await rest(150);
  late.isSlow = false;
  watch.lookSoon();
  await rest(150);
  t.match(late.told.slice(1), [{ seq: 2, ranges: ['A1:B1'], values: { data: [[2, 0]] } }]);
  t.match(watchers[0]?.told.slice(1), [{ seq: 2, ranges: ['A1'] }]);
});
