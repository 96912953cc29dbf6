import type { Session } from '../../library/session.ts';

/** Time that a closed page waits for answers; the next page sends the rest again. */
const waitMs = 5_000;

/** Resolves when all submissions of a session are answered, or the connection is gone. */
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
