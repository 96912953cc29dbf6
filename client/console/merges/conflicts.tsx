import { useEffect, useState } from 'preact/hooks';

import { useShell } from '../shell/context.ts';
import { useCommandKeys } from '../shell/letter-key.ts';
import { ConflictCard, type SideNames } from './conflict-card.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { usePlaceLabels, useResults, type ShownMerge } from './conflict-texts.ts';
import { loadChosen, useFilterable, useListed } from './listed-conflicts.ts';
import type { OwnInput } from './own-input.ts';
import {
  holdsInputs,
  type Conflict,
  type ConflictFilter,
  type ConflictPage,
  type MergeView,
  type Resolution,
} from './review.ts';

/** Sends a decision to a route of the merge, and loads the merge again. */
export type Deciding = (
  route: 'resolve' | 'approve' | 'units' | 'abort',
  body: object | Promise<object>,
) => void;

interface ConflictParts extends ShownMerge {
  readonly page: ConflictPage;
  readonly ownInput: OwnInput;
  readonly decide: Deciding;
}

/** Conflicts that are listed at first, and with each wish for more. */
const listedAtOnce = 200;
const listedMost = 1_000;
const keySteps: Readonly<Record<string, number>> = { j: 1, k: -1 };
const keyChoices: Readonly<Record<string, string>> = { o: 'ours', t: 'theirs', b: 'base' };
/** Choices of keys with Shift, for all open conflicts that the filter selects. */
const bulkKeys: Readonly<Record<string, string>> = { O: 'ours', T: 'theirs', B: 'base' };

/** A choice in bulk, and the choices that were there before. */
interface Taken {
  readonly where: ConflictFilter;
  readonly before: readonly Conflict[];
}

/** Conflicts of a merge, settled one by one or by a filter. */
export function Conflicts({ page, decide, ownInput, ...merge }: ConflictParts) {
  const { book, view } = merge;
  const path = `/v1/workbooks/${book}/merges/${view.id}`;
  const [current, setCurrent] = useState(0);
  const [filter, setFilter] = useState<ConflictFilter>({});
  const [limit, setLimit] = useState(listedAtOnce);
  const { bulk, takeBack, taken } = useBulk(path, page, decide);
  const listed = useListed({ path, filter, limit }, page);
  const filterable = useFilterable(path, page);
  const conflicts = listed?.conflicts ?? [];
  const hasBase = conflicts.some(({ choices }) => choices.includes('base'));
  useCommandKeys((key) => {
    const step = keySteps[key] ?? 0;
    setCurrent((at) => Math.max(0, Math.min(conflicts.length - 1, at + step)));
    const [conflict, pick, all] = [conflicts[current], keyChoices[key], bulkKeys[key]];
    if (conflict && pick !== undefined && conflict.choices.includes(pick)) {
      decide('resolve', { resolutions: [{ id: conflict.id, choice: pick }] });
    }
    if (key === 'u') takeBack();
    const isAny = listed?.open !== undefined && listed.open > 0;
    if (all !== undefined && isAny && (all !== 'base' || hasBase)) bulk(all, filter);
  });
  useSight(current);
  const names = namesOf(view);
  return (
    <section aria-labelledby="conflicts">
      <h2 id="conflicts">Conflicts</h2>
      <Standing page={page} names={names} hasBase={hasBase} />
      {page.total > 1 && (page.open > 0 || Object.keys(filter).length > 0) && (
        <BulkBar
          {...{ filter, names, filterable, hasBase }}
          units={view.units ?? []}
          open={listed?.open}
          onFilter={(next) => {
            setFilter(next);
            setCurrent(0);
            setLimit(listedAtOnce);
          }}
          onTake={(choice) => bulk(choice, filter)}
        />
      )}
      {taken && <TakeBack onTake={takeBack} />}
      <Cards
        {...{ ...merge, conflicts, current, decide, ownInput }}
        onCurrent={setCurrent}
        onAllAlike={(kind, choice) => bulk(choice, { kind })}
      />
      {listed && conflicts.length < listed.total && (
        <Further
          shown={conflicts.length}
          total={listed.total}
          onMore={() => setLimit(limit + listedAtOnce)}
        />
      )}
    </section>
  );
}

function namesOf({ source, target }: MergeView): SideNames {
  return { ours: target.branch, theirs: source.branch };
}

interface CardsParts extends Omit<ConflictParts, 'page'> {
  readonly conflicts: readonly Conflict[];
  /** Index of the current one. */
  readonly current: number;
  readonly onCurrent: (index: number) => void;
  readonly onAllAlike: (kind: string, choice: string) => void;
}

