import t from 'tap';
import { cellName } from '../../server/model/address.ts';
import type { Input } from '../../server/model/cell-value.ts';
import type { Mutation } from '../../server/model/mutation.ts';
import { Kernel } from '../../workers/kernel.ts';
import { inputForm, valueForm } from '../../workers/decode.ts';
import { SeededRandom } from '../support/seeded-random.ts';

const rounds = 300;
const editsMost = 12;
const size = 8;
const now = { clockSerial: 46_000.5, seedHigh: 1, seedLow: 2 };
const area = { row0: 0, column0: 0, row1: size * 3, column1: size * 3 };

/** Random small workbooks and edits: what a person might do, only faster. */
class Writer {
  readonly #random: SeededRandom;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  begin(): Mutation[] {
    return [
      { kind: 'sheetAdd', sheet: 1, name: 'One', index: 0 },
      { kind: 'sheetAdd', sheet: 2, name: 'Two', index: 1 },
      { kind: 'nameSet', name: 'Rate', scope: undefined, formula: '=One!$A$1' },
      ...Array.from({ length: 12 }, () => this.#cell()),
    ];
  }

  edit(): Mutation {
    const sheet = this.#upTo(2) + 1;
    const axis = this.#pick(['row', 'column'] as const);
    const lines = { sheet, axis, from: this.#upTo(size), count: 1 + this.#upTo(2) };
    switch (this.#upTo(8)) {
      case 0:
        return { kind: 'insert', ...lines };
      case 1:
        return { kind: 'delete', ...lines };
      case 2: {
        const { from, count } = lines;
        const before = this.#pick([this.#upTo(from + 1), from + count + this.#upTo(4)]);
        return { kind: 'move', ...lines, before };
      }
      case 3:
      case 4: {
        const at = { sheet, row: this.#upTo(size), column: this.#upTo(size) };
        const extent = { rowCount: 1 + this.#upTo(4), columnCount: 1 + this.#upTo(2) };
        return { kind: 'fill', ...at, ...extent, input: this.#input() };
      }
      default:
        return this.#cell();
    }
  }

  #cell(): Mutation {
    const at = { sheet: this.#upTo(2) + 1, row: this.#upTo(size), column: this.#upTo(size) };
    return { kind: 'cell', ...at, input: this.#input() };
  }

  #input(): Input {
    const a = this.#reference();
    const b = this.#reference();
    return this.#pick<() => Input>([
      () => this.#upTo(100),
      () => this.#pick(['x', 'Y', '12', '']),
      () => this.#upTo(2) === 1,
      () => null,
      () => ({ formula: `=${a}+${b}*2` }),
      () => ({ formula: `=SUM(${a}:${b.split('!').at(-1)})` }),
      () => ({ formula: `=IF(${a}>${b},${a},"no")` }),
      () => ({ formula: `=${a}&"-"&${b}` }),
      () => ({ formula: `=COUNT(A:A)+Rate` }),
      () => ({ formula: `=SUMIF(${a}:${b.split('!').at(-1)},">3")` }),
      () => ({ formula: `=INDIRECT("${a.replaceAll('$', '')}")` }),
      () => ({ formula: `=SEQUENCE(${1 + this.#upTo(3)},${1 + this.#upTo(2)})+${a}` }),
      () => ({ formula: `=IFERROR(VLOOKUP(${a},A1:C5,2,FALSE),0)` }),
    ])();
  }

  #reference(): string {
    const name = cellName(this.#upTo(size), this.#upTo(size));
    const fixed = this.#upTo(4) === 0 ? name.replace(/(\d+)/u, '$$$1') : name;
    return this.#upTo(4) === 0 ? `Two!${fixed}` : fixed;
  }

  #upTo(limit: number): number {
    return this.#random.between(0, limit - 1);
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[this.#upTo(items.length)] as Item;
  }
}

/** Input and value of every cell, by its name. */
function contentOf(kernel: Kernel): Map<string, string> {
  while (!kernel.recalculate(now, 1e8));
  const content = new Map<string, string>();
  for (const [key, name] of [
    [1, 'One'],
    [2, 'Two'],
  ] as const) {
    const inputs = kernel.readRange(key, area, { lens: 'input', form: inputForm }).flat();
    const values = kernel.readRange(key, area, { lens: 'value', form: valueForm }).flat();
    const width = area.column1 + 1;
    for (const [index, value] of values.entries()) {
      const cell = `${name}!${cellName(Math.floor(index / width), index % width)}`;
      content.set(cell, `${JSON.stringify(inputs[index])} gives ${JSON.stringify(value)}`);
    }
  }
  return content;
}

function firstDifference(
  left: ReadonlyMap<string, string>,
  right: ReadonlyMap<string, string>,
): string | undefined {
  for (const [cell, found] of left) {
    const other = right.get(cell);
    if (found !== other) return `${cell}: ${found} step by step, ${other} at once`;
  }
  return undefined;
}

/** A model that was evaluated after every edit, and one that saw them all before it was. */
function compare(mutations: readonly Mutation[]): string | undefined {
  const stepwise = Kernel.create();
  for (const mutation of mutations) {
    stepwise.apply([mutation]);
    while (!stepwise.recalculate(now, 1e8));
  }
  const atOnce = Kernel.create();
  atOnce.apply(mutations);
  return firstDifference(contentOf(stepwise), contentOf(atOnce));
}

/** Leaves out what is not needed for the difference, one edit at a time. */
function shrink(mutations: readonly Mutation[]): readonly Mutation[] {
  for (const [index, { kind }] of mutations.entries()) {
    if (kind === 'sheetAdd') continue;
    const fewer = mutations.toSpliced(index, 1);
    if (compareSafely(fewer) !== undefined) return shrink(fewer);
  }
  return mutations;
}

function compareSafely(mutations: readonly Mutation[]): string | undefined {
  try {
    return compare(mutations);
  } catch (error) {
    return String(error);
  }
}

t.test('recalculating step by step gives what calculating once gives', (t) => {
  for (let round = 0; round < rounds; round++) {
    const seed = round + 1;
    const random = new SeededRandom(seed);
    const writer = new Writer(random);
    const edits = Array.from({ length: 1 + random.between(0, editsMost - 1) }, () => writer.edit());
    const mutations = [...writer.begin(), ...edits];
    const difference = compareSafely(mutations);
    const smallest = difference === undefined ? [] : shrink(mutations);
    t.equal(difference, undefined, `seed ${seed}`, {
      smallest: smallest.map((mutation) => JSON.stringify(mutation)),
    });
    if (t.counts.fail >= 10) break;
  }
  t.end();
});
