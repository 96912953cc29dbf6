import type { Service } from '../service.ts';
import { tryOnBranch } from '../trial-branch.ts';
import { loadState, type SheetOutline } from './sheet-loading.ts';

/** Things that are lost with a sheet, and those elsewhere that depend on it. */
export interface SheetLoss {
  readonly tables: readonly string[];
  /** Defined names that would name nothing. */
  readonly names: readonly string[];
  /** First formulas elsewhere that would be errors: `Budget!B2`. */
  readonly broken: readonly string[];
  readonly brokenCount: number;
  /** Reason why formulas could not be checked; undefined if they were. */
  readonly untold: string | undefined;
}

type Told =
  | {
      readonly errors: readonly { readonly sheet: string; readonly a1: string }[];
      readonly errorTotal: number;
    }
  | { readonly unavailable: { readonly detail: string } };

const lost = '#REF!';

/** Deletes a sheet on a trial branch, and returns the consequences. */
export function loadLoss(
  service: Service,
  { workbookId, branch }: { readonly workbookId: string; readonly branch: string },
  sheet: SheetOutline,
): Promise<SheetLoss> {
  return tryOnBranch(service, { book: workbookId, from: branch }, async (trial) => {
    const before = await loadState(service, { workbookId, branch: trial });
    const path = `/v1/workbooks/${workbookId}/branches/${trial}/ops`;
    const ops = [{ kind: 'sheet.delete', payload: { sheet: sheet.id } }];
    const body = { writer: 'preview', return: { changes: 1 }, ops };
    const { changes } = await service.ask<{ readonly changes: Told }>(path, { body });
    const after = await loadState(service, { workbookId, branch: trial });
    const tables = new Set(after.tables.map(({ name }) => name));
    const known = new Map(before.names.map(({ name, formula }) => [name, formula]));
    return {
      tables: before.tables.flatMap(({ name }) => (tables.has(name) ? [] : [name])),
      names: after.names.flatMap(({ name, formula }) =>
        formula.includes(lost) && known.get(name) !== formula ? [name] : [],
      ),
      ...toldOf(changes),
    };
  });
}

function toldOf(changes: Told): Pick<SheetLoss, 'broken' | 'brokenCount' | 'untold'> {
  if ('unavailable' in changes) {
    return { broken: [], brokenCount: 0, untold: changes.unavailable.detail };
  }
  const broken = changes.errors.map(({ sheet, a1 }) => `${sheet}!${a1}`);
  return { broken, brokenCount: changes.errorTotal, untold: undefined };
}
