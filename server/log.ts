import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';
import type { LogLevel } from './config.ts';

export type Log = Logger;

/** Members that may hold a secret. They are replaced wherever they occur, three levels deep. */
const secretMembers = [
  'authorization',
  'otp',
  'claim_token',
  'credential',
  'ticket',
  'confirm',
  'password',
  'cookie',
];

const standardError = 2;

/** JSON lines on standard error; standard output carries the ready line and nothing else. */
export function createLog(level: LogLevel, destination?: DestinationStream): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: secretMembers.flatMap(atEachDepth), censor: '[secret]' },
    },
    // Synchronous, because the line that matters most is the one before the process dies.
    destination ?? pino.destination({ fd: standardError, sync: true }),
  );
}

function atEachDepth(member: string): string[] {
  return [member, `*.${member}`, `*.*.${member}`];
}
