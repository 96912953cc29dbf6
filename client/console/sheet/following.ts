import { useEffect, useState } from 'preact/hooks';

import { parseAddress } from '../../../server/model/address.ts';
import type { Grid } from '../grid/grid.ts';
import type { LivePeer } from '../store/peers.ts';
import type { SheetSession } from './sheet-session.ts';

interface FollowingParts {
  readonly session: SheetSession;
  readonly grid: { readonly current: Grid | undefined };
  readonly host: { readonly current: HTMLElement | null };
  readonly setError: (error: Error) => void;
}

/** Moves of one's own in the cells, which end the following of somebody else. */
const ownMoves = ['pointerdown', 'wheel', 'keydown'] as const;

/** Keeps the cell of somebody else in view, on whichever sheet, until one moves oneself. */
export function useFollowing({ session, grid, host, setError }: FollowingParts) {
  const [followed, follow] = useState<string>();
  const peer = session.peers.find((one) => one.session === followed);
  const { sheet, cell } = peer?.presence ?? {};
  useEffect(() => {
    if (sheet === undefined || cell === undefined) return;
    const reveal = () => {
      const address = parseAddress(cell);
      if (address) grid.current?.reveal(address);
    };
    if (sheet === session.sheet?.name) reveal();
    else session.choose(sheet).then(reveal, setError);
  }, [followed, sheet, cell]);
  useEffect(() => {
    const { current: cells } = host;
    if (followed === undefined || !cells) return undefined;
    const stop = () => follow(undefined);
    for (const kind of ownMoves) cells.addEventListener(kind, stop, { capture: true });
    return () => {
      for (const kind of ownMoves) cells.removeEventListener(kind, stop, { capture: true });
    };
  }, [followed]);
  return { followed: peer, follow: ({ session: one }: LivePeer) => follow(toggled(followed, one)) };
}

export type Following = ReturnType<typeof useFollowing>;

function toggled(now: string | undefined, one: string): string | undefined {
  return now === one ? undefined : one;
}
