import { agoText, fullTime } from './time-text.ts';

/** A relative time, with the full time as a tooltip. */
export function RelativeTime({ at }: { at: string }) {
  return (
    <time dateTime={at} title={fullTime(at)}>
      {agoText(at)}
    </time>
  );
}
