import type { Session } from '../../library/session.ts';

/** A page that was left waits so long for answers; what has none by then is sent by the next page. */
const waitMs = 5_000;

/** Resolves when a session has an answer to all that was submitted, or no connection any more. */
export function answered(session: Session): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, waitMs);
    const look = () => {
      if (session.state === 'live' && session.pending.length > 0) return;
      clearTimeout(timer);
      resolve();
    };
    session.on('acknowledged', () => queueMicrotask(look));
    session.on('state', look);
    look();
  });
}
