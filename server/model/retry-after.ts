const mostSeconds = 24 * 3_600;
const wholeSeconds = /^\d+$/;
/** The form of dates that HTTP makes today: Sun, 06 Nov 1994 08:49:37 GMT. */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Returns the seconds of a `Retry-After` header, a day at most; 0 for a missing or malformed one.
 */
export function retryAfterSeconds(header: string | undefined, now: number): number {
  const text = header?.trim() ?? '';
  if (wholeSeconds.test(text)) return Math.min(Number(text), mostSeconds);
  const date = httpDate.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(date)) return 0;
  return Math.min(Math.max((date - now) / 1000, 0), mostSeconds);
}
