import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { App } from './app.ts';
import { ConfigError, readConfig } from './config.ts';
import type { Config } from './config.ts';
import { createLog } from './log.ts';
import type { Log } from './log.ts';
import { StartRefused } from './model/start-refused.ts';

// An import of many rows leaves much in memory for long. From that V8 learns to put what any later
// request allocates at the same places of the code among old objects, where it stays until the next
// full collection and keeps alive whatever it points to.
setFlagsFromString('--no-allocation-site-pretenuring');

const ownerOnly = 0o077;
const stopMilliseconds = 9500;

/** A setting that cannot be used is a sentence for a person, not a stack for the log. */
function readConfigOrExit(): Config {
  try {
    return readConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`Quire cannot start: ${error.message}\n`);
    return process.exit(2);
  }
}

function exitOnFault(log: Log): void {
  // State after an unforeseen fault is unknown. The journal is not: stop here and start again.
  process.on('uncaughtException', (error) => {
    log.fatal(error, 'uncaught exception');
    process.exit(1);
  });
}

/** Warnings of Node and of packages are lines of the log, which programs read as JSON. */
function logWarnings(log: Log): void {
  process.removeAllListeners('warning');
  process.on('warning', (warning) => log.warn({ err: warning }, 'a warning of Node'));
}

/**
 * Works from the first moment: a signal during the start ends the app as soon as it is up, and a
 * start that waits is given up.
 */
function stopOnSignal(starting: Promise<App>, giveUp: AbortController, log: Log): void {
  const stop = (signal: NodeJS.Signals): void => {
    log.info(`${signal}: stopping`);
    giveUp.abort();
    // Work that is not durable by now was not acknowledged either.
    setTimeout(() => {
      log.error('could not stop in time');
      process.exit(1);
    }, stopMilliseconds).unref();
    starting
      .then((app) => app.stop())
      .then(
        () => process.exit(0),
        (error: unknown) => {
          // A start that waited for something was given up, and holds nothing.
          if (error === giveUp.signal.reason) process.exit(0);
          log.fatal(error, 'could not stop cleanly');
          process.exit(1);
        },
      );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

/** Returns the message, with the reason below it where that says more. */
function sentenceOf({ message, cause }: Error): string {
  const isMore = cause instanceof Error && !message.includes(cause.message);
  return isMore ? `${message}: ${cause.message}` : message;
}

/** Starts the service, and says where it is once it answers. */
async function run(): Promise<void> {
  const config = readConfigOrExit();
  const log = createLog(config.logLevel);
  // Whatever this process writes (keys, mail, objects) is for its own account.
  process.umask(ownerOnly);
  exitOnFault(log);
  logWarnings(log);
  const giveUp = new AbortController();
  const starting = App.start(config, { signal: giveUp.signal });
  stopOnSignal(starting, giveUp, log);
  try {
    const app = await starting;
    process.stdout.write(`Quire is ready: ${app.address}\n`);
  } catch (error) {
    if (error === giveUp.signal.reason) process.exit(0);
    if (error instanceof StartRefused || error instanceof ConfigError)
      process.stderr.write(`Quire cannot start: ${sentenceOf(error)}\n`);
    else log.fatal(error, 'could not start');
    process.exit(1);
  }
}

void run();
