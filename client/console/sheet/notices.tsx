import { positionText } from '../address.ts';
import { Problem } from '../service.ts';
import { Computing } from '../shell/computing.tsx';
import { Fault } from '../shell/fault.tsx';
import { ScreenLink } from '../shell/link.tsx';
import { Banners } from './banners.tsx';
import { Compared } from './compared.tsx';
import type { SheetSession } from './sheet-session.ts';
import { SinceLastVisit } from './since-last-visit.tsx';
import { RejectedEdits, type RejectedEditsParts } from './rejected-edits.tsx';
import type { SheetAddress } from './use-grid.ts';

interface NoticeParts {
  readonly session: SheetSession;
  readonly screen: SheetAddress;
  readonly error: Error | undefined;
  readonly onGo: RejectedEditsParts['onGo'];
  readonly onEdit: RejectedEditsParts['onEdit'];
}

/** Messages above the cells about whatever limits work. */
export function Notices({ session, screen, error, onGo, onEdit }: NoticeParts) {
  return (
    <>
      <Banners session={session} screen={screen} />
      <SinceLastVisit
        key={`${screen.book} ${screen.at.branch}`}
        screen={screen}
        session={session}
      />
      <Compared screen={screen} session={session} />
      <RejectedEdits session={session} onGo={onGo} onEdit={onEdit} />
      {session.isComputing && !session.isOfInputs && (
        <div class="banner">
          <Computing
            book={screen.book}
            ends={[session.source.ref]}
            told="The service calculates the values of these cells."
            instead={{ label: 'Show formulas meanwhile', run: () => session.turnInputs() }}
          />
        </div>
      )}
      {error && !session.edits.isBookGone && <Fault error={error} />}
      {session.fault && <Fault error={session.fault} again={() => session.tryAgain()} />}
    </>
  );
}

/**
 * Returns whether nothing can be shown: the workbook, branch or position does not exist, and there
 * are no edits.
 */
export function isNotThere(session: SheetSession, error: Error | undefined): error is Problem {
  const isMissing = error instanceof Problem && (error.status === 404 || error.status === 410);
  return isMissing && !session.sheet && session.refused.length + session.waitingCount === 0;
}

interface MissingParts {
  readonly screen: SheetAddress;
  readonly error: Problem;
}

/** Page instead of cells that cannot be loaded. */
export function NotThere({ screen: { book, at }, error }: MissingParts) {
  const isBook = error.code === 'not_found' || error.status === 410;
  return (
    <main class="page">
      <h1>{isBook ? 'There is no such workbook' : `There is no ${positionText(at)} here`}</h1>
      <p>
        {isBook
          ? 'It was removed, its address is another one, or nobody has shared it with you.'
          : error.message}
      </p>
      <p class="actions">
        {!isBook && (
          <ScreenLink to={{ name: 'sheet', book, at: { branch: 'main' } }}>
            Its main branch
          </ScreenLink>
        )}
        <ScreenLink to={{ name: 'books' }}>All workbooks</ScreenLink>
      </p>
    </main>
  );
}
