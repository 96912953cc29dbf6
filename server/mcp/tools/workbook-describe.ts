import { z } from 'zod';

import { Pace } from '../../branches/pace.ts';
import type { Place } from '../../branches/place.ts';
import type { WireInput } from '../../model/input.ts';
import { columnCount, parseRange, quoteSheet } from '../../model/range.ts';
import type { BranchState } from '../../state/branch-state.ts';
import type { ModelView } from '../../values/model-view.ts';
import { SliceReader } from '../../values/slice.ts';
import type { Tool } from '../catalogue.ts';
import type { McpServices } from '../services.ts';
import { anyValue, position, ref, workbook } from './arguments.ts';
import { listBranches } from './branch-tool.ts';
import { Targets } from './targets.ts';
import { cellText } from './grid-text.ts';
import { tool } from './tool.ts';
import { positionName } from './submitting.ts';

const sheetsMost = 40;
const sampleRows = 4;
const sampleColumns = 20;
const namesMost = 100;
const mergesMost = 20;
/** Above it errors are not counted: that would look at every cell. */
const countedCellsMost = 200_000;

const input = z.strictObject({ workbook, ref });

const output = z.object({
  id: z.string(),
  address: z.string(),
  ref: position,
  sheets: z.array(
    z.object({
      name: z.string(),
      used: z.string().nullable().describe('Range around all that is not blank'),
      header: z
        .array(z.string())
        .nullable()
        .describe('The first row, where it reads like a heading'),
      sample: z.array(z.array(anyValue)).describe('The rows below it, the first of them'),
    }),
  ),
  sheet_count: z.int(),
  tables: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      range: z.string(),
      key: z.string().nullable(),
      columns: z.array(z.looseObject({ name: z.string() })),
    }),
  ),
  names: z.array(z.object({ name: z.string(), scope: z.string().nullable(), formula: z.string() })),
  branches: z.array(z.looseObject({ name: z.string(), ref: position })),
  open_merges: z.array(
    z.object({ merge_id: z.string(), title: z.string(), source: z.string(), target: z.string() }),
  ),
  settings: z.looseObject({}),
  error_cells: z
    .int()
    .nullable()
    .describe('Null where the workbook is too large to count them here'),
});

type Shown = z.input<typeof output>;

export function workbookDescribe(services: McpServices): Tool {
  const targets = new Targets(services);
  return tool(services, {
    name: 'workbook_describe',
    title: 'Describe a workbook',
    description:
      'The one call to begin with: sheets with headings and sample rows, tables with their columns, names, branches, open merges, settings, and how many cells hold an error.',
    input,
    output,
    annotations: { readOnlyHint: true },
    run: async (given, { principal }) => {
      const found = await targets.place(given.workbook, given.ref, principal);
      const shown = await describeWorkbook(services, found, principal);
      return { shown, text: summaryText(shown) };
    },
  });
}

/** Describes the workbook at a position, and the parts that have no position. */
export async function describeWorkbook(
  services: McpServices,
  found: Place,
  principal: Parameters<McpServices['registry']['get']>[1],
): Promise<Shown> {
  const { workbookId: id } = found.address;
  const { registry, merges } = services;
  const outline = await outlineAt(services, found);
  const place = { ...found, seq: outline.seq };
  const [at, { namespace, name }, sheets, branches, listed] = await Promise.all([
    positionName(services.branches, place, place.seq),
    registry.get(id, principal),
    readSheets(services, { ...place, isPinned: true }, outline.sheets.slice(0, sheetsMost)),
    listBranches(services, id),
    merges.list(id, { offset: 0, limit: mergesMost }),
  ]);
  return {
    id,
    address: `${namespace}/${name}`,
    ref: at,
    ...sheets,
    sheet_count: outline.sheets.length,
    tables: outline.tables.map((table) => ({
      id: table.id,
      name: table.name,
      range: `${quoteSheet(table.sheet)}!${table.range}`,
      key: table.keyColumn,
      columns: table.schema.columns.map((column) => ({ ...column })),
    })),
    names: outline.names.map((one) => ({ name: one.name, scope: one.scope, formula: one.formula })),
    branches,
    open_merges: listed.looks.flatMap(({ record, names }) => {
      if (record.state !== 'open') return [];
      const source = names.nameOf(record.sourceNo);
      const target = names.nameOf(record.targetNo);
      return [{ merge_id: record.id, title: record.request.title, source, target }];
    }),
    settings: outline.settings,
  };
}

