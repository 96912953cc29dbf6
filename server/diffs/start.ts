import type { Rights } from '../model/rights.ts';
import type { WorkbookRegistry } from '../workbooks/registry.ts';
import { ChangeFeed, type FeedParts } from './change-feed.ts';
import { Diffs, type DiffParts } from './diffs.ts';
import { Origins, unattributed, type OriginParts } from './origins.ts';
import { ValueDiffs, type ValueDiffParts } from './values.ts';

/** Operations that a page reads, about, to find the writers of its cells. */
const operationsMost = 10_000;

type Given = Pick<DiffParts, 'lineages' | 'diffPool'> & {
  readonly branches: FeedParts['branches'];
  readonly source: DiffParts['branches'];
} & ValueDiffParts &
  Pick<OriginParts, 'journal' | 'holdings' | 'names'> & {
    readonly registry: Pick<WorkbookRegistry, 'visible' | 'whenGone'>;
    readonly rights: Rights;
  };

/** Makes the services that the routes of this folder use. */
export function startDiffs(given: Given) {
  const { registry, rights } = given;
  const diffs = new Diffs({ ...given, branches: given.source, values: new ValueDiffs(given) });
  const origins = new Origins({ ...given, operationsMost });
  registry.whenGone((id) => diffs.forget(id));
  const feed = new ChangeFeed({ ...given, diffs });
  return { registry, rights, diffs, feed, origins, unattributed: unattributed(given.environment) };
}
