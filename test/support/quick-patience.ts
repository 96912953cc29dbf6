import { s3Patience } from '../../server/storage/objects-s3.ts';
import type { PatienceLimits } from '../../server/storage/patience.ts';

/** Retry limits of the service, with pauses for a store on the same machine. */
export const quickPatience: PatienceLimits = {
  ...s3Patience,
  pauseMilliseconds: 4,
  pauseMillisecondsMost: 50,
};
