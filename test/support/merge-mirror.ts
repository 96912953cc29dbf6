import type { BranchState } from '../../server/state/branch-state.ts';
import type { IdSpan } from '../../server/state/ids/order.ts';
import { orderOf, type SheetOutline } from '../../server/state/structure/structure.ts';
import type { ChoiceByKind, MergeDriver, MergeOutcome } from './merge-driver.ts';
import { mergedOnly } from './merge-histories.ts';
import { contentDifference, contentOf } from './undo-driver.ts';

// A merge and the merge of the other direction, with the same winner.

type Winner = 'ours' | 'theirs';

/** The first thing that is not the same from both directions; undefined where all is. */
export function mirrorDifference(driver: MergeDriver, options: ChoiceByKind = {}) {
  for (const [otherwise, flipped] of [
    ['ours', 'theirs'],
    ['theirs', 'ours'],
  ] as const) {
    const found = differenceFor(driver, { otherwise, flipped }, options);
    if (found !== undefined) return `${otherwise} wins: ${found}`;
  }
  return undefined;
}

function differenceFor(
  driver: MergeDriver,
  { otherwise, flipped }: { otherwise: Winner; flipped: Winner },
  options: ChoiceByKind,
): string | undefined {
  const merged = mergedOnly(() => driver.merge({ ...options, otherwise }));
  const mirrored = mergedOnly(() => driver.mirror({ ...options, otherwise: flipped }));
  if (!merged || !mirrored) {
    return merged || mirrored ? 'it can be written in one direction only' : undefined;
  }
  const [here, there] = [contestsOf(merged), contestsOf(mirrored)];
  if (String(here) !== String(there)) {
    const only = (list: string[], other: string[]) =>
      list.filter((one) => !other.includes(one)).join('; ');
    return `conflicts here: ${only(here, there)} | there: ${only(there, here)}`;
  }
  const base = driver.base.state;
  const [one, other] = [merged.driver.state, mirrored.driver.state];
  const gaps = orders(one, base, false) !== orders(other, base, false);
  if (gaps) {
    // Lines that both inserted in one place stand ours first.
    if (orders(one, base, true) === orders(other, base, true)) return undefined;
    return 'orders differ';
  }
  return contentDifference(contentOf(one), contentOf(other));
}

function contestsOf({ conflicts }: MergeOutcome): string[] {
  return conflicts.map(({ id, contest }) => `${id} ${contest.kind} ${contest.register}`).sort();
}

/** `alike` puts lines that stand together and that the base has not in one order. */
function orders(state: BranchState, base: BranchState, alike: boolean): string {
  const of = (sheet: SheetOutline, axis: 'row' | 'column') => {
    const was = base.structure.withId(sheet.id);
    const text = ({ branch, sequence, offset }: IdSpan) => `${branch}.${sequence}.${offset}`;
    const found: string[] = [];
    let fresh: string[] = [];
    for (const span of orderOf(sheet, axis).spansAt(0, 60)) {
      for (let at = 0; at < span.length; at++) {
        const line = { ...span, offset: span.offset + at };
        const isNew =
          was !== undefined &&
          orderOf(was, axis).positionOf(line.branch, line.sequence, line.offset) === undefined;
        if (isNew) fresh.push(text(line));
        else {
          found.push(...(alike ? fresh.sort() : fresh), text(line));
          fresh = [];
        }
      }
    }
    return [...found, ...(alike ? fresh.sort() : fresh)];
  };
  return JSON.stringify(
    state.structure.sheets.map((sheet) => [sheet.id, of(sheet, 'row'), of(sheet, 'column')]),
  );
}

