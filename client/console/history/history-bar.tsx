import { useEffect, useRef, useState } from 'preact/hooks';

import type { Screen } from '../address.ts';
import { useShell } from '../shell/context.ts';
import { useLoaded } from '../shell/loaded.ts';
import { fullTime } from '../shell/time-text.ts';
import { kindWords } from './kind-words.ts';

interface Operation {
  readonly seq: number;
  readonly by: string;
  readonly kind: string;
  readonly at: string;
}

interface HistoryParts {
  readonly screen: Extract<Screen, { name: 'sheet' }>;
  readonly head: number;
  /** Shows all of the history, or no more. */
  readonly onAll: () => void;
}

const settleMs = 120;

/** Slider over all positions of a branch; its position is shown and described. */
export function HistoryBar({ screen, head, onAll }: HistoryParts) {
  const { book, at } = screen;
  const { service, go } = useShell();
  const shown = at.seq ?? head;
  // Position of the slider while it is moved; else it follows the page.
  const [moved, setMoved] = useState<number>();
  const wanted = moved ?? shown;
  // A session at an older position does not know the newest one.
  const newest = useLoaded(
    async (signal) => {
      if (at.seq === undefined) return 0;
      const path = `${branchPath(book, at.branch)}?limit=1`;
      return (await service.ask<{ head: number }>(path, { signal })).head;
    },
    [book, at.branch, at.seq],
  );
  const last = Math.max(head, newest.value ?? 0);
  useEffect(() => {
    if (moved === undefined) return undefined;
    if (moved === shown) {
      setMoved(undefined);
      return undefined;
    }
    const timer = setTimeout(() => {
      const next = moved === last ? { branch: at.branch } : { branch: at.branch, seq: moved };
      go({ ...screen, at: next });
    }, settleMs);
    return () => clearTimeout(timer);
  }, [moved, shown, last]);
  const slider = useRef<HTMLInputElement>(null);
  // A browser cuts a value to the current range, and the range may be set later.
  useEffect(() => {
    if (slider.current) slider.current.value = String(wanted);
  }, [wanted, last]);
  const told = useLoaded(
    async (signal) => {
      if (wanted === 0) return undefined;
      const path = `${branchPath(book, at.branch)}?after=${wanted - 1}&limit=1`;
      const { ops } = await service.ask<{ ops: readonly Operation[] }>(path, { signal });
      return ops[0];
    },
    [book, at.branch, wanted],
  );
  const { value: operation } = told;
  return (
    <div class="history">
      <label for="history">History</label>
      <input
        id="history"
        ref={slider}
        type="range"
        min={0}
        max={last}
        value={wanted}
        aria-valuetext={`${at.branch}@${wanted}`}
        onInput={(event) => setMoved(Number(event.currentTarget.value))}
      />
      <output for="history">
        {at.branch}@{wanted}
        {operation?.seq === wanted &&
          `: ${operation.by} ${kindWords(operation.kind)}, ${fullTime(operation.at)}`}
      </output>
      <button
        type="button"
        class="second"
        aria-pressed={screen.beside === 'history'}
        onClick={onAll}
      >
        All versions
      </button>
    </div>
  );
}

function branchPath(book: string, branch: string): string {
  return `/v1/workbooks/${book}/branches/${encodeURIComponent(branch)}/ops`;
}
