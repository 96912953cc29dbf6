import { foldName } from '../../model/names.ts';
import type { Payload } from '../../model/operation.ts';
import { Rejection } from '../../model/rejection.ts';
import { definedChange } from '../references/defined-renames.ts';
import { renameInFormulas } from '../references/formula-renames.ts';
import type { DefinedName } from '../references/names.ts';
import {
  checkDefinedName,
  isRespelled,
  knownName,
  planned,
  scopeOf,
} from '../operations/plan-sheets.ts';
import type { PlanContext, Planning } from '../plan/plan.ts';
import type { NameRename } from '../structure/structure.ts';
import { TableDraft } from './table-draft.ts';
import type { TablePlan } from '../plan/table-plan.ts';

/** Renames a defined name, and replaces it in all formulas. */
export function* planNameRename(payload: Payload<'name.rename'>, context: PlanContext): Planning {
  const { from, to } = payload;
  const scope = scopeOf(payload, context);
  checkDefinedName(to, scope, context);
  const known = knownName(from, scope, context);
  if (foldName(to) !== foldName(from) && context.names.get(to, scope?.head.id)) {
    throw new Rejection('name_taken', `there is a name ${to} already`);
  }
  const rename = { name: known.name, scopeId: scope?.head.id, to };
  const { names, ...formulas } = yield* renamedFormulas(rename, context);
  // A LAMBDA may call itself by its name.
  const { formula } = names.find((name) => isSame(name, known)) ?? known;
  const plan = {
    type: 'nameRename',
    rename,
    scope: scope?.head,
    renamed: { ...known, name: to, formula },
    formulas: { ...formulas, names: names.filter((name) => !isSame(name, known)) },
  } as const;
  const rebased = isRespelled(payload, scope);
  const moved = rebased && scope ? { ...payload, scope: scope.head.id } : payload;
  const operation = { kind: 'name.rename', payload: moved } as const;
  return planned(plan, operation, { sheetId: scope?.head.id, rebased });
}

function* renamedFormulas(rename: NameRename, context: PlanContext): Generator<void, TablePlan> {
  const draft = new TableDraft(context);
  if (rename.to !== rename.name) {
    yield* renameInFormulas(draft, definedChange(rename, context), context);
  }
  return draft.finish({ sheet: undefined, ranges: [], names: [] });
}

function isSame(a: DefinedName, b: DefinedName): boolean {
  return a.scopeId === b.scopeId && foldName(a.name) === foldName(b.name);
}
