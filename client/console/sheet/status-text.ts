import type { SessionState } from '../../library/session-options.ts';

/** Connection of a page, as its edits know it. */
interface Edits {
  readonly state: SessionState;
  readonly offlineSince: Date | undefined;
  /** Final close code; undefined while the service may be reached. */
  readonly endCode: number | undefined;
  readonly isBookGone: boolean;
  readonly isHeld: boolean;
}

interface Shown {
  readonly edits: Edits;
  readonly waitingCount: number;
  readonly lockedBecause: string | undefined;
  readonly fault: Error | undefined;
  readonly refused: readonly object[];
}

interface Page {
  /** True when the service has refused the credential of the page. */
  readonly isOut: boolean;
  /** True when that credential is a key that somebody typed. */
  readonly isKeyTyped: boolean;
  /** True when the cells cannot be opened, and no other try follows. */
  readonly isUnopened: boolean;
}

/** Words for the final close codes of docs/protocol.md. */
const ends: Readonly<Record<number, string>> = {
  4403: 'No access any more',
  4404: 'Branch deleted',
  4410: 'Workbook purged',
};

/** Returns how far edits are saved, and what the page shows; of several states the worst one. */
export function statusText(session: Shown, page: Page): string {
  const { edits, waitingCount: waiting } = session;
  return (
    endText(edits, page) ??
    waitText(edits, waiting) ??
    (session.lockedBecause === undefined ? openText(session, page) : 'Read only')
  );
}

/** Returns why nothing is sent from this page any more; undefined if it is. */
function endText({ endCode, isBookGone }: Edits, { isOut, isKeyTyped }: Page): string | undefined {
  if (isOut || endCode === 4401) {
    return isKeyTyped ? 'Key refused: use another one' : 'Signed out: sign in again';
  }
  if (endCode === undefined) return undefined;
  return isBookGone ? 'Workbook gone' : (ends[endCode] ?? 'Not connected: load the page again');
}

/** Returns what edits wait for; undefined if none does, and the service is there. */
function waitText({ offlineSince, isHeld }: Edits, waiting: number): string | undefined {
  const count = waiting === 1 ? '1 edit' : `${waiting.toLocaleString()} edits`;
  const verb = waiting === 1 ? 'waits' : 'wait';
  if (offlineSince) return waiting === 0 ? 'Offline' : `Offline, ${count} ${verb}`;
  if (waiting === 0) return undefined;
  if (isHeld) return `${count} ${verb} for you`;
  return `${count} on ${waiting === 1 ? 'its' : 'their'} way`;
}

function openText({ edits: { state }, fault, refused }: Shown, { isUnopened }: Page): string {
  if (isUnopened) return 'Not opened';
  if (state === 'connecting') return 'Connecting…';
  if (state !== 'live') return 'Catching up…';
  if (refused.length > 0) {
    return `Live, ${refused.length === 1 ? '1 edit is' : `${refused.length} edits are`} not applied`;
  }
  return fault ? 'All saved, but cells are not loaded' : 'Live, all saved';
}
