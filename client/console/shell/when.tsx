import { agoText, fullTime } from './time-text.ts';

/** A time as people tell it; the whole of it shows to whoever points there. */
export function When({ at }: { at: string }) {
  return (
    <time dateTime={at} title={fullTime(at)}>
      {agoText(at)}
    </time>
  );
}
