import { useMemo, useState } from 'preact/hooks';

import { positionText } from '../address.ts';
import { ComparedCells } from '../diff/compared-cells.tsx';
import { diffPath, type ComparedEnds } from '../diff/compared-sheets.ts';
import { countedWords } from '../diff/counts.ts';
import { entriesOf, type DiffEntry } from '../diff/diff-page.ts';
import { sheetOfEntry } from '../diff/entry-places.ts';
import { EntryTable } from '../diff/entry-table.tsx';
import { LoadMore } from '../diff/load-more.tsx';
import { ShownChoice, type ShownParts } from '../diff/shown-choice.tsx';
import { useDiff, type LoadedDiff } from '../diff/use-diff.ts';
import { Fault } from '../shell/fault.tsx';
import { useCommandKeys } from '../shell/letter-key.ts';
import { ScreenLink } from '../shell/link.tsx';
import { effectOf, isOver, type MergeView } from './review.ts';
import { Units, type UnitDecision } from './units.tsx';

interface ChangeParts {
  readonly book: string;
  readonly view: MergeView;
  readonly mayDecide: boolean;
  readonly onDecide: (units: readonly UnitDecision[]) => void;
  /** Groups the changes into parts by a rule. */
  readonly onDivide: (grouping: string) => void;
}

/** Entries of a page: in the list alone, and beside the cells. */
const [listedMost, besideMost] = ['100', '1000'];

function countsText(counts: ReturnType<typeof countedWords>): string {
  if (counts.length === 0) return 'nothing that differs';
  return counts.map(([name, count]) => `${count} ${name}`).join(', ');
}

/** Shows the changes of a merge: in parts that can be left out, and as a list. */
export function Changes({ book, view, mayDecide, onDecide, onDivide }: ChangeParts) {
  const { source, target, summary, units = [], state } = view;
  const [hasCells, setHasCells] = useState(false);
  const { from, to } = effectOf(view);
  const ends = endsOf(book, view);
  const wish = hasCells ? { values: 'true', limit: besideMost } : { limit: listedMost };
  const hasNoDiff = state === 'aborted' || state === 'outdated';
  const diff = useDiff(hasNoDiff ? undefined : diffPath(ends, wish), view);
  const [first] = diff.pages;
  const counts = countedWords(summary?.changes ?? first?.summary ?? {});
  useCommandKeys((key) => {
    if (key === 'v') setHasCells((has) => !has);
  });
  return (
    <section aria-labelledby="changes">
      <h2 id="changes">Changes</h2>
      <p>
        <code>{positionText(source)}</code> into <code>{positionText(target)}</code>
        {': '}
        {countsText(counts)}. <ScreenLink to={{ name: 'diff', book, from, to }}>Compare</ScreenLink>
      </p>
      <Units
        {...{ units, onDecide, onDivide, grouping: view.grouping }}
        version={view}
        path={`/v1/workbooks/${book}/merges/${view.id}/diff`}
        isOpen={mayDecide}
      />
      {diff.error && <Fault error={diff.error} again={diff.more} />}
      {first && first.total > 0 && (
        <>
          <p class="actions">
            <button
              type="button"
              class="second"
              aria-pressed={hasCells}
              onClick={() => setHasCells(!hasCells)}
            >
              Show it in the cells <kbd aria-hidden="true">V</kbd>
            </button>
          </p>
          <Effects diff={diff} ends={ends} view={view} hasCells={hasCells} />
        </>
      )}
    </section>
  );
}

/** Returns the target of a merge, and its result. */
function endsOf(book: string, view: MergeView): ComparedEnds {
  const { id, target, digest = '' } = view;
  if (isOver(view)) return { book, ...effectOf(view) };
  return { book, from: positionText(target), to: `merge:${id}`, merge: { id, digest } };
}

interface EffectParts {
  readonly diff: LoadedDiff;
  readonly ends: ComparedEnds;
  readonly view: MergeView;
  /** True to show the target and the result in one grid. */
  readonly hasCells: boolean;
}

/** Lists what a merge changes, alone or beside the cells. */
function Effects({ diff, ends, view, hasCells }: EffectParts) {
  const entries = useMemo(() => diff.pages.flatMap(entriesOf), [diff.pages]);
  const [shown, setShown] = useState<DiffEntry>();
  const [parts, setParts] = useState<ShownParts>('both');
  const { book } = ends;
  const { from, to } = effectOf(view);
  const placeOf = (entry: DiffEntry) => sheetOfEntry({ book, from, to }, entry);
  const more = diff.hasMore && !diff.error && (
    <LoadMore key={diff.pages.length} onMore={diff.more} />
  );
  if (hasCells) {
    return (
      <div class="compared">
        <div class="compared-list">
          <p class="actions">
            <ShownChoice parts={parts} onPick={setParts} />
          </p>
          <EntryTable {...{ entries, placeOf, parts }} onShow={setShown} />
          {more}
        </div>
        <ComparedCells {...{ ends, entries, shown, parts }} />
      </div>
    );
  }
  return (
    <details open={entries.length <= 12}>
      <summary>
        What it {isOver(view) ? 'did' : 'does'} to {view.target.branch}
      </summary>
      <EntryTable entries={entries} placeOf={placeOf} />
      {more}
    </details>
  );
}
