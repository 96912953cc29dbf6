import type { Place } from '../../branches/place.ts';
import type { WireInput } from '../../model/input.ts';
import type { Range } from '../../model/range.ts';
import type { Environment } from '../../model/environment.ts';
import type { BranchState } from '../../state/branch-state.ts';
import type { Models } from '../../values/models.ts';
import { SliceReader } from '../../values/slice.ts';
import type { Finding } from './findings.ts';

interface Reading {
  readonly models: Pick<Models, 'look'>;
  readonly environment: Environment;
}

/** What cells showed in the base, by the id of the finding; blank ones are not there. */
export async function baseValues(
  findings: readonly Finding[],
  { base, place }: { readonly base: BranchState; readonly place: Place },
  { models, environment }: Reading,
): Promise<ReadonlyMap<string, WireInput>> {
  const bySheet = new Map<string, { readonly id: string; readonly range: Range }[]>();
  for (const { id, place: at, value } of findings) {
    const sheet = value && base.structure.withId(at.sheetId);
    const range = sheet && rangeIn(sheet, at.row, at.column);
    if (!sheet || !range) continue;
    const known = bySheet.get(sheet.name);
    if (known) known.push({ id, range });
    else bySheet.set(sheet.name, [{ id, range }]);
  }
  if (bySheet.size === 0) return new Map();
  const wanted = [...bySheet].flatMap(([sheet, cells]) =>
    cells.map((cell) => ({ sheet, ...cell })),
  );
  const ranges = [...bySheet].map(([sheet, cells]) => ({
    sheet,
    areas: cells.map(({ range }) => range),
  }));
  const slices = await models.look(place, { ranges, lens: 'value' }, (view) =>
    new SliceReader(view, 'value', environment).read(ranges),
  );
  return new Map(wanted.map(({ id }, index) => [id, slices[index]?.rows[0]?.[0] ?? null] as const));
}

type Sheet = BranchState['structure']['sheets'][number];
type Line = NonNullable<Finding['place']['column']>;

function rangeIn(sheet: Sheet, row: Line, column: Line): Range | undefined {
  const down = sheet.rows.positionOf(row.branch, row.sequence, row.offset);
  const across = sheet.columns.positionOf(column.branch, column.sequence, column.offset);
  if (down === undefined || across === undefined) return undefined;
  return { row0: down, row1: down, column0: across, column1: across };
}
