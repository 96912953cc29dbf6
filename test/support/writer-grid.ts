import { cellName } from '../../server/model/address.ts';
import type { Mutation } from '../../server/model/mutation.ts';
import type { Admitted } from '../../server/state/admission.ts';
import type { BranchState } from '../../server/state/branch-state.ts';
import { OperationParts, partRules, type OperationPart } from '../../server/state/merge/parts.ts';
import { drive } from './state-driver.ts';

type Grid = Map<number, Map<number, number>>;
type LineEdit = Extract<Mutation, { kind: 'insert' | 'delete' | 'move' }>;

/** Writers of cells by position, in a grid that moves with every edit and has no ids. */
export class WriterGrid {
  /** By sheet, row and column. */
  readonly #sheets = new Map<number, Grid>();

  apply(mutation: Mutation, writer: number): void {
    switch (mutation.kind) {
      case 'sheetAdd':
        this.#sheets.set(mutation.sheet, new Map());
        return;
      case 'sheetDelete':
        this.#sheets.delete(mutation.sheet);
        return;
      case 'insert':
      case 'delete':
      case 'move':
        this.#edit(mutation);
        return;
      case 'cell':
      case 'block':
      case 'column':
      case 'fill':
        this.#write(mutation, writer);
        return;
      default:
    }
  }

  writerAt(sheet: number, row: number, column: number): number | undefined {
    return this.#sheets.get(sheet)?.get(row)?.get(column);
  }

  /** Returns the writers on one sheet, by A1 address. */
  writers(sheet: number): Map<string, number> {
    const found = new Map<string, number>();
    for (const [row, columns] of this.#sheets.get(sheet) ?? []) {
      for (const [column, writer] of columns) found.set(cellName(row, column), writer);
    }
    return found;
  }

  #write(
    mutation: Extract<Mutation, { kind: 'cell' | 'block' | 'column' | 'fill' }>,
    writer: number,
  ): void {
    const { sheet, row, column } = mutation;
    for (const [rowAt, columnAt] of writtenIn(mutation)) {
      const grid = this.#gridOf(sheet);
      const line = grid.get(row + rowAt) ?? new Map<number, number>();
      grid.set(row + rowAt, line);
      line.set(column + columnAt, writer);
    }
  }

  #edit(edit: LineEdit): void {
    const grid: Grid = new Map();
    for (const [row, columns] of this.#gridOf(edit.sheet)) {
      for (const [column, writer] of columns) {
        const line = edit.axis === 'row' ? row : column;
        const now = lineAfter(line, edit);
        if (now === undefined) continue;
        const [rowNow, columnNow] = edit.axis === 'row' ? [now, column] : [row, now];
        const there = grid.get(rowNow) ?? new Map<number, number>();
        grid.set(rowNow, there);
        there.set(columnNow, writer);
      }
    }
    this.#sheets.set(edit.sheet, grid);
  }

  #gridOf(sheet: number): Grid {
    const grid = this.#sheets.get(sheet);
    if (!grid) throw new Error(`there is no sheet ${sheet}`);
    return grid;
  }
}

function lineAfter(line: number, edit: LineEdit): number | undefined {
  const { from, count } = edit;
  const end = from + count;
  if (edit.kind === 'insert') return line < from ? line : line + count;
  const closed = line >= end ? line - count : line;
  const isAmid = line >= from && line < end;
  if (!('before' in edit)) return isAmid ? undefined : closed;
  const target = edit.before > from ? edit.before - count : edit.before;
  if (isAmid) return line - from + target;
  return closed >= target ? closed + count : closed;
}

function* writtenIn(
  mutation: Extract<Mutation, { kind: 'cell' | 'block' | 'column' | 'fill' }>,
): Generator<[row: number, column: number]> {
  switch (mutation.kind) {
    case 'cell':
      yield [0, 0];
      return;
    case 'column':
      for (const row of mutation.inputs.keys()) yield [row, 0];
      return;
    case 'fill':
      for (let row = 0; row < mutation.rowCount; row++) {
        for (let column = 0; column < mutation.columnCount; column++) yield [row, column];
      }
      return;
    default:
      for (const [row, inputs] of mutation.inputs.entries()) yield* writtenInRow(row, inputs);
  }
}

function* writtenInRow(
  row: number,
  inputs: readonly unknown[],
): Generator<[row: number, column: number]> {
  for (const [column, input] of inputs.entries()) if (input !== undefined) yield [row, column];
}

/** Returns mutations without those that only relink formulas. */
export function writingMutations(before: BranchState, admitted: Admitted): readonly Mutation[] {
  const { payload, resolved, mutations } = admitted;
  const { ops = [] } = payload as { readonly ops?: readonly OperationPart[] };
  if (!ops.some(({ kind }) => kind.startsWith('restore.'))) return mutations;
  const state = before.fork();
  state.begin();
  const parts = new OperationParts(state);
  return ops.flatMap((part, at) => {
    const from = parts.mutations.length;
    drive(parts.add(part, partRules(resolved.parts?.[at])));
    const made = parts.mutations.slice(from);
    return part.kind.startsWith('restore.') ? made.filter((one) => !writesCells(one)) : made;
  });
}

function writesCells({ kind }: Mutation): boolean {
  return ['cell', 'block', 'column', 'fill'].includes(kind);
}
