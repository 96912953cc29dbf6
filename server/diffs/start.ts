import type { WorkbookRegistry } from '../workbooks/registry.ts';
import { Diffs, type DiffParts } from './diffs.ts';
import { Origins, unattributed, type OriginParts } from './origins.ts';
import { ValueDiffs, type ValueDiffParts } from './values.ts';

/** Operations that a page looks at for who wrote its cells. */
const operationsMost = 10_000;

type Given = Pick<DiffParts, 'branches' | 'lineages'> &
  ValueDiffParts &
  Pick<OriginParts, 'journal'> & {
    readonly registry: Pick<WorkbookRegistry, 'visible' | 'whenGone'>;
  };

/** What the routes of this folder serve from. */
export function startDiffs(given: Given) {
  const { registry } = given;
  const diffs = new Diffs({ ...given, values: new ValueDiffs(given) });
  const origins = new Origins({ ...given, operationsMost });
  registry.whenGone((id) => diffs.forget(id));
  return { registry, diffs, origins, unattributed: unattributed(given.environment) };
}
