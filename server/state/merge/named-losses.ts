import { recordTypes } from '../../model/record.ts';
import type { BranchState } from '../branch-state.ts';
import { cellTag } from '../cells/block.ts';
import { sameCell, unequalPlaces, type StatedCell } from '../compare/same-lanes.ts';
import { areasOf, saysStill } from '../compare/record-faces.ts';
import { formulasOf } from '../records/record-formulas.ts';
import { recordKey, type StoredRecord } from '../records/stored-record.ts';
import { isSameName } from '../references/names.ts';
import { restoredFormula, restoreFormulas } from './lost-cells.ts';
import { restoreName, textOf } from './names.ts';
import type { OperationParts } from './parts.ts';
import { restoredRecord } from './relocation.ts';
import type { RestoredFormula } from './restoration.ts';

/**
 * Gives formulas of a side back the ids of what it deleted. Where cells are moved, formulas are
 * written anew, and what is deleted by then becomes `#REF!` for good. A formula that says the same
 * as that of the base, but for this, is that of the base: so it names again what the merge keeps.
 */
export function* nameLost(common: BranchState, parts: OperationParts): Generator<void, void> {
  for (const { id } of common.structure.sheets) {
    yield* restoreFormulas({ parts }, id, [...lostFormulas(common, parts.state, id)]);
    yield;
  }
  yield* nameLostNames(common, parts);
  yield* nameLostRecords(common, parts);
}

function* lostFormulas(
  common: BranchState,
  side: BranchState,
  sheetId: string,
): Generator<RestoredFormula> {
  for (const { place, from, to } of unequalPlaces(common, side, sheetId)) {
    if (!hasLost(to) || from.cell.tag !== cellTag.formula || hasLost(from)) continue;
    if (sameCell(from, to, place)) yield restoredFormula(common, from.cell.number, place);
  }
}

/** Returns whether a cell holds a formula with `#REF!` in its text, as it is stored. */
function hasLost({ cell, state }: StatedCell): boolean {
  const { tag, number } = cell;
  return tag === cellTag.formula && state.coding.dictionary.formula(number).r1c1.includes('#REF!');
}

function* nameLostNames(common: BranchState, parts: OperationParts): Generator<void, void> {
  const side = parts.state;
  const { formulas } = common.coding;
  for (const was of common.names.list()) {
    const now = side.names.get(was.name, was.scopeId);
    const isLost = now?.formula.includes('#REF!') === true && !was.formula.includes('#REF!');
    if (!isLost || isSameName(was, now, formulas)) continue;
    if (textOf(was, common, side) === textOf(now, side, side)) yield* restoreName({ parts }, was);
  }
}

function* nameLostRecords(common: BranchState, parts: OperationParts): Generator<void, void> {
  const side = parts.state;
  for (const sheet of side.structure.sheets) {
    const put = recordTypes
      .flatMap((type) => common.records.on(type, sheet))
      .flatMap((was) => {
        const now = side.records.get(recordKey(was));
        const isLost = now && isMute(now) && !isMute(was) && areasOf(was) === areasOf(now);
        const isSame = isLost && saysStill(was, now, { from: common, to: side });
        return isSame ? restoredRecord(was, common) : [];
      });
    if (put.length === 0) continue;
    yield* parts.add({ kind: 'restore.records', payload: { sheet: sheet.id, put, delete: [] } });
  }
}

function isMute({ value }: StoredRecord): boolean {
  return formulasOf(value).some((text) => text.includes('#REF!'));
}
