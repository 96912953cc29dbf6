import { genesisOrder, type LineId, type Order } from '../../server/state/ids/order.ts';
import { heapBytes } from '../kernel/engine.ts';
import { once, summarise, type Figure } from '../report.ts';

/** Measures a sheet of a million rows after ten thousand row operations, with each version kept. */

const rowCount = 1_000_000;
const versionCount = 10_000;
const lookupCount = 200_000;
const roundCount = 5;
/** Versions that are asked for an id for the first time. */
const coldCount = 200;

/** Returns a pseudorandom number that is the same in each run. */
function scatter(number: number): number {
  return (number * 2_654_435_761) % rowCount;
}

function edited(order: Order, edit: number): Order {
  const at = scatter(edit);
  if (edit % 5 === 0) return order.delete(at, 2);
  if (edit % 5 === 1) return order.move(at, 3, scatter(edit + 7));
  return order.insert(at, [{ branch: 1, sequence: edit, offset: 0, length: 2 }]);
}

function makeVersions(): Order[] {
  const versions: Order[] = [genesisOrder];
  let order = genesisOrder;
  for (let edit = 1; edit <= versionCount; edit++) {
    order = edited(order, edit);
    versions.push(order);
  }
  return versions;
}

/** Returns the mean time of one of some calls, in nanoseconds. */
function timeEach(count: number, call: (index: number) => void): number {
  const started = process.hrtime.bigint();
  for (let index = 0; index < count; index++) call(index);
  return Number(process.hrtime.bigint() - started) / count;
}

function rounds(measure: () => number): number[] {
  return Array.from({ length: roundCount }, measure);
}

export async function measureOrder(): Promise<Figure[]> {
  makeVersions();
  const before = await heapBytes();
  const versions = makeVersions();
  const bytes = ((await heapBytes()) - before) / versionCount;
  const edits = rounds(() => timeEach(1, makeVersions) / versionCount);

  const head = versions.at(-1) ?? genesisOrder;
  const ids: LineId[] = [];
  const forward = () => timeEach(lookupCount, (index) => void head.idAt(scatter(index)));
  const idAt = rounds(forward);
  for (let index = 0; index < lookupCount; index++) ids.push(head.idAt(scatter(index)));
  const positionOf = (order: Order, id: LineId | undefined) => {
    if (id) order.positionOf(id.branch, id.sequence, id.offset);
  };
  const cold = timeEach(coldCount, (index) =>
    positionOf(versions[scatter(index) % versionCount] ?? head, ids[index]),
  );
  const backward = rounds(() => timeEach(lookupCount, (index) => positionOf(head, ids[index])));
  const all = { branch: 0, sequence: 0, offset: 0, length: rowCount };
  const pieces = rounds(() => timeEach(10, () => void head.piecesOf(all)) / 1_000);

  const subject = `${head.spanCount} spans`;
  return [
    { subject, measure: 'an edit', unit: 'ns', quire: summarise(edits) },
    { subject, measure: 'position to id', unit: 'ns', quire: summarise(idAt), due: '2000 ns' },
    { subject, measure: 'id to position', unit: 'ns', quire: summarise(backward), due: '2000 ns' },
    { subject, measure: 'the first id of a version', unit: 'ns', quire: once(cold) },
    { subject, measure: 'pieces of all genesis rows', unit: 'µs', quire: summarise(pieces) },
    { subject, measure: 'a kept version', unit: 'bytes', quire: once(bytes) },
  ];
}
