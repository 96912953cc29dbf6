import { columnName } from '../../../server/model/address.ts';
import { columnCount, rowCount, type Range } from '../../../server/model/range.ts';
import type { LevelRun } from '../grid/outline.ts';
import { opener, type CommandPlace, type Lines, type SheetCommand } from './command.ts';
import { foldPayload, kindOfLines, spanPayload } from './line-places.ts';

const levelMost = 7;

function spanOf(lines: Lines, { row0, row1, column0, column1 }: Range) {
  return lines === 'rows' ? { first: row0, last: row1 } : { first: column0, last: column1 };
}

/** Returns the selected lines with their levels in the outline. */
function levelsAt({ session, range }: CommandPlace, lines: Lines): readonly LevelRun[] {
  const { first, last } = spanOf(lines, range);
  const runs: LevelRun[] = [];
  let next = first;
  const put = (to: number, level: number) => {
    if (to >= next) runs.push({ first: next, last: to, level, isFolded: false });
    next = Math.max(next, to + 1);
  };
  for (const run of session.shape?.levels?.[lines] ?? []) {
    if (run.last < first || run.first > last) continue;
    put(run.first - 1, 0);
    put(Math.min(run.last, last), run.level);
  }
  put(last, 0);
  return runs;
}

/** Puts lines a level deeper into the outline, or takes them out of one. */
function regroup(lines: Lines, by: 1 | -1): SheetCommand {
  return {
    label: `${by > 0 ? 'Group' : 'Ungroup'} these ${lines}`,
    menu: 'Lines',
    lines,
    run: (place) => {
      const payloads = levelsAt(place, lines).map(({ level, ...span }) => ({
        ...spanPayload(lines, span),
        level: Math.max(0, Math.min(levelMost, level + by)),
      }));
      place.session.apply(kindOfLines(lines, 'group'), ...payloads);
    },
  };
}

/** Folds the innermost group of the first selected line away, or shows its lines again. */
function fold(lines: Lines): SheetCommand {
  return {
    label: `Fold or unfold the group of ${lines}`,
    menu: 'Lines',
    run: ({ session, range }) => {
      const { first } = spanOf(lines, range);
      const group = session.shape?.groups?.[lines].findLast(
        (one) => one.at === first || (one.first <= first && first <= one.last),
      );
      if (!group) session.clipboard.tell(`There is no group of ${lines} here.`);
      else session.apply(kindOfLines(lines, 'group'), foldPayload(lines, group));
    },
  };
}

function hide(lines: Lines, hidden: boolean): SheetCommand {
  return {
    label: `${hidden ? 'Hide' : 'Show'} ${hidden ? 'these' : 'hidden'} ${lines}`,
    menu: 'Lines',
    ...(hidden && { lines }),
    run: ({ session, range }) => {
      const isRows = lines === 'rows';
      const from = isRows ? range.row0 + 1 : columnName(range.column0);
      const count = isRows ? rowCount(range) : columnCount(range);
      session.apply(isRows ? 'rows.hide' : 'cols.hide', { from, count, hidden });
    },
  };
}

/** Commands on sizes, visibility and groups of rows and columns. */
export const lineCommands: readonly SheetCommand[] = [
  opener('Row height…', 'Lines', 'row-height'),
  opener('Column width…', 'Lines', 'column-width'),
  hide('rows', true),
  hide('rows', false),
  hide('columns', true),
  hide('columns', false),
  regroup('rows', 1),
  regroup('rows', -1),
  fold('rows'),
  regroup('columns', 1),
  regroup('columns', -1),
  fold('columns'),
  {
    label: 'Freeze above and left of here',
    menu: 'Lines',
    run: ({ session, range }) =>
      session.apply('sheet.props', {
        freezeRows: range.row0 || null,
        freezeCols: range.column0 || null,
      }),
  },
  {
    label: 'Freeze nothing',
    menu: 'Lines',
    run: ({ session }) => session.apply('sheet.props', { freezeRows: null, freezeCols: null }),
  },
];
