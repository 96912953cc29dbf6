import { useState } from 'preact/hooks';

import { positionText, type Screen } from '../address.ts';
import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { ScreenLink } from '../shell/link.tsx';
import { restoreCells } from './restore-cells.ts';

interface BackParts {
  readonly screen: Extract<Screen, { name: 'sheet' }>;
  /** Name of the shown sheet. */
  readonly sheet: string | undefined;
}

/** Actions at an older position: compare with now, and restore all, a sheet or cells of it. */
export function BackToIt({ screen, sheet }: BackParts) {
  const { service, writer, go } = useShell();
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const { book, at, cell = 'A1' } = screen;
  const { branch, seq = 0 } = at;
  const path = `/v1/workbooks/${book}/branches/${encodeURIComponent(branch)}/ops`;
  const all = async () => {
    const { head } = await service.ask<{ head: number }>(`${path}?limit=1&payload=false`);
    const of = { from: seq + 1, through: head };
    await service.ask(path, { body: { writer, ops: [{ kind: 'revert', payload: { of } }] } });
  };
  const some = (cells: string | undefined) =>
    restoreCells(service, { book, at: { branch, seq }, sheet, cells, writer });
  const restore = async (work: () => Promise<void>) => {
    setBusy(true);
    setError(undefined);
    try {
      await work();
      go({ ...screen, at: { branch } });
    } catch (fault) {
      setError(fault as Error);
      setBusy(false);
    }
  };
  const ways = [
    ['Bring this version back', all],
    [`Bring back ${sheet ?? 'this sheet'}`, () => some(undefined)],
    [`Bring back ${cell}`, () => some(cell)],
  ] as const;
  return (
    <>
      {ways.map(([label, work]) => (
        <button
          key={label}
          type="button"
          class="second"
          disabled={isBusy}
          onClick={() => void restore(work)}
        >
          {label}
        </button>
      ))}
      <ScreenLink to={{ name: 'diff', book, from: positionText(at), to: branch }}>
        What has changed since
      </ScreenLink>
      <ScreenLink to={{ ...screen, at: { branch } }}>Back to now</ScreenLink>
      {error && <Fault error={error} />}
    </>
  );
}