function outlineAt({ positions }: McpServices, { address, seq, isPinned }: Place) {
  return isPinned ? positions.readAt(address, seq, outlineOf) : positions.read(address, outlineOf);
}

function* outlineOf(state: BranchState) {
  yield* [];
  return {
    seq: state.head,
    sheets: state.sheetSummaries(),
    names: state.nameSummaries().slice(0, namesMost),
    tables: state.tables.summaries(state.structure),
    settings: { ...state.settings.all() },
  };
}

type Outlined = readonly { readonly name: string; readonly used: string | null }[];

/** The first rows of each sheet, and the errors of all. */
async function readSheets(
  { models, environment }: McpServices,
  place: Place,
  outlined: Outlined,
): Promise<Pick<Shown, 'sheets' | 'error_cells'>> {
  const ranges = outlined.flatMap(({ name: sheet, used }) => {
    const area = used === null ? undefined : parseRange(used);
    if (!area) return [];
    const row1 = Math.min(area.row1, area.row0 + sampleRows - 1);
    const column1 = Math.min(area.column1, area.column0 + sampleColumns - 1);
    return [{ sheet, areas: [{ ...area, row1, column1 }] }];
  });
  return models.use(place, true, async (view) => {
    const slices = await new SliceReader(view, 'value', environment).read(ranges);
    const rows = new Map(slices.map((slice) => [slice.sheet, slice.rows]));
    const sheets = outlined.map(({ name, used }) => ({
      name,
      used,
      ...headed(rows.get(name) ?? []),
    }));
    return { sheets, error_cells: await countErrors(view, new Pace(environment)) };
  });
}

/** A first row of different texts is taken for a heading. */
function headed(rows: readonly (readonly WireInput[])[]) {
  const [first = [], ...below] = rows;
  const texts = first.filter((value) => typeof value === 'string');
  const isHeading =
    texts.length > 0 && texts.length === first.filter((value) => value !== null).length;
  const isUnique = new Set(texts).size === texts.length;
  if (!isHeading || !isUnique || below.length === 0) {
    return { header: null, sample: rows.map((row) => [...row]).slice(0, sampleRows - 1) };
  }
  return { header: first.map(cellText), sample: below.map((row) => [...row]) };
}

const pageCells = 8_192;

async function countErrors({ kernel, sheets }: ModelView, pace: Pace): Promise<number | null> {
  if (sheets.grid > countedCellsMost) return null;
  let errors = 0;
  for (let offset = 0, count = pageCells; count > 0; offset += count) {
    count = kernel.readValues(offset, pageCells, ({ value }) => {
      if (typeof value === 'object' && value !== null) errors++;
    });
    if (pace.isDue) await pace.rest();
  }
  return errors;
}

/** Writes the summary as Markdown, for models that are shown text alone, and as a resource. */
export function summaryText(shown: Shown): string {
  const lines = [`# ${shown.address} at ${shown.ref}`, '', `Id: ${shown.id}`];
  if (shown.error_cells !== null && shown.error_cells > 0) {
    lines.push(`${shown.error_cells} cells hold an error.`);
  }
  for (const { name, used, header, sample } of shown.sheets) {
    const width = used === null ? 0 : widthOf(used);
    lines.push(
      '',
      `## Sheet ${name}: ${used === null ? 'empty' : `${used}, ${width} columns`}`,
      '',
    );
    if (header) lines.push(`Headings: ${header.join(' | ')}`);
    for (const row of sample as WireInput[][]) lines.push(`    ${row.map(cellText).join(' | ')}`);
  }
  const list = (title: string, items: readonly string[]) => {
    if (items.length > 0) lines.push('', `## ${title}`, '', ...items.map((item) => `- ${item}`));
  };
  list(
    'Tables',
    shown.tables.map(({ name, range, key, columns }) => {
      const names = columns.map((column) => column.name).join(', ');
      return `${name} (${range}${key === null ? '' : `, key ${key}`}): ${names}`;
    }),
  );
  list(
    'Names',
    shown.names.map(({ name, formula }) => `${name} ${formula}`),
  );
  list(
    'Branches',
    shown.branches.map(({ ref: at }) => at),
  );
  list(
    'Open merges',
    shown.open_merges.map((one) => `${one.merge_id}: ${one.source} into ${one.target}`),
  );
  return lines.join('\n');
}

function widthOf(used: string): number {
  const area = parseRange(used);
  return area ? columnCount(area) : 0;
}