function Cards({ conflicts, current, decide, ownInput, ...parts }: CardsParts) {
  const { book, view, onCurrent, onAllAlike } = parts;
  const labels = usePlaceLabels(parts, conflicts);
  const results = useResults(parts, conflicts);
  const settle = (resolution: object) => decide('resolve', { resolutions: [resolution] });
  const rows = { book, merge: view.id, digest: view.digest ?? '' };
  return (
    <>
      {conflicts.map((conflict, index) => {
        const { id, kind } = conflict;
        return (
          <ConflictCard
            key={id}
            conflict={conflict}
            label={labels.get(id) ?? ''}
            result={results.get(id)}
            rows={index === current ? rows : undefined}
            names={namesOf(view)}
            isCurrent={index === current}
            onCurrent={() => onCurrent(index)}
            choosing={{
              onChoose: (choice) => settle({ id, choice }),
              onOwn: (typed) =>
                decide('resolve', ownInput({ id, isCell: holdsInputs(kind) }, typed)),
              onRekey: (side, newKey) => settle({ id, choice: 'rekey', side, newKey }),
              onAllAlike: (choice) => onAllAlike(kind, choice),
            }}
          />
        );
      })}
    </>
  );
}

/** Makes choices for all that a filter selects, and takes the last of them back. */
function useBulk(path: string, { open, total }: ConflictPage, decide: Deciding) {
  const { service } = useShell();
  const [taken, setTaken] = useState<Taken>();
  const bulk = (choice: string, where: ConflictFilter) => {
    const make = async () => {
      const before = open < total ? await loadChosen(service, { path, filter: where }) : [];
      setTaken({ where, before });
      return { bulk: [{ where: { ...where, status: 'open' }, choice }] };
    };
    decide('resolve', make());
  };
  const takeBack = () => {
    if (!taken) return;
    setTaken(undefined);
    const resolutions = taken.before.flatMap(({ id, resolution }) =>
      resolution ? [{ id, ...madeAgain(resolution) }] : [],
    );
    const where = { ...taken.where, status: 'resolved' };
    decide('resolve', { bulk: [{ where, choice: null }], resolutions });
  };
  return { bulk, takeBack, taken };
}

/** Returns the members of a choice that a decision has. */
function madeAgain({ choice, input, prefer, side, newKey }: Resolution) {
  return {
    choice,
    ...(input !== undefined && { input }),
    ...(prefer !== undefined && { prefer }),
    ...(side !== undefined && { side, newKey }),
  };
}

/** Says how many conflicts are not listed, and lists more of them. */
function Further({ shown, total, onMore }: { shown: number; total: number; onMore: () => void }) {
  if (shown >= listedMost) {
    return (
      <p class="quiet">The first {shown.toLocaleString()} are listed: pick some by the filter.</p>
    );
  }
  return (
    <p class="actions">
      <button type="button" class="second" onClick={onMore}>
        List more of them
      </button>
      <span class="quiet">
        {shown.toLocaleString()} of {total.toLocaleString()} are listed; a choice in bulk is for
        all.
      </span>
    </p>
  );
}

function TakeBack({ onTake }: { onTake: () => void }) {
  return (
    <p class="actions">
      <button type="button" class="second" onClick={onTake}>
        Take these choices back <kbd>U</kbd>
      </button>
    </p>
  );
}

/** Conflicts of a closed merge with their choices, or of one that somebody may only read. */
export function SettledConflicts({ page, ...merge }: ShownMerge & Pick<ConflictParts, 'page'>) {
  const { conflicts, total } = page;
  const labels = usePlaceLabels(merge, conflicts);
  return (
    <section aria-labelledby="conflicts">
      <h2 id="conflicts">Conflicts</h2>
      {conflicts.map((conflict) => (
        <ConflictCard
          key={conflict.id}
          conflict={conflict}
          label={labels.get(conflict.id) ?? ''}
          result={undefined}
          rows={undefined}
          names={namesOf(merge.view)}
          isCurrent={false}
          choosing={undefined}
        />
      ))}
      {conflicts.length < total && (
        <p class="quiet">
          These are the first {conflicts.length} of {total}.
        </p>
      )}
    </section>
  );
}

/** Scrolls to the current conflict. */
function useSight(current: number): void {
  useEffect(() => {
    document.querySelector('.conflict.current')?.scrollIntoView({ block: 'nearest' });
  }, [current]);
}

interface StandingParts extends Pick<ConflictParts, 'page'> {
  readonly names: SideNames;
  readonly hasBase: boolean;
}

/** Shows the number of open conflicts, and the keys. */
function Standing({ page: { open, total }, names, hasBase }: StandingParts) {
  return (
    <p role="status">
      {open} of {total} {open === 1 ? 'is' : 'are'} open{open === 0 && ': all are settled'}. J and K
      go through them; O takes ours ({names.ours}), T theirs ({names.theirs})
      {hasBase && ', B the base'}, with Shift for all that are open; Y goes to the approval.
    </p>
  );
}
