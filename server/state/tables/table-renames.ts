import { Rejection } from '../../model/rejection.ts';
import { sameName, type NamePlace } from '../formulas/formula-names.ts';
import type { FormulaHome, NameChange } from '../references/formula-renames.ts';
import type { PlanContext } from '../plan/plan.ts';
import type { StoredTable } from '../structure/tables.ts';

/** The change of a table's name. */
export function tableChange(table: StoredTable, to: string, { names }: PlanContext): NameChange {
  const isNamed = ({ kind, name }: NamePlace) =>
    (kind === 'word' || kind === 'table') && sameName(name, table.name);
  // A sheet may have a name like that, which is what a word alone means there.
  const isHidden = (name: string, { kind }: NamePlace, { sheetId }: FormulaHome) =>
    kind === 'word' && sheetId !== undefined && names.get(name, sheetId) !== undefined;
  return {
    to,
    table,
    anywhere: (place) => (isNamed(place) ? to : undefined),
    renamingAt: (home) => (place) => {
      if (!isNamed(place) || isHidden(table.name, place, home)) return undefined;
      if (!isHidden(to, place, home)) return to;
      throw new Rejection('name_taken', `formulas name ${table.name} where ${to} is another name`);
    },
  };
}

/** The change of a column's name, by the one that it had. */
export function columnChange(table: StoredTable, column: string, to: string): NameChange {
  const isNamed = ({ kind, name }: NamePlace) => kind === 'column' && sameName(name, column);
  const isMeant = (place: NamePlace, isInside: boolean) =>
    place.table === undefined ? isInside : sameName(place.table, table.name);
  return {
    to,
    table,
    anywhere: (place) => (isNamed(place) && isMeant(place, true) ? to : undefined),
    renamingAt:
      ({ tableId }) =>
      (place) =>
        isNamed(place) && isMeant(place, tableId === table.id) ? to : undefined,
  };
}
