import { useEffect, useRef, useState } from 'preact/hooks';

import type { Screen } from '../address.ts';
import { useShell } from '../shell/context.ts';
import { useLoaded } from '../shell/loaded.ts';
import { fullTime } from '../shell/time-text.ts';
import { useHistoryMarks, type HistoryMarks } from './history-marks.ts';
import { HistoryTicks } from './history-ticks.tsx';
import { kindWords } from './kind-words.ts';
import { groupBeside, leapOf, versionBeside } from './stepping.ts';

interface Operation {
  readonly seq: number;
  readonly by: string;
  readonly kind: string;
  readonly at: string;
}

interface HistoryParts {
  readonly screen: Extract<Screen, { name: 'sheet' }>;
  /** Newest position that is known. */
  readonly head: number;
}

const settleMs = 120;

/** Slider over all positions of a branch; its position is shown and described. */
export function HistoryBar({ screen, head }: HistoryParts) {
  const { change } = useShell();
  const { book, at } = screen;
  const { branch } = at;
  // A session at an older position does not know the newest one.
  const last = Math.max(head, useNewest(screen));
  const shown = at.seq ?? last;
  const { wanted, move } = useMoved({ screen, shown, last });
  const slider = useRef<HTMLInputElement>(null);
  // A browser cuts a value to the current range, and the range may be set later.
  useEffect(() => {
    if (slider.current) slider.current.value = String(wanted);
  }, [wanted, last]);
  const marks = useHistoryMarks({ book, branch, last });
  const { fault, onKey } = useLeaps({ screen, wanted, last, marks }, move);
  const name = nameAt(marks, wanted);
  return (
    <section class="history" aria-label="Positions">
      <label for="history">History</label>
      <div class="history-track">
        {marks && <HistoryTicks marks={marks} last={last} />}
        <input
          id="history"
          ref={slider}
          type="range"
          min={0}
          max={last}
          value={wanted}
          aria-valuetext={`${branch}@${wanted}${name}`}
          title="Arrows go by a step, with Shift by a group, with Ctrl by a named version"
          onInput={(event) => move(Number(event.currentTarget.value))}
          onKeyDown={onKey}
        />
      </div>
      <output for="history">
        {branch}@{wanted}
        {name}
        <Told book={book} branch={branch} seq={wanted} />
      </output>
      <button
        type="button"
        class="second"
        aria-pressed={screen.beside === 'history'}
        onClick={() => change(turned)}
      >
        All versions
      </button>
      {fault && <span role="alert">{fault.message}</span>}
    </section>
  );
}

/** Opens the panel of all versions beside the cells, or closes it. */
function turned(now: Screen): Screen {
  if (now.name !== 'sheet') return now;
  const { beside, ...rest } = now;
  return beside === 'history' ? rest : { ...rest, beside: 'history' };
}

interface MovedParts {
  readonly screen: HistoryParts['screen'];
  /** Position that the page shows. */
  readonly shown: number;
  readonly last: number;
}

/** Position of the slider while it is moved, which the page shows a moment later. */
function useMoved({ screen, shown, last }: MovedParts) {
  const { go } = useShell();
  const { branch } = screen.at;
  const [moved, move] = useState<number>();
  useEffect(() => {
    if (moved === undefined) return undefined;
    // The slider may have been moved on before this runs.
    const rest = () => move((now) => (now === moved ? undefined : now));
    if (moved === shown) {
      rest();
      return undefined;
    }
    const timer = setTimeout(() => {
      go({ ...screen, at: moved === last ? { branch } : { branch, seq: moved } });
      rest();
    }, settleMs);
    return () => clearTimeout(timer);
  }, [moved, shown, last]);
  return { wanted: moved ?? shown, move };
}

interface LeapParts extends Pick<HistoryParts, 'screen'> {
  readonly wanted: number;
  readonly last: number;
  readonly marks: HistoryMarks | undefined;
}

/** Keys that lead over several steps at once. */
function useLeaps({ screen, wanted, last, marks }: LeapParts, move: (seq: number) => void) {
  const { service } = useShell();
  const [fault, setFault] = useState<Error>();
  const { book, at } = screen;
  const onKey = (event: KeyboardEvent) => {
    const leap = leapOf(event);
    if (!leap) return;
    event.preventDefault();
    setFault(undefined);
    const place = { book, branch: at.branch, seq: wanted, last, marks: marks?.marks ?? [] };
    if (leap.by === 'version') move(versionBeside(place, leap.isBack));
    else void groupBeside(service, place, leap.isBack).then(move, setFault);
  };
  return { fault, onKey };
}

interface ToldParts {
  readonly book: string;
  readonly branch: string;
  readonly seq: number;
}

/** Author, kind and time of the operation of a position. */
function Told({ book, branch, seq }: ToldParts) {
  const { service } = useShell();
  const { value: operation } = useLoaded(
    async (signal) => {
      if (seq === 0) return undefined;
      const path = `${opsPath(book, branch)}?after=${seq - 1}&limit=1&payload=false`;
      const { ops } = await service.ask<{ ops: readonly Operation[] }>(path, { signal });
      return ops[0];
    },
    [book, branch, seq],
  );
  if (operation?.seq !== seq) return null;
  return <>{`: ${operation.by} ${kindWords(operation.kind)}, ${fullTime(operation.at)}`}</>;
}

/** Returns the newest position of the branch that was known at an older one; 0 before. */
function useNewest({ book, at }: HistoryParts['screen']): number {
  const { service } = useShell();
  const known = useRef(0);
  const { value = 0 } = useLoaded(
    async (signal) => {
      if (at.seq === undefined) return known.current;
      const path = `${opsPath(book, at.branch)}?limit=1&payload=false`;
      return (await service.ask<{ head: number }>(path, { signal })).head;
    },
    [book, at.branch, at.seq],
  );
  // A branch only grows.
  known.current = Math.max(known.current, value);
  return known.current;
}

/** Returns the name of a version behind its position, for who does not see the ticks. */
function nameAt(marks: HistoryMarks | undefined, seq: number): string {
  const mark = marks?.marks.find((one) => one.seq === seq && one.kind === 'version');
  return mark ? ` (${mark.name})` : '';
}

function opsPath(book: string, branch: string): string {
  return `/v1/workbooks/${book}/branches/${encodeURIComponent(branch)}/ops`;
}
