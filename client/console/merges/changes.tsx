import { parsePosition, positionText } from '../address.ts';
import { entriesOf, type DiffEntry, type DiffPage } from '../diff/diff-page.ts';
import { countedWords } from '../diff/counts.ts';
import { EntryTable } from '../diff/entry-table.tsx';
import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { ScreenLink } from '../shell/link.tsx';
import { useLoaded } from '../shell/loaded.ts';
import { effectOf, isOver, type MergeView } from './review.ts';
import { Units, type UnitDecision } from './units.tsx';

interface ChangeParts {
  readonly book: string;
  readonly view: MergeView;
  /** Counts what was decided, which changes what the merge does. */
  readonly round: number;
  readonly onDecide: (units: readonly UnitDecision[]) => void;
}

const shownMost = 100;

function countsText(counts: ReturnType<typeof countedWords>): string {
  if (counts.length === 0) return 'nothing that differs';
  return counts.map(([name, count]) => `${count} ${name}`).join(', ');
}

/** Shows what a merge does to its target: in parts that can be left out, and entry by entry. */
export function Changes({ book, view, round, onDecide }: ChangeParts) {
  const { service } = useShell();
  const { id, source, target, summary, units = [], state } = view;
  const path = `/v1/workbooks/${book}/merges/${id}/diff?limit=${shownMost}`;
  const diff = useLoaded(
    async (signal) => (state === 'aborted' ? undefined : service.ask<DiffPage>(path, { signal })),
    [path, round, state],
  );
  const entries = diff.value ? entriesOf(diff.value) : [];
  const counts = countedWords(summary?.changes ?? diff.value?.summary ?? {});
  const isOpen = !isOver(view);
  const { from, to } = effectOf(view);
  const placeOf = ({ sheet, place }: DiffEntry) => ({
    name: 'sheet' as const,
    book,
    at: parsePosition(to),
    cell: place,
    compare: from,
    ...(sheet !== undefined && { sheet }),
  });
  return (
    <section aria-labelledby="changes">
      <h2 id="changes">Changes</h2>
      <p>
        <code>{positionText(source)}</code> into <code>{positionText(target)}</code>
        {': '}
        {countsText(counts)}. <ScreenLink to={{ name: 'diff', book, from, to }}>Compare</ScreenLink>
      </p>
      <Units units={units} isOpen={isOpen} onDecide={onDecide} />
      {diff.error && <Fault error={diff.error} again={diff.again} />}
      {entries.length > 0 && (
        <details open={entries.length <= 12}>
          <summary>
            What it {isOpen ? 'does' : 'did'} to {target.branch}
          </summary>
          <EntryTable entries={entries} placeOf={placeOf} />
          {diff.value?.next !== null && (
            <p class="quiet">These are the first {shownMost}: Compare has all of them.</p>
          )}
        </details>
      )}
    </section>
  );
}
