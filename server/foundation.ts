import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Usage } from './account/usage/usage.ts';
import { isLoopback, publicAddresses } from './config.ts';
import type { Config } from './config.ts';
import { settlePorts } from './doors.ts';
import type { Ports } from './doors.ts';
import { Readiness } from './health/readiness.ts';
import type { Observer } from './http/edge.ts';
import { createLog } from './log.ts';
import type { Log } from './log.ts';
import { Metrics } from './metrics.ts';
import type { Addresses } from './model/addresses.ts';
import type { Environment } from './model/environment.ts';
import type { LimitsProfile } from './model/limits.ts';
import { Storage } from './storage/storage.ts';

/** What every service may need, made once and passed down. */
export interface Foundation {
  readonly config: Config;
  readonly addresses: Addresses;
  readonly ports: Ports;
  readonly nodeId: string;
  readonly environment: Environment;
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

/** The real world; tests and the simulator bring their own. */
export const realEnvironment: Environment = {
  now: () => Date.now(),
  random: (byteCount) => randomBytes(byteCount),
  after: (delayMilliseconds, action) => {
    const timer = setTimeout(action, delayMilliseconds);
    return () => clearTimeout(timer);
  },
};

export async function layFoundation(config: Config, environment: Environment): Promise<Foundation> {
  const log = createLog(config.logLevel);
  const nodeId = config.nodeId ?? `node-${Buffer.from(environment.random(4)).toString('hex')}`;
  const storage = await Storage.open({
    ...config,
    nodeId,
    environment,
    onEvent: (message) => log.warn(message),
  });
  const readiness = new Readiness(environment);
  readiness.add('postgres', 'always', async () => {
    await storage.sql`select 1`;
  });
  // Writes and recent reads go on without it.
  readiness.add('objects', 'sometimes', () => storage.objects.check());
  const ports = await settlePorts(config);
  const addresses = publicAddresses(config, ports);
  const metrics = new Metrics();
  return { config, addresses, ports, nodeId, environment, log, metrics, readiness, storage };
}

export function limitsProfile(config: Config): LimitsProfile {
  if (!config.rateLimits) return 'off';
  return isLoopback(config.host) ? 'loopback' : 'on';
}

/** Every request is counted; only failures of ours are worth a line in the log by default. */
export function observe({ log, metrics }: Foundation, usage: Usage): Observer {
  return {
    finished(request) {
      const { method, route, status, seconds } = request;
      usage.finished(request);
      metrics.requestSeconds.observe({ method, route, status }, seconds);
      log.debug(request, 'request');
    },
    failed(error, request) {
      log.error({ ...request, err: error }, 'request failed');
    },
  };
}

export function readVersion(): string {
  const manifest: unknown = JSON.parse(
    readFileSync(new URL(import.meta.resolve('#package.json')), 'utf8'),
  );
  return (manifest as { version: string }).version;
}
