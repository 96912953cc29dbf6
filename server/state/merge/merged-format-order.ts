import { orderOf, orderOn } from '../records/format-order.ts';
import type { SheetMerging } from './record-merging.ts';
import { verdictOn } from '../compare/merged-members.ts';
import { followers } from './sheets.ts';
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
  const present = new Set([...list, ...added].filter((id) => !gone.has(id)));
  const isCommon = (id: string) =>
    present.has(id) && [wanted, then, now].every((ids) => ids.includes(id));
  const common = { theirs: wanted.filter(isCommon), ours: now.filter(isCommon) };
  const verdict = verdictOn({ ...common, base: then.filter(isCommon) });
  const isTheirs =
    verdict === 'contest'
      ? merging.judge.decide({
          kind: 'rule.edit',
          register: `the order of conditional formats ${sheet.id}`,
          text: `the order of the conditional formats of ${sheet.name}`,
          place: { sheetId: sheet.id },
          sides: () => ({ base: then, ours: now, theirs: wanted }),
        }) === 'theirs'
      : verdict === 'set';
  const order = isTheirs ? common.theirs : common.ours;
  const ordered = withOthers(order, [now, wanted, [...present]], present);
  if (String(ordered) === String(list)) return;
  const change = orderOf(sheet.id, ordered);
  deletes.push(...change.deletes);
  put.push(...change.puts.map(({ value }) => ({ ...orderRecord, sheet: sheet.id, value })));
}

/**
 * Adds members that are only in some lists behind the one that they are behind there. In one place
 * those of several lists come by their ids, so that both directions agree.
 */
function withOthers(
  order: readonly string[],
  lists: readonly (readonly string[])[],
  present: ReadonlySet<string>,
): string[] {
  const left = new Set(present);
  const runs = lists.map((list) => {
    const own = list.filter((id) => left.has(id));
    for (const id of own) if (!order.includes(id)) left.delete(id);
    return followers(own, order);
  });
  return ['', ...order].flatMap((id) => {
    const behind = runs.map((run) => run.get(id) ?? []);
    behind.sort(([a = ''], [b = '']) => (a < b ? -1 : 1));
    return [...(id === '' ? [] : [id]), ...behind.flat()];
  });
}

const orderRecord = { type: 'cforder', id: '', areas: [] } as const;

function isFormat(key: string): boolean {
  return key.startsWith('cf/');
}
