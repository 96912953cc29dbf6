const steps: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

/** Returns a time relative to now: `3 days ago`, `yesterday`, `just now`. */
export function agoText(at: string): string {
  const seconds = (Date.now() - Date.parse(at)) / 1_000;
  const [unit, size] = steps.find(([, least]) => seconds >= least) ?? [];
  if (unit === undefined || size === undefined) return 'just now';
  return relative.format(-Math.floor(seconds / size), unit);
}

export function fullTime(at: string): string {
  return new Date(at).toLocaleString();
}
