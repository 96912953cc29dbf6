import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Usage } from './account/usage/usage.ts';
import { publicAddresses } from './config.ts';
import type { Config } from './config.ts';
import { Listeners } from './doors.ts';
import { HealthDoor } from './health/door.ts';
import { Readiness } from './health/readiness.ts';
import type { CheckAccess, Observer } from './http/edge.ts';
import { createLog } from './log.ts';
import type { Log } from './log.ts';
import { Metrics } from './metrics.ts';
import type { Addresses } from './model/addresses.ts';
import type { Environment } from './model/environment.ts';
import type { LimitsProfile } from './model/limits.ts';
import { isLoopback } from './model/ip-address.ts';
import { isUnwritable } from './model/outage.ts';
import { SteadyClock } from './model/steady-clock.ts';
import { within } from './model/deadline.ts';
import { checkReplication } from './storage/durability.ts';
import { Storage } from './storage/storage.ts';
import type { WorkbookRegistry } from './workbooks/registry.ts';
import { hashKeyBytes, useHashKey } from '../workers/hash-key.ts';

/** Parts that every service may need, made once and passed down. */
export interface Foundation {
  readonly config: Config;
  readonly addresses: Addresses;
  readonly listeners: Listeners;
  readonly nodeId: string;
  readonly environment: Environment;
  /** Seconds since the start, on a clock that nobody sets. */
  readonly uptimeSeconds: () => number;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  readonly storage: Storage;
}

/** A part of the app that has to be ended; parts end in the reverse order of their start. */
export interface Part {
  readonly name: string;
  stop(): Promise<void>;
}

/** Leaves time for the last commit and for PostgreSQL within the 10 s a stop may take. */
export const edgeGraceMilliseconds = 3000;

const steady = new SteadyClock({ wall: () => Date.now(), even: () => performance.now() });

/** The real world; tests and the simulator bring their own. */
export const realEnvironment: Environment = {
  now: () => Date.now(),
  elapsed: () => steady.elapsed(),
  random: (byteCount) => randomBytes(byteCount),
  after: (delayMilliseconds, action) => {
    if (delayMilliseconds === 0) {
      // The shortest timer is one of a millisecond; this comes once the network had its turn.
      const turn = setImmediate(action);
      return () => clearImmediate(turn);
    }
    const timer = setTimeout(action, delayMilliseconds);
    return () => clearTimeout(timer);
  },
};

export async function layFoundation(
  config: Config,
  environment: Environment,
  signal?: AbortSignal,
): Promise<Foundation> {
  const begunAt = performance.now();
  const uptimeSeconds = (): number => (performance.now() - begunAt) / 1000;
  useHashKey(environment.random(hashKeyBytes));
  const log = createLog(config.logLevel);
  const nodeId = config.nodeId ?? `node-${Buffer.from(environment.random(4)).toString('hex')}`;
  const listeners = await Listeners.settle(config);
  const storage = await Storage.open({
    ...config,
    nodeId,
    environment,
    isReplicated: config.replication === 'required',
    isStoreCompared: config.role === 'all' || config.role === 'api',
    signal,
    onEvent: (message) => log.warn(message),
  }).catch((error: unknown) => {
    listeners.close();
    throw error;
  });
  const readiness = new Readiness(environment);
  readiness.add('postgres', 'always', async () => {
    await storage.sql`select 1`;
  });
  readiness.nameStore(() => storage.storeName);
  // Writes and recent reads go on without it.
  readiness.add('objects', 'sometimes', () => storage.objects.check());
  if (config.replication === 'required') {
    readiness.add('replication', 'sometimes', () => checkReplication(storage.sql));
  }
  const addresses = publicAddresses(config, listeners.ports);
  const metrics = new Metrics();
  const world = { config, addresses, listeners, nodeId, environment, uptimeSeconds, log };
  return { ...world, metrics, readiness, storage };
}

export function limitsProfile(config: Config): LimitsProfile {
  if (!config.rateLimits) return 'off';
  return isLoopback(config.host) ? 'loopback' : 'on';
}

