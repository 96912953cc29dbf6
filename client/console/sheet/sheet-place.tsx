import { useState } from 'preact/hooks';

import { positionText, type Screen } from '../address.ts';
import type { Wanted } from '../history/history-filters.tsx';
import { HistoryBar } from '../history/history-bar.tsx';
import { useShell } from '../shell/context.ts';
import { SheetScreen } from './sheet-screen.tsx';
import type { SheetAddress } from './use-grid.ts';

/** A branch and its history: the slider stays the same while it leads from position to position. */
export function SheetPlace({ screen, visit }: { screen: SheetAddress; visit: number }) {
  const [head, setHead] = useState<number | undefined>(0);
  const { change } = useShell();
  const { by: person = '', only: family = '', on: sheet = '' } = screen;
  const filter = {
    wanted: { person, family, sheet },
    want: (wanted: Wanted) => change((now) => filtered(now, wanted)),
  };
  return (
    <>
      <SheetScreen
        key={positionText(screen.at)}
        screen={screen}
        visit={visit}
        filter={filter}
        onHead={(next) => setHead((known) => newestOf(next, known))}
      />
      {head !== undefined && <HistoryBar screen={screen} head={head} />}
    </>
  );
}

/** Returns the screen with a filter of its history. */
function filtered(screen: Screen, { person, family, sheet }: Wanted): Screen {
  if (screen.name !== 'sheet') return screen;
  const { by: _by, only: _only, on: _on, ...rest } = screen;
  return {
    ...rest,
    ...(person !== '' && { by: person }),
    ...(family !== '' && { only: family }),
    ...(sheet !== '' && { on: sheet }),
  };
}

/** Returns the newest known position: a session that has loaded nothing yet knows only 0. */
function newestOf(next: number | undefined, known: number | undefined): number | undefined {
  return next === undefined ? undefined : Math.max(next, known ?? 0);
}
