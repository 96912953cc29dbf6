import type { SheetSession } from './sheet-session.ts';

/**
 * Resolves when all that a page submitted is answered and shown, so that what is typed next meets
 * the lines where they are by then; at once while it is offline, where nothing has moved yet.
 */
export async function untilShown(session: SheetSession): Promise<void> {
  await until(session, () => session.waitingCount === 0);
  const { head } = session;
  await until(session, () => session.shownSeq >= head || session.loadFault !== undefined);
}

async function until(session: SheetSession, isSo: () => boolean): Promise<void> {
  while (session.edits.state === 'live' && !isSo()) await new Promise(requestAnimationFrame);
}
