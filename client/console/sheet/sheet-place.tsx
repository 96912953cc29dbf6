import { useState } from 'preact/hooks';

import { positionText } from '../address.ts';
import { anything } from '../history/history-filters.tsx';
import { HistoryBar } from '../history/history-bar.tsx';
import { SheetScreen } from './sheet-screen.tsx';
import type { SheetAddress } from './use-grid.ts';

/** A branch and its history: the slider stays the same while it leads from position to position. */
export function SheetPlace({ screen, visit }: { screen: SheetAddress; visit: number }) {
  const [head, setHead] = useState<number | undefined>(0);
  const [wanted, want] = useState(anything);
  return (
    <>
      <SheetScreen
        key={positionText(screen.at)}
        screen={screen}
        visit={visit}
        filter={{ wanted, want }}
        onHead={(next) => setHead((known) => newestOf(next, known))}
      />
      {head !== undefined && <HistoryBar screen={screen} head={head} />}
    </>
  );
}

/** Returns the newest known position: a session that has loaded nothing yet knows only 0. */
function newestOf(next: number | undefined, known: number | undefined): number | undefined {
  return next === undefined ? undefined : Math.max(next, known ?? 0);
}
