import type { BranchState } from '../../server/state/branch-state.ts';
import { nameFormula } from '../../server/state/references/names.ts';
import { formatsOf } from '../../server/state/plan/plan.ts';
import { readFormats } from '../../server/state/cells/sheet-formats.ts';
import { dataRange, rangeOf, type StoredTable } from '../../server/state/structure/tables.ts';
import type { SheetOutline } from '../../server/state/structure/structure.ts';
import { viewsOf } from './record-driver.ts';

const [rowsSeen, columnsSeen] = [16, 10];
const corner = { row0: 0, row1: rowsSeen - 1, column0: 0, column1: columnsSeen - 1 };

/**
 * Returns all that is visible of a state, by place and not by id, so that equal content looks
 * equal.
 */
export function seen(state: BranchState): string {
  const { structure, settings, coding } = state;
  const names = state.names.list().map((name) => {
    const scope = structure.withId(name.scopeId ?? '')?.name;
    return [name.name, scope, nameFormula(name, structure, coding.formulas), name.comment];
  });
  return JSON.stringify(
    {
      sheets: structure.sheets.map((sheet) => sheetOf(state, sheet)),
      styles: [...state.looks.styles.entries()],
      settings: settings.all(),
      names,
      tables: state.tables.all.map((table) => tableOf(state, table)),
      records: recordsOf(state),
    },
    undefined,
    1,
  );
}

function sheetOf(state: BranchState, sheet: SheetOutline): object {
  const found = readFormats(formatsOf(state, sheet), corner);
  const looks = Array.from(found, (index) => plain(state.coding.dictionary.formatKey(index)));
  const [inputs, rows, columns]: [unknown[], unknown[], unknown[]] = [[], [], []];
  const covered = state.tables.onSheet(sheet.id).map((table) => rangeOf(table, state.structure));
  for (let at = 0; at < rowsSeen; at++) {
    const { style: _row, ...row } = state.looks.lines.of(sheet.id, 'row').at(sheet.rows.idAt(at));
    rows.push(row);
    for (let across = 0; across < columnsSeen; across++) {
      const isOfTable = covered.some(
        ({ row0, row1, column0, column1 }) =>
          at >= row0 && at <= row1 && across >= column0 && across <= column1,
      );
      if (!isOfTable) inputs.push([at, across, state.inputAt(sheet, at, across)]);
    }
  }
  for (let across = 0; across < columnsSeen; across++) {
    const lines = state.looks.lines.of(sheet.id, 'column');
    const { style: _column, ...column } = lines.at(sheet.columns.idAt(across));
    columns.push(column);
  }
  const held = inputs.filter((cell) => Array.isArray(cell) && cell[2] !== null);
  const { name, id } = sheet;
  return { name, held, looks: looks.join(' '), rows, columns, own: state.looks.properties.of(id) };
}

/** Returns rows and columns by their names: where new ones stand depends on who came first. */
function tableOf(state: BranchState, table: StoredTable): object {
  const { structure } = state;
  const sheet = structure.withId(table.sheetId);
  if (!sheet) throw new Error(`the sheet of ${table.name} is gone`);
  const range = rangeOf(table, structure);
  const data = dataRange(table, range);
  const rows: string[] = [];
  for (let at = data.row0; at <= data.row1; at++) {
    const cells = table.columns.map(({ name }, index): [string, unknown] => [
      name,
      state.inputAt(sheet, at, data.column0 + index),
    ]);
    rows.push(JSON.stringify(cells.toSorted(byName)));
  }
  const columns = table.columns.map(({ id: _id, line: _line, ...column }) => column);
  const key = table.columns.find(({ id }) => id === table.key)?.name;
  return {
    name: table.name,
    sheet: sheet.name,
    from: [range.row0, range.column0],
    key,
    columns: columns.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    rows: rows.toSorted(),
  };
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

/** Returns records without made-up ids, which differ, as does the order of comments and rules. */
function recordsOf(state: BranchState): string[] {
  const texts = viewsOf(state).map(({ id, sheet, value, ...view }) => {
    const isMade = id !== null && /\d\.\d/u.test(id);
    const { comments, ...rest } = value;
    const said = Array.isArray(comments)
      ? comments.map((comment) => JSON.stringify({ ...Object(comment), id: undefined })).toSorted()
      : [];
    const on = state.structure.withId(sheet)?.name;
    // The nearest line depends on which one was deleted first.
    const at = value['displaced'] === true ? { ranges: null } : {};
    return JSON.stringify({ ...view, ...at, id: isMade ? 'made' : id, on, said, rest });
  });
  return texts.toSorted();
}

function plain(text: string): string {
  return text === '{"named":"Normal"}' ? '' : text;
}
