import type { Figure } from '../report.ts';
import { measureBearerCheck } from './bearer.ts';
import { measureRegistrations } from './registrations.ts';

export async function runIdentityBench(options: {
  readonly seconds: number;
  readonly only: string | undefined;
}): Promise<Figure[]> {
  const { seconds, only } = options;
  const figures: Figure[] = [];
  if (only === undefined || only === 'bearer') figures.push(...(await measureBearerCheck()));
  if (only === undefined || only === 'registrations') {
    figures.push(...(await measureRegistrations(seconds)));
  }
  return figures;
}
