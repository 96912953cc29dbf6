import { orderOf, orderOn } from '../records/format-order.ts';
import type { SheetMerging } from './record-merging.ts';
import { inOrder } from './sheets.ts';
import { stateOf } from './merging.ts';

/** Merges the order in which conditional formats of a sheet apply. */
export function mergeFormatOrder({ merging, sheet, was, put, deletes }: SheetMerging): void {
  const [wanted, then, now] = [merging.theirs, merging.base, merging.ours].map(({ records }) =>
    orderOn(was, { records }),
  ) as [string[], string[], string[]];
  const isKept = String(wanted) === String(then);
  if (isKept && ![...deletes, ...put.map(({ type }) => `${type}/`)].some(isFormat)) return;
  const list = orderOn(sheet, stateOf(merging));
  const gone = new Set(deletes.map((key) => key.slice(key.lastIndexOf('/') + 1)));
  const added = put.flatMap(({ type, id }) => (type === 'cf' ? [id] : []));
  const present = [...new Set([...list, ...added])].filter((id) => !gone.has(id));
  const isCommon = (id: string) => then.includes(id) && wanted.includes(id);
  const isOurs = String(then.filter(isCommon)) === String(now.filter(isCommon));
  const isTheirs =
    isOurs ||
    merging.judge.decide({
      kind: 'rule.edit',
      register: `the order of conditional formats ${sheet.id}`,
      text: `the order of the conditional formats of ${sheet.name}`,
      place: { sheetId: sheet.id },
      sides: () => ({ base: then, ours: now, theirs: wanted }),
    }) === 'theirs';
  const order = wanted.filter((id) => present.includes(id));
  const ordered = isTheirs ? inOrder(present, order) : present;
  if (String(ordered) === String(list)) return;
  const change = orderOf(sheet.id, ordered);
  deletes.push(...change.deletes);
  put.push(...change.puts.map(({ value }) => ({ ...orderRecord, sheet: sheet.id, value })));
}

const orderRecord = { type: 'cforder', id: '', areas: [] } as const;

function isFormat(key: string): boolean {
  return key.startsWith('cf/');
}
