import { useEffect, useRef, useState } from 'preact/hooks';

import { isCommandKey } from '../shell/letter-key.ts';
import { ConflictCard, type SideNames } from './conflict-card.tsx';
import { fits, sheetOf, type Conflict, type ConflictFilter, type ConflictPage } from './review.ts';
import type { PlaceLabels } from './place-labels.ts';
import { kindText } from './words.ts';

/** Sends a decision to a route of the merge, and loads the merge anew. */
export type Deciding = (route: 'resolve' | 'approve' | 'units', body: unknown) => void;

interface ConflictParts {
  readonly page: ConflictPage;
  readonly names: SideNames;
  readonly labels: PlaceLabels;
  readonly decide: Deciding;
}

const keySteps: Readonly<Record<string, number>> = { j: 1, k: -1 };
const keyChoices: Readonly<Record<string, string>> = { o: 'ours', t: 'theirs', b: 'base' };
/** With Shift a choice is for all that are open and fit the filter. */
const bulkKeys: Readonly<Record<string, string>> = { O: 'ours', T: 'theirs', B: 'base' };

/** The conflicts of a merge, settled one by one or as many as a filter picks. */
export function Conflicts({ page, names, labels, decide }: ConflictParts) {
  const { open, total } = page;
  const [current, setCurrent] = useState(0);
  const [filter, setFilter] = useState<ConflictFilter>({});
  const [taken, setTaken] = useState<ConflictFilter>();
  const choose = ({ id }: Conflict, choice: string | null, input?: unknown) => {
    const resolution = { id, choice, ...(input !== undefined && { input }) };
    decide('resolve', { resolutions: [resolution] });
  };
  const bulk = (choice: string | null, where: ConflictFilter) => {
    setTaken(choice === null ? undefined : where);
    const status = choice === null ? 'resolved' : 'open';
    decide('resolve', { bulk: [{ where: { status, ...where }, choice }] });
  };
  const conflicts = page.conflicts.filter((one) => fits(one, filter));
  const hasBase = conflicts.some(({ choices }) => choices.includes('base'));
  useKeys((key) => {
    const step = keySteps[key] ?? 0;
    setCurrent((at) => Math.max(0, Math.min(conflicts.length - 1, at + step)));
    const [conflict, pick, all] = [conflicts[current], keyChoices[key], bulkKeys[key]];
    if (conflict && pick !== undefined && conflict.choices.includes(pick)) choose(conflict, pick);
    if (key === 'u' && taken) bulk(null, taken);
    if (all !== undefined && open > 0 && (all !== 'base' || hasBase)) bulk(all, filter);
  });
  useSight(current);
  return (
    <section aria-labelledby="conflicts">
      <h2 id="conflicts">Conflicts</h2>
      <Standing page={page} names={names} hasBase={hasBase} />
      {total > 1 && (open > 0 || Object.keys(filter).length > 0) && (
        <Bulk
          filter={filter}
          onFilter={(next) => {
            setFilter(next);
            setCurrent(0);
          }}
          page={page}
          names={names}
          onTake={(choice) => bulk(choice, filter)}
        />
      )}
      {taken && (
        <p class="actions">
          <button type="button" class="second" onClick={() => bulk(null, taken)}>
            Take these choices back <kbd>U</kbd>
          </button>
        </p>
      )}
      {conflicts.map((conflict, index) => (
        <ConflictCard
          key={conflict.id}
          conflict={conflict}
          label={labels.get(conflict.id) ?? ''}
          names={names}
          isCurrent={index === current}
          choosing={{
            onChoose: (choice, input) => choose(conflict, choice, input),
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

/** The conflicts of a merge that is over, as they were settled. */
export function SettledConflicts({ page, names, labels }: Omit<ConflictParts, 'decide'>) {
  const { conflicts, total } = page;
  return (
    <section aria-labelledby="conflicts">
      <h2 id="conflicts">Conflicts</h2>
      {conflicts.map((conflict) => (
        <ConflictCard
          key={conflict.id}
          conflict={conflict}
          label={labels.get(conflict.id) ?? ''}
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

/** Keeps the current conflict in view. */
function useSight(current: number): void {
  useEffect(() => {
    document.querySelector('.conflict.current')?.scrollIntoView({ block: 'nearest' });
  }, [current]);
}

/** Hears the letters that are typed into no field. */
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

/** Says how many are open, and which keys there are. */
function Standing({ page: { open, total }, names, hasBase }: StandingParts) {
  return (
    <p role="status">
      {open} of {total} are open{open === 0 && ': all are settled'}. J and K go through them; O
      takes ours ({names.ours}), T theirs ({names.theirs}){hasBase && ', B the base'}, with Shift
      for all that are open; Y goes to the approval.
    </p>
  );
}

interface BulkParts {
  readonly page: ConflictPage;
  readonly names: SideNames;
  readonly filter: ConflictFilter;
  readonly onFilter: (filter: ConflictFilter) => void;
  readonly onTake: (choice: string) => void;
}

/** Picks conflicts by kind and by sheet, and says how many a choice is for before it is made. */
function Bulk({ page, names, filter, onFilter, onTake }: BulkParts) {
  const { conflicts, open, total } = page;
  const kinds = [...new Set(conflicts.map(({ kind }) => kind))];
  const sheets = [...new Set(conflicts.flatMap((one) => sheetOf(one) ?? []))];
  const fitting = conflicts.filter((one) => one.status === 'open' && fits(one, filter)).length;
  const isWhole = conflicts.length === total || Object.keys(filter).length === 0;
  const count = conflicts.length === total ? fitting : open;
  const which = [
    isWhole ? `${count.toLocaleString()} open` : 'all that are open',
    ...(filter.kind === undefined ? [] : [`where ${kindText(filter.kind)}`]),
    ...(filter.sheet === undefined ? [] : [`in ${filter.sheet}`]),
  ].join(' ');
  return (
    <p class="actions">
      <Pick
        label="Of the kind"
        of={kinds}
        textOf={kindText}
        value={filter.kind}
        onPick={(kind) => {
          const { kind: _former, ...rest } = filter;
          onFilter(kind === '' ? rest : { ...rest, kind });
        }}
      />
      <Pick
        label="in"
        of={sheets}
        textOf={(sheet) => sheet}
        value={filter.sheet}
        onPick={(sheet) => {
          const { sheet: _former, ...rest } = filter;
          onFilter(sheet === '' ? rest : { ...rest, sheet });
        }}
      />
      {(['ours', 'theirs'] as const).map((choice) => (
        <button
          key={choice}
          type="button"
          class="second"
          disabled={isWhole && count === 0}
          onClick={() => onTake(choice)}
        >
          Take {choice} ({names[choice]}) for {which}
        </button>
      ))}
    </p>
  );
}

interface PickParts {
  readonly label: string;
  readonly of: readonly string[];
  readonly textOf: (name: string) => string;
  readonly value: string | undefined;
  readonly onPick: (name: string) => void;
}

function Pick({ label, of, textOf, value, onPick }: PickParts) {
  if (of.length < 2) return null;
  return (
    <label>
      {label}
      <select value={value ?? ''} onChange={(event) => onPick(event.currentTarget.value)}>
        <option value="">any</option>
        {of.map((name) => (
          <option key={name} value={name}>
            {textOf(name)}
          </option>
        ))}
      </select>
    </label>
  );
}
