import { readFileSync } from 'node:fs';
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded before a program, it lets a test set the clock of that program: at the start and at each
 * SIGUSR2 the clock moves to the milliseconds ahead of the real one that the file of CLOCK_FILE
 * holds.
 */

const RealDate = Date;
const read = (): number => Number(readFileSync(process.env['CLOCK_FILE'] ?? '', 'utf8'));
let ahead = read();

if (isMainThread) {
  process.on('SIGUSR2', () => {
    ahead = read();
  });
}

RealDate.now = (
  (now) => () =>
    now() + ahead
)(RealDate.now.bind(RealDate));

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given: unknown[], made) =>
    Reflect.construct(target, given.length === 0 ? [RealDate.now()] : given, made) as Date,
});
