import type { BranchState } from '../../server/state/branch-state.ts';
import type { LineId } from '../../server/state/ids/order.ts';
import { lineText } from '../../server/state/structure/area.ts';
import { orderOf, type SheetOutline } from '../../server/state/structure/structure.ts';
import type { ChoiceByKind, MergeDriver, MergeOutcome } from './merge-driver.ts';
import { mergedOnly } from './merge-histories.ts';
import { contentDifference, contentOf } from './undo-driver.ts';

// Compares a merge with the merge in the other direction, with the same winner.

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
    // Lines that both inserted in one place are ordered with ours first.
    if (orders(one, base, true) === orders(other, base, true)) return undefined;
    return 'orders differ';
  }
  return contentDifference(contentOf(one), contentOf(other));
}

function contestsOf({ conflicts }: MergeOutcome): string[] {
  return conflicts.map(({ id, contest }) => `${id} ${contest.kind} ${contest.register}`).sort();
}

/** Describes the order; `alike` sorts new adjacent lines. */
function orders(state: BranchState, base: BranchState, alike: boolean): string {
  const of = (sheet: SheetOutline, axis: 'row' | 'column') => {
    const was = base.structure.withId(sheet.id);
    const order = was && orderOf(was, axis);
    const lines = orderOf(sheet, axis)
      .spansAt(0, 60)
      .flatMap((span) =>
        Array.from({ length: span.length }, (_, at) => ({ ...span, offset: span.offset + at })),
      );
    const isNew = ({ branch, sequence, offset }: LineId) =>
      order !== undefined && order.positionOf(branch, sequence, offset) === undefined;
    return inOneOrder(lines, { isNew: alike ? isNew : () => false, text: lineText });
  };
  const { sheets } = state.structure;
  const names = inOneOrder(sheets, {
    isNew: ({ id }) => alike && !base.structure.withId(id),
    text: ({ id }) => id,
  });
  const lines = sheets.map((sheet) => [sheet.id, of(sheet, 'row'), of(sheet, 'column')]);
  const texts = lines.map(String);
  return JSON.stringify([names, alike ? texts.sort() : texts]);
}

function inOneOrder<Member>(
  list: readonly Member[],
  { isNew, text }: { isNew: (member: Member) => boolean; text: (member: Member) => string },
): string[] {
  const found: string[] = [];
  let fresh: string[] = [];
  for (const member of list) {
    if (isNew(member)) fresh.push(text(member));
    else {
      found.push(...fresh.sort(), text(member));
      fresh = [];
    }
  }
  return [...found, ...fresh.sort()];
}
