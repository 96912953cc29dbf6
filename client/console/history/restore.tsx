import { useState } from 'preact/hooks';

import { positionText, type Screen } from '../address.ts';
import { useShell } from '../shell/context.ts';
import { Fault } from '../shell/fault.tsx';
import { ScreenLink } from '../shell/link.tsx';

type SheetScreen = Extract<Screen, { name: 'sheet' }>;

/** Actions at an older position: compare with now, and restore its cells. */
export function BackToIt({ screen }: { screen: SheetScreen }) {
  const { service, writer, go } = useShell();
  const [error, setError] = useState<Error>();
  const { book, at } = screen;
  const path = `/v1/workbooks/${book}/branches/${encodeURIComponent(at.branch)}/ops`;
  const restore = async () => {
    const { head } = await service.ask<{ head: number }>(`${path}?limit=1`);
    const of = { from: (at.seq ?? head) + 1, through: head };
    await service.ask(path, { body: { writer, ops: [{ kind: 'revert', payload: { of } }] } });
    go({ ...screen, at: { branch: at.branch } });
  };
  return (
    <>
      <button type="button" class="second" onClick={() => void restore().catch(setError)}>
        Bring this version back
      </button>
      <ScreenLink to={{ name: 'diff', book, from: positionText(at), to: at.branch }}>
        What has changed since
      </ScreenLink>
      <ScreenLink to={{ ...screen, at: { branch: at.branch } }}>Back to now</ScreenLink>
      {error && <Fault error={error} />}
    </>
  );
}
