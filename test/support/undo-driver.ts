import type { FormulaService } from '../../server/model/formula-service.ts';
import { writeInput } from '../../server/model/input.ts';
import type { UndoOperation } from '../../server/model/operation.ts';
import { Rejection } from '../../server/model/rejection.ts';
import type { Admitted } from '../../server/state/admission.ts';
import type { BranchState } from '../../server/state/branch-state.ts';
import { ClientView } from '../../server/state/client-view.ts';
import { formatsOf } from '../../server/state/plan/plan.ts';
import type { Author } from '../../server/state/operations/protection.ts';
import { readFormats } from '../../server/state/cells/sheet-formats.ts';
import { admitUndo } from '../../server/state/undo/admit-undo.ts';
import { viewsOf } from './record-driver.ts';
import { drive, StateDriver } from './state-driver.ts';

interface SubmitOptions {
  readonly baseSeq?: number | undefined;
  readonly strict?: boolean;
  readonly author?: Author;
}

/** Runs a state and remembers it after each operation, so that any can be undone. */
export class UndoDriver extends StateDriver {
  readonly #states: BranchState[];

  constructor(formulas?: FormulaService) {
    super(formulas);
    this.#states = [this.state.fork()];
  }

  override submit(
    kind: string,
    payload: object,
    options: SubmitOptions = {},
  ): Admitted | Rejection {
    const result = super.submit(kind, payload, options);
    this.#remember();
    return result;
  }

  override take(state: BranchState): void {
    super.take(state);
    this.#remember();
  }

  at(seq: number): BranchState {
    const state = this.#states[seq];
    if (!state) throw new Error(`no state after ${seq}`);
    return state;
  }

  /** The latest operation when left out. */
  undo(of = this.state.head, options: { author?: Author } = {}): Admitted | Rejection {
    return this.takeBack({ kind: 'undo', payload: { of } }, [[of, of]], options);
  }

  revert(from: number, through: number): Admitted | Rejection {
    const operation = { kind: 'revert', payload: { of: { from, through } } } as const;
    return this.takeBack(operation, [[from, through]]);
  }

  /** Takes back stretches of operations, given from the first to the last. */
  takeBack(
    operation: UndoOperation,
    stretches: readonly (readonly [from: number, through: number])[],
    { author }: { author?: Author } = {},
  ): Admitted | Rejection {
    const spans = stretches
      .map(([from, through]) => ({ theirs: this.at(from - 1), base: this.at(through) }))
      .toReversed();
    const trial = this.state.fork();
    const view = new ClientView(this.state.structure);
    const options = { view, strict: undefined, undone: { spans }, ...(author && { author }) };
    const result = drive(admitUndo(trial, operation, options));
    if (result instanceof Rejection) return result;
    this.take(trial);
    this.admitted.push(result);
    return result;
  }

  #remember(): void {
    this.#states[this.state.head] = this.state.fork();
  }
}

const area = { row0: 0, column0: 0, row1: 29, column1: 15 };

/** All that a client can read of a state's first rows and columns. */
export function contentOf(state: BranchState): Record<string, unknown> {
  const { structure, looks, names, settings, tables, coding } = state;
  const { styles } = coding.dictionary;
  return {
    sheets: structure.sheets.map(({ id, name }) => [id, name, looks.properties.of(id)]),
    used: state.sheetSummaries().map(({ used }) => used),
    cells: structure.sheets.map((sheet) =>
      grid((row, column) => {
        const input = state.inputAt(sheet, row, column);
        const isArray = typeof input === 'object' && input !== null && 'array' in input;
        return isArray ? input : writeInput(input);
      }),
    ),
    formats: structure.sheets.map((sheet) => {
      const found = readFormats(formatsOf(state, sheet), area);
      return Array.from(found, (index) => shownStyle(styles.text(index)));
    }),
    rows: structure.sheets.map((sheet) => linesOf(state, sheet.id, 'row')),
    columns: structure.sheets.map((sheet) => linesOf(state, sheet.id, 'column')),
    order: structure.sheets.map(({ rows, columns }) => [
      rows.spansAt(0, area.row1 + 1),
      columns.spansAt(0, area.column1 + 1),
    ]),
    names: state.nameSummaries(),
    nameCount: names.size,
    settings: settings.all(),
    styles: [...looks.styles.entries()],
    tables: tables.summaries(structure),
    records: viewsOf(state).map(lostAlike),
  };
}

/** Removes the sheet's name from lost references, which only some stored forms keep. */
function lostAlike(view: unknown): unknown {
  return JSON.parse(JSON.stringify(view).replaceAll(/\w+!#REF!/gu, '#REF!'));
}

/**
 * Returns the style of a cell; one that overrides its row's style by Normal counts as unformatted.
 */
function shownStyle(text: string): string {
  return text === '{"named":"Normal"}' ? '' : text;
}

function grid<Cell>(read: (row: number, column: number) => Cell): Cell[][] {
  return Array.from({ length: area.row1 + 1 }, (_, row) =>
    Array.from({ length: area.column1 + 1 }, (__, column) => read(row, column)),
  );
}

function linesOf({ structure, looks }: BranchState, sheetId: string, axis: 'row' | 'column') {
  const sheet = structure.withId(sheetId);
  const order = axis === 'row' ? sheet?.rows : sheet?.columns;
  const lines = looks.lines.of(sheetId, axis);
  return [...lines.stretches(order?.spansAt(0, 60) ?? [])].flatMap(({ value, length }) =>
    Array.from({ length }, () => value),
  );
}

/** The first thing that two contents have different. */
export function contentDifference(
  a: Record<string, unknown>,
  b: Record<string, unknown>,
): string | undefined {
  for (const key of Object.keys(a)) {
    const path = difference(a[key], b[key], key);
    if (path !== undefined) return path;
  }
  return undefined;
}

function difference(a: unknown, b: unknown, path: string): string | undefined {
  if (JSON.stringify(a) === JSON.stringify(b)) return undefined;
  const areLists = Array.isArray(a) && Array.isArray(b) && a.length === b.length;
  if (!areLists) return `${path}: ${JSON.stringify(a)} and ${JSON.stringify(b)}`;
  for (const [index, member] of a.entries()) {
    const found = difference(member, b[index], `${path}.${index}`);
    if (found !== undefined) return found;
  }
  return path;
}
