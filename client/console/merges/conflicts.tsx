import { useEffect, useRef, useState } from 'preact/hooks';

import { useShell } from '../shell/context.ts';
import { isCommandKey } from '../shell/letter-key.ts';
import { enteredInput } from '../store/entered-input.ts';
import { ConflictCard, type SideNames } from './conflict-card.tsx';
import { BulkBar } from './bulk-bar.tsx';
import type { PlaceLabels } from './place-labels.ts';
import type { Results } from './results.ts';
import {
  fits,
  holdsInputs,
  type Conflict,
  type ConflictFilter,
  type ConflictPage,
  type Unit,
} from './review.ts';
import type { RowSource } from './row-around.tsx';

/** Sends a decision to a route of the merge, and loads the merge again. */
export type Deciding = (
  route: 'resolve' | 'approve' | 'units',
  body: object | Promise<object>,
) => void;

interface ConflictParts {
  readonly page: ConflictPage;
  readonly names: SideNames;
  readonly labels: PlaceLabels;
  /** Texts of cells in the merge so far. */
  readonly results: Results;
  /** Source of the rows of conflicts. */
  readonly rows: RowSource;
  readonly units: readonly Unit[];
  readonly decide: Deciding;
}

const keySteps: Readonly<Record<string, number>> = { j: 1, k: -1 };
const keyChoices: Readonly<Record<string, string>> = { o: 'ours', t: 'theirs', b: 'base' };
/** Choices of keys with Shift, for all open conflicts that the filter selects. */
const bulkKeys: Readonly<Record<string, string>> = { O: 'ours', T: 'theirs', B: 'base' };

/** Conflicts of a merge, settled one by one or by a filter. */
export function Conflicts({ page, names, decide, ...shown }: ConflictParts) {
  const { open, total } = page;
  const [current, setCurrent] = useState(0);
  const [filter, setFilter] = useState<ConflictFilter>({});
  const [taken, setTaken] = useState<ConflictFilter>();
  const ownDecision = useOwnDecision(shown.rows);
  const choose = ({ id }: Conflict, choice: string | null) => {
    decide('resolve', { resolutions: [{ id, choice }] });
  };
  const bulk = (choice: string | null, where: ConflictFilter) => {
    setTaken(choice === null ? undefined : where);
    const status = choice === null ? 'resolved' : 'open';
    decide('resolve', { bulk: [{ where: { status, ...where }, choice }] });
  };
  const takeBack = () => taken && bulk(null, taken);
  const conflicts = page.conflicts.filter((one) => fits(one, filter));
  const hasBase = conflicts.some(({ choices }) => choices.includes('base'));
  useKeys((key) => {
    const step = keySteps[key] ?? 0;
    setCurrent((at) => Math.max(0, Math.min(conflicts.length - 1, at + step)));
    const [conflict, pick, all] = [conflicts[current], keyChoices[key], bulkKeys[key]];
    if (conflict && pick !== undefined && conflict.choices.includes(pick)) choose(conflict, pick);
    if (key === 'u') takeBack();
    if (all !== undefined && open > 0 && (all !== 'base' || hasBase)) bulk(all, filter);
  });
  useSight(current);
  return (
    <section aria-labelledby="conflicts">
      <h2 id="conflicts">Conflicts</h2>
      <Standing page={page} names={names} hasBase={hasBase} />
      {total > 1 && (open > 0 || Object.keys(filter).length > 0) && (
        <BulkBar
          filter={filter}
          units={shown.units}
          onFilter={(next) => {
            setFilter(next);
            setCurrent(0);
          }}
          page={page}
          names={names}
          onTake={(choice) => bulk(choice, filter)}
        />
      )}
      {taken && <TakeBack onTake={takeBack} />}
      {conflicts.map((conflict, index) => (
        <ConflictCard
          key={conflict.id}
          conflict={conflict}
          label={shown.labels.get(conflict.id) ?? ''}
          result={shown.results.get(conflict.id)}
          rows={index === current ? shown.rows : undefined}
          names={names}
          isCurrent={index === current}
          choosing={{
            onChoose: (choice) => choose(conflict, choice),
            onOwn: (typed) => decide('resolve', ownDecision(conflict, typed)),
            onAllAlike: (choice) => bulk(choice, { kind: conflict.kind }),
          }}
        />
      ))}
      {page.conflicts.length < total && (
        <p class="quiet">
          The first {page.conflicts.length} are listed; a choice in bulk is for all of them.
        </p>
      )}
    </section>
  );
}

/** Returns a function that makes a decision of a typed value, which a cell reads as typed input. */
function useOwnDecision({ book, merge }: RowSource) {
  const { service } = useShell();
  return async ({ id, kind }: Conflict, typed: string) => {
    const at = { workbookId: book, ref: `merge:${merge}` };
    const input = holdsInputs(kind) ? await enteredInput(service, at, typed) : typed;
    return { resolutions: [{ id, choice: 'custom', input }] };
  };
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

/** Conflicts of a closed merge, with their choices. */
export function SettledConflicts({
  page,
  names,
  labels,
}: Pick<ConflictParts, 'page' | 'names' | 'labels'>) {
  const { conflicts, total } = page;
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
          names={names}
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

/** Listens for letters outside of fields. */
function useKeys(take: (key: string) => void): void {
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isCommandKey(event)) latest.current(event.key);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

interface StandingParts extends Pick<ConflictParts, 'page' | 'names'> {
  readonly hasBase: boolean;
}

/** Shows the number of open conflicts, and the keys. */
function Standing({ page: { open, total }, names, hasBase }: StandingParts) {
  return (
    <p role="status">
      {open} of {total} are open{open === 0 && ': all are settled'}. J and K go through them; O
      takes ours ({names.ours}), T theirs ({names.theirs}){hasBase && ', B the base'}, with Shift
      for all that are open; Y goes to the approval.
    </p>
  );
}
