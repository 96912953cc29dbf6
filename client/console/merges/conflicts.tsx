import { useEffect, useState } from 'preact/hooks';

import { isCommandKey } from '../shell/letter-key.ts';
import { ConflictCard, type SideNames } from './conflict-card.tsx';
import type { Conflict, ConflictPage } from './review.ts';
import { kindText } from './words.ts';

/** Sends a decision to a route of the merge, and loads the merge anew. */
export type Deciding = (route: 'resolve' | 'approve' | 'units', body: unknown) => void;

interface ConflictParts {
  readonly page: ConflictPage;
  readonly names: SideNames;
  readonly decide: Deciding;
}

const keySteps: Readonly<Record<string, number>> = { j: 1, k: -1 };
const keyChoices: Readonly<Record<string, string>> = { o: 'ours', t: 'theirs', b: 'base' };
/** With Shift a choice is for all that are open and fit the filter. */
const bulkKeys: Readonly<Record<string, string>> = { O: 'ours', T: 'theirs', B: 'base' };

/** The conflicts of a merge, settled one by one or as many as a filter picks. */
export function Conflicts({ page, names, decide }: ConflictParts) {
  const { conflicts, open, total } = page;
  const [current, setCurrent] = useState(0);
  const [kind, setKind] = useState('');
  const [taken, setTaken] = useState<Readonly<Record<string, string>>>();
  const choose = ({ id }: Conflict, choice: string | null, input?: string) => {
    const resolution = { id, choice, ...(input !== undefined && { input }) };
    decide('resolve', { resolutions: [resolution] });
  };
  const bulk = (choice: string | null, where: Readonly<Record<string, string>>) => {
    setTaken(choice === null ? undefined : where);
    const status = choice === null ? 'resolved' : 'open';
    decide('resolve', { bulk: [{ where: { status, ...where }, choice }] });
  };
  const filter: Readonly<Record<string, string>> = kind === '' ? {} : { kind };
  const hasBase = conflicts.some(({ choices }) => choices.includes('base'));
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!isCommandKey(event)) return;
      const step = keySteps[event.key] ?? 0;
      setCurrent((at) => Math.max(0, Math.min(conflicts.length - 1, at + step)));
      const [conflict, pick] = [conflicts[current], keyChoices[event.key]];
      if (conflict && pick !== undefined && conflict.choices.includes(pick)) choose(conflict, pick);
      if (event.key === 'u' && taken) bulk(null, taken);
      const all = bulkKeys[event.key];
      if (all !== undefined && open > 0 && (all !== 'base' || hasBase)) bulk(all, filter);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [conflicts, current, kind, taken, open]);
  useEffect(() => {
    document.querySelector('.conflict.current')?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  return (
    <section aria-labelledby="conflicts">
      <h2 id="conflicts">Conflicts</h2>
      <Standing page={page} names={names} hasBase={hasBase} />
      {open > 0 && total > 1 && (
        <Bulk
          kind={kind}
          onKind={setKind}
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
          names={names}
          isCurrent={index === current}
          onChoose={(choice, input) => choose(conflict, choice, input)}
          onAllAlike={(choice) => bulk(choice, { kind: conflict.kind })}
        />
      ))}
      {conflicts.length < total && (
        <p class="quiet">The first {conflicts.length} are shown; a filter settles all of them.</p>
      )}
    </section>
  );
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
  readonly kind: string;
  readonly onKind: (kind: string) => void;
  readonly onTake: (choice: string) => void;
}

/** Names what a choice in bulk is for before it is made. */
function Bulk({ page: { conflicts, open }, names, kind, onKind, onTake }: BulkParts) {
  const known = [...new Set(conflicts.map((conflict) => conflict.kind))];
  const count = open === 1 ? 'the one' : `all ${open.toLocaleString()}`;
  const which = kind === '' ? `${count} open` : `all open where ${kindText(kind)}`;
  return (
    <p class="actions">
      <label>
        Of the kind
        <select value={kind} onChange={(event) => onKind(event.currentTarget.value)}>
          <option value="">any</option>
          {known.map((name) => (
            <option key={name} value={name}>
              {kindText(name)}
            </option>
          ))}
        </select>
      </label>
      {(['ours', 'theirs'] as const).map((choice) => (
        <button key={choice} type="button" class="second" onClick={() => onTake(choice)}>
          Take {choice} ({names[choice]}) for {which}
        </button>
      ))}
    </p>
  );
}
