import { Failure } from '../../model/failure.ts';
import { FormatFault } from '../encoding/fault.ts';
import { parseLogPath, type LogResource } from '../tree/tile-name.ts';

/** Returns the file that a path of the log names; fails with `notFound` when it names none. */
export function requestedFile(path: string): LogResource {
  try {
    return parseLogPath(path);
  } catch (error) {
    if (!(error instanceof FormatFault)) throw error;
    throw new Failure('notFound', {
      detail: error.message,
      hint: 'Each tile has one spelling: docs/transparency-log.md has the rules.',
    });
  }
}
