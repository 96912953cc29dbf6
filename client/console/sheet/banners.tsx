import { positionText, type Screen } from '../address.ts';
import { BackToIt } from '../history/restore.tsx';
import { WayIn } from '../shell/way-in.tsx';
import { ArchivedHere } from './archived-here.tsx';
import { BranchFromHere } from './branch-from-here.tsx';
import { HeldEdits } from './held-edits.tsx';
import type { SheetSession } from './sheet-session.ts';

interface BannerParts {
  readonly session: SheetSession;
  readonly screen: Extract<Screen, { name: 'sheet' }>;
}

/** Sentences for the final close codes of docs/protocol.md. */
const ends: Readonly<Record<number, string>> = {
  4401: 'You are signed out. What you typed waits in this browser and is sent once you are back.',
  4403: 'You have no role in this workbook any more. What you typed is listed below.',
  4404: 'This branch was deleted. What you typed is listed below.',
  4410: 'This workbook was purged, for good. What you typed is listed below.',
};

const goneText =
  'This workbook was purged, or is not shared with you any more. What you typed is listed below.';
const endText = 'This page is not connected any more.';

/** One line for each reason why edits are not saved, with the remedy. */
export function Banners({ session, screen }: BannerParts) {
  const { edits, waitingCount, isHead } = session;
  const { offlineSince } = edits;
  return (
    <>
      {isHead ? (
        <Standing session={session} screen={screen} />
      ) : (
        <Older screen={screen} sheet={session.sheet?.name} />
      )}
      {edits.isHeld && <HeldEdits session={session} />}
      {offlineSince && (
        <Banner
          text={`Offline since ${timeText(offlineSince)} – ${waitText(waitingCount, edits.isStored)}`}
        />
      )}
      {edits.isPassing && waitingCount > 0 && (
        <Banner text="This browser keeps nothing: what waits is lost when this page is closed." />
      )}
    </>
  );
}

interface OlderParts extends Pick<BannerParts, 'screen'> {
  readonly sheet: string | undefined;
}

function Older({ screen, sheet }: OlderParts) {
  const position = positionText(screen.at);
  return (
    <Banner text={`This is ${position}, an older position: it is read only.`}>
      <BackToIt screen={screen} sheet={sheet} />
      <BranchFromHere book={screen.book} from={position} />
    </Banner>
  );
}

/** Tells why the head of a branch takes no edits of this person. */
function Standing({ session: { edits, lockedBecause }, screen }: BannerParts) {
  const { endCode, isArchived, role } = edits;
  if (endCode !== undefined) {
    return (
      <Banner text={edits.isBookGone ? goneText : (ends[endCode] ?? endText)}>
        {endCode === 4401 && <WayIn />}
      </Banner>
    );
  }
  if (isArchived) {
    const { book, at } = screen;
    const refresh = () => edits.refresh();
    return <ArchivedHere book={book} branch={at.branch} role={role} onRestored={refresh} />;
  }
  if (lockedBecause === undefined) return null;
  return <Locked text={lockedBecause} isGuarded={edits.isGuarded} screen={screen} />;
}

interface LockedParts extends Pick<BannerParts, 'screen'> {
  readonly text: string;
  /** True when a new branch is the remedy. */
  readonly isGuarded: boolean;
}

function Locked({ text, isGuarded, screen: { book, at } }: LockedParts) {
  return (
    <Banner text={text}>{isGuarded && <BranchFromHere book={book} from={at.branch} />}</Banner>
  );
}

function Banner({ text, children }: { text: string; children?: preact.ComponentChildren }) {
  return (
    <div class="banner" role="status">
      <span>{text}</span>
      {children}
    </div>
  );
}

function timeText(time: Date): string {
  return time.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
}

function waitText(count: number, isStored: boolean): string {
  if (count === 0) {
    return 'you can go on: what you type is kept in this browser and sent when it is back.';
  }
  const edits = count === 1 ? '1 edit waits' : `${count.toLocaleString()} edits wait`;
  const kept = isStored ? ', also over a reload,' : '';
  return `${edits} here${kept} and ${count === 1 ? 'is' : 'are'} sent when it is back.`;
}