/** Notes an error for the readiness checks. */
function noteTrouble({ readiness, storage }: Foundation, error: unknown): void {
  if (isUnwritable(error)) readiness.trouble('writes', () => storage.checkWrites());
  if (isDamage(error)) readiness.trouble('objects');
}

/** Names of the errors for an object that is missing or damaged. */
const damages: ReadonlySet<string> = new Set(['DamagedObject', 'StorageFault', 'NodeFault']);

function isDamage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return damages.has(error.name) || isDamage(error.cause);
}

/** Counts every request; only faults of the service are worth a line in the log by default. */
export function observe(foundation: Foundation, usage: Usage): Observer {
  const { log, metrics } = foundation;
  return {
    finished(request) {
      const { method, route, status, seconds } = request;
      usage.finished(request);
      metrics.requestSeconds.observe({ method, route, status }, seconds);
      log.debug(request, 'request');
    },
    failed(error, request) {
      noteTrouble(foundation, error);
      log.error({ ...request, err: error }, 'request failed');
    },
  };
}

/** An operator has to decide, and finds in the log what was lost. */
export function noteDivergence(
  { log, metrics }: Pick<Foundation, 'log' | 'metrics'>,
  found: object,
): void {
  log.fatal(found, 'the database has lost what was acknowledged on a branch');
  metrics.branchesDiverged.inc();
}

/** Says that a step has failed, whose name follows "could not", where the code goes on. */
export type Report = (step: string, error: unknown) => void;

export function reporter(foundation: Foundation): Report {
  return (step, err) => {
    // A start that was given up leaves parts behind that find the storage closed.
    if (foundation.storage.isClosed) return;
    noteTrouble(foundation, err);
    foundation.log.warn({ err }, `could not ${step}`);
  };
}

/** A stop may take 10 s; of these, the database needs some for its last checkpoint. */
const stopMilliseconds = 9_000;
const storageStopMilliseconds = 4_000;

/**
 * Ends the parts in the reverse order of their start, then the storage. What cannot be ended in its
 * time, because something it needs is away, does not keep the rest from being ended: nothing of it
 * was acknowledged, and PostgreSQL must not be left running.
 */
export async function stopAll(foundation: Foundation, parts: readonly Part[]): Promise<void> {
  const { readiness, environment, storage, log } = foundation;
  readiness.drain();
  const end = environment.elapsed() + stopMilliseconds;
  for (const part of parts.toReversed()) {
    const left = end - storageStopMilliseconds - environment.elapsed();
    const otherwise = (): Error => new Error('it takes too long');
    try {
      await within(part.stop(), { environment, milliseconds: Math.max(left, 0), otherwise });
    } catch (err) {
      log.warn({ err }, `could not stop the ${part.name} in an orderly way`);
    }
  }
  await storage.close({ milliseconds: end - environment.elapsed() });
}

/** Closed last, so that whoever watches sees the process stop. */
export async function openHealthDoor(foundation: Foundation): Promise<Part[]> {
  const { host, healthPort: port } = foundation.config;
  if (port === undefined) return [];
  const door = await HealthDoor.open({ ...foundation, version: readVersion() }, { host, port });
  return [{ name: 'health door', stop: () => door.stop() }];
}

export function readVersion(): string {
  const manifest: unknown = JSON.parse(
    readFileSync(new URL(import.meta.resolve('#package.json')), 'utf8'),
  );
  return (manifest as { version: string }).version;
}

/** Settings of the listeners. */
export function edgeSettings({ host, trustedProxies, requestMemory }: Config) {
  return { boundTo: host, trustedProxies, memory: requestMemory };
}

/** Returns a check that somebody may do something to a workbook, and has not used up their plan. */
export function accessCheck(registry: WorkbookRegistry, usage: Usage): CheckAccess {
  return async (id, { action, hasBody }, principal) => {
    if (id !== undefined) await registry.check(id, action, principal);
    if (id !== undefined && hasBody) await registry.takesBody(id, action, principal);
    await usage.check(action, principal);
  };
}
