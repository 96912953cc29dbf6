import type { MergeEvent } from './review.ts';
import { eventText } from './words.ts';

/** Everything that was done to a merge, the first first. */
export function Timeline({ events }: { events: readonly MergeEvent[] }) {
  return (
    <section aria-labelledby="timeline">
      <h2 id="timeline">What was done</h2>
      <ol class="list">
        {events.map(({ at, actor, by, event, detail }, index) => (
          <li key={index}>
            <strong>{actor === 'quire' ? 'Quire' : by}</strong> {eventText(event)}
            {detail !== undefined && <span class="quiet"> ({detail})</span>}{' '}
            <time class="quiet" dateTime={at}>
              {new Date(at).toLocaleString()}
            </time>
          </li>
        ))}
      </ol>
    </section>
  );
}
