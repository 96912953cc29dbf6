import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

import { positionText } from '../address.ts';
import type { Done } from '../history/groups.ts';
import type { Service } from '../service.ts';
import { useShell } from '../shell/context.ts';
import { ScreenLink } from '../shell/link.tsx';
import { useLoaded } from '../shell/loaded.ts';
import { agoText } from '../shell/time-text.ts';
import { lastSeen, noteSeen, type Seen, type SeenBranch } from '../store/last-seen.ts';
import type { SheetSession } from './sheet-session.ts';
import type { SheetAddress } from './use-grid.ts';

interface SinceParts {
  readonly screen: SheetAddress;
  readonly session: SheetSession;
}

/** Absence below which nothing is shown. */
const awayLeastMs = 60_000;
/** Newest operations that are searched for their authors. */
const stepsMost = 200;
/** Names that are listed; the rest are "others". */
const namesMost = 3;

/** Shows what changed on a branch since the last visit in this browser, and marks it on request. */
export function SinceLastVisit({ screen, session }: SinceParts) {
  const { book, at, compare } = screen;
  const [seen] = useState(() => lastSeen({ book, branch: at.branch }));
  const [first, setFirst] = useState<number>();
  const [isDone, setDone] = useState(false);
  const { head, isHead } = session;
  const newest = useRef(0);
  useEffect(() => {
    if (!isHead || head === 0) return;
    setFirst((known) => known ?? head);
    newest.current = head;
  }, [isHead, head]);
  // In the moment of leaving: who comes back at once was not away.
  useLayoutEffect(() => {
    // Absence counts from leaving, and changes in a hidden page were not seen.
    let isAway = document.visibilityState === 'hidden';
    const look = (isLeaving: boolean) => {
      const isLeft = isLeaving && !isAway && newest.current > 0;
      if (isLeft) noteSeen({ book, branch: at.branch }, newest.current);
      isAway = isLeaving;
    };
    const leave = () => look(true);
    const turn = () => look(document.visibilityState === 'hidden');
    window.addEventListener('pagehide', leave);
    document.addEventListener('visibilitychange', turn);
    return () => {
      leave();
      window.removeEventListener('pagehide', leave);
      document.removeEventListener('visibilitychange', turn);
    };
  }, []);
  if (!seen || first === undefined || first <= seen.seq || isDone || compare !== undefined) {
    return null;
  }
  if (Date.now() - seen.at < awayLeastMs) return null;
  return (
    <Told
      branch={{ book, branch: at.branch }}
      {...{ screen, seen, first }}
      onDone={() => setDone(true)}
    />
  );
}

interface ToldParts extends Pick<SinceParts, 'screen'> {
  readonly branch: SeenBranch;
  readonly seen: Seen;
  /** Head when the page was opened. */
  readonly first: number;
  readonly onDone: () => void;
}

function Told({ branch, screen, seen, first, onDone }: ToldParts) {
  const { service } = useShell();
  const { value: names } = useLoaded(
    (signal) => loadNames(service, branch, { after: seen.seq, through: first, signal }),
    [seen.seq, first],
  );
  const count = first - seen.seq;
  const compare = positionText({ branch: branch.branch, seq: seen.seq });
  const changes = count === 1 ? '1 change' : `${count.toLocaleString()} changes`;
  const ago = agoText(new Date(seen.at).toISOString());
  return (
    <div class="banner" role="status">
      <span>
        Since you were here {ago}: {changes}
        {names && names.length > 0 && ` by ${namesText(names)}`}
      </span>
      <ScreenLink to={{ ...screen, compare }}>Mark them</ScreenLink>
      <button type="button" class="second" onClick={onDone}>
        Close
      </button>
    </div>
  );
}

interface Stretch {
  readonly after: number;
  readonly through: number;
  readonly signal: AbortSignal;
}

/** Returns the authors of the newest operations, each once. */
async function loadNames(
  service: Service,
  { book, branch }: SeenBranch,
  { after, through, signal }: Stretch,
): Promise<readonly string[]> {
  const query = `before=${through + 1}&payload=false&limit=${stepsMost}`;
  const path = `/v1/workbooks/${book}/branches/${encodeURIComponent(branch)}/ops?${query}`;
  const { ops } = await service.ask<{ ops: readonly Done[] }>(path, { signal });
  return [...new Set(ops.filter(({ seq }) => seq > after).map(({ by }) => by))];
}

function namesText(names: readonly string[]): string {
  const told = names.length > namesMost ? [...names.slice(0, namesMost - 1), 'others'] : names;
  return new Intl.ListFormat('en', { type: 'conjunction' }).format(told);
}
