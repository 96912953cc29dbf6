import t from 'tap';
import { readSources, type Source } from './support/sources.ts';

/** Classes stay short: one that grows has two tasks, and fields that only one of them needs. */
const classLinesMax = 280;

/** Longer classes, from before there was a limit: none is added. */
const longer: readonly string[] = [
  'client/library/workbook.ts Workbook',
  'client/console/store/live-edits.ts LiveEdits',
  'client/console/grid/grid.ts Grid',
  'client/console/sheet/sheet-session.ts SheetSession',
  'server/state/cells/block.ts Block',
  'test/support/table-model.ts TableModel',
  'server/state/cells/sheet-cells.ts SheetCells',
  'server/state/branch-state.ts BranchState',
  'server/branches/loader.ts Loader',
  'server/maintenance/verify/log-check.ts LogCheck',
  'server/branches/sql.ts PostgresJournal',
  'server/values/model.ts Model',
  'workers/kernel.ts Kernel',
  'server/branches/batch.ts Batch',
];

interface FoundClass {
  readonly name: string;
  readonly lineCount: number;
}

/** Finds classes as the formatter leaves them: the last line is indented as the first one. */
function classesOf({ path, lines }: Source): FoundClass[] {
  return lines.flatMap((line, index) => {
    const head = /^(\s*)(?:export )?(?:default )?(?:abstract )?class (\w+)/.exec(line);
    if (!head) return [];
    const end = line.endsWith('{}') ? index : lines.indexOf(`${head[1]}}`, index);
    return [{ name: `${path} ${head[2]}`, lineCount: end - index + 1 }];
  });
}

const classes = (await readSources()).flatMap(classesOf);

t.test('classes are short, but those that are listed', async (t) => {
  t.ok(classes.length > 300, 'classes are found');
  const long = classes.filter(({ lineCount }) => lineCount > classLinesMax);
  t.same(
    long.filter(({ name }) => !longer.includes(name)),
    [],
  );
  const short = longer.filter((name) => !long.some((found) => found.name === name));
  t.same(short, [], 'a class that is short now is taken from the list');
});
