import { positionText, type Screen } from '../address.ts';
import { BranchFromHere } from './branch-from-here.tsx';
import type { SheetSession } from './sheet-session.ts';

interface BannerParts {
  readonly session: SheetSession;
  readonly screen: Extract<Screen, { name: 'sheet' }>;
}

/** One line each for what keeps edits from being saved, and the way out of it. */
export function Banners({ session, screen }: BannerParts) {
  return (
    <>
      {!session.isHead && (
        <div class="banner" role="status">
          <span>This is {positionText(screen.at)}, an older position: it is read only.</span>
          <BranchFromHere book={screen.book} from={positionText(screen.at)} />
        </div>
      )}
      {session.isOffline && (
        <div class="banner" role="status">
          The service does not answer.{' '}
          {session.waitingCount > 0
            ? `${session.waitingCount} edits wait here and are sent when it is back.`
            : 'It is tried again.'}
        </div>
      )}
      {session.refused.map((refused) => (
        <div class="banner alarm" role="alert" key={refused.edit.id}>
          <span>
            Not applied: {refused.edit.text}. {refused.message} {refused.hint}
          </span>
          <button type="button" class="second" onClick={() => session.dismiss(refused)}>
            Dismiss
          </button>
        </div>
      ))}
    </>
  );
}
