import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

import { realEnvironment } from '../../server/foundation.ts';
import { openObjects, type Objects } from '../../server/storage/objects.ts';
import type { Sql } from '../../server/storage/postgres.ts';
import { nodeCrypto } from '../../server/tlog/node-crypto.ts';
import { parsePolicy } from '../../server/tlog/note/policy.ts';
import { DamageBook, type LogDamage } from '../../server/tlog/service/damage.ts';
import { LogFiles } from '../../server/tlog/service/log-files.ts';
import { LogMemory } from '../../server/tlog/service/memory.ts';
import { NewestTree } from '../../server/tlog/service/newest-tree.ts';
import { Published } from '../../server/tlog/service/published.ts';
import { LogReader } from '../../server/tlog/service/reader.ts';
import { ForkCheck } from '../../server/tlog/service/fork-check.ts';
import { LogSequencer } from '../../server/tlog/service/sequencer.ts';
import { LogSigner } from '../../server/tlog/service/signing-keys.ts';
import { LogTable } from '../../server/tlog/service/sql.ts';
import { TileStore } from '../../server/tlog/service/tile-store.ts';
import { Witnesses } from '../../server/tlog/service/witnesses.ts';
import { withPostgres } from '../own-postgres.ts';
import { once, say, type Figure, type Summary } from '../report.ts';

export interface LogBenchOptions {
  readonly size: number;
  readonly seconds: number;
  /** `leaves`, `latency`, `proofs` or `restart`; all when left out. */
  readonly only: string | undefined;
}

/** A log on an embedded PostgreSQL and objects in files, all of it durable. */
interface World {
  readonly sql: Sql;
  readonly objects: Objects;
}

interface RunningLog {
  readonly sequencer: LogSequencer;
  readonly published: Published;
  readonly reader: LogReader;
}

const entryBytes = 55;
const clientCount = 4;
const leavesPerAppend = 50;
const bulkProofs = 1_000;
const askedAtOnce = 64;
const latencyPerSecond = 200;

export function runLogBench(options: LogBenchOptions): Promise<Figure[]> {
  return withPostgres(async (sql, folder) => {
    const store = pathToFileURL(join(folder, 'objects')).href;
    return measure({ sql, objects: await openObjects(store, realEnvironment) }, options);
  });
}

async function measure(world: World, { size, seconds, only }: LogBenchOptions): Promise<Figure[]> {
  const wants = (name: string): boolean => only === undefined || only === name;
  const log = start(world);
  const figures: Figure[] = [];
  if (wants('leaves')) figures.push(await measureLeaves(world, log, seconds));
  if (wants('latency')) figures.push(...(await measureLatency(world, log, seconds)));
  if (wants('proofs') || wants('restart')) await fill(world, log, size);
  if (wants('proofs')) figures.push(...(await measureProofs(world, log, seconds)));
  await log.sequencer.stop();
  if (wants('restart')) figures.push(await measureRestart(world));
  return figures;
}

function start({ sql, objects }: World): RunningLog {
  const table = new LogTable(sql);
  const tiles = new TileStore(objects);
  const signer = new LogSigner('bench.example/v1/tlog', [new Uint8Array(32).fill(1)]);
  const policy = parsePolicy(nodeCrypto.sha256, 'quorum none\n');
  const failed = (step: string, error: unknown): void => say(`${step}: ${String(error)}`);
  const found = ({ where }: LogDamage): void => say(`${where} is damaged`);
  const damage = new DamageBook({ environment: realEnvironment, found, report: failed });
  const files = new LogFiles({ tiles, table, damage });
  const published = new Published({ table, signer, damage });
  const given = { signer, environment: realEnvironment, report: failed };
  const memory = new LogMemory({ folder: undefined, ...given });
  const post = async (): Promise<never> => Promise.reject(new Error('there is no witness'));
  const sequencer = new LogSequencer({
    table,
    tiles,
    files,
    memory,
    forks: new ForkCheck({ table, tiles, signer, memory }),
    published,
    signer,
    witnesses: new Witnesses({ policy, post, report: failed }),
    environment: realEnvironment,
    events: { published: () => undefined, halted: say, failed },
  });
  const haltedReason = (): string | undefined => sequencer.haltedReason;
  const newest = new NewestTree({ published, memory, environment: realEnvironment });
  const parts = { table, files, damage, published, newest, signer, policy, haltedReason };
  const reader = new LogReader({ ...parts, environment: realEnvironment });
  sequencer.start();
  return { sequencer, published, reader };
}

/** Adds leaves in one durable transaction, as an append does. */
async function enqueue(sql: Sql, count: number): Promise<Buffer[]> {
  const entries = Array.from({ length: count }, () => randomBytes(entryBytes));
  const hashes = entries.map(leafHashOf);
  await sql`
    insert into tlog_pending (leaf_hash, entry)
    select substring(${Buffer.concat(hashes)}::bytea from (32 * nth - 31)::int for 32),
           substring(${Buffer.concat(entries)}::bytea
                     from (${entryBytes}::int * (nth - 1) + 1)::int for ${entryBytes}::int)
      from generate_series(1, ${count}::int) as nth
    on conflict do nothing`;
  return hashes;
}

function leafHashOf(entry: Buffer): Buffer {
  return createHash('sha256').update(Buffer.of(0)).update(entry).digest();
}

async function caughtUp({ published }: RunningLog, size: number): Promise<void> {
  while ((published.newest?.size ?? -1) < size) await sleep(5);
}

async function loggedCount(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select (select sequenced from tlog_state) + (select count(*) from tlog_pending) as count`;
  return row?.count ?? 0;
}

/** Measures leaves per second, until the last one is published. */
async function measureLeaves({ sql }: World, log: RunningLog, seconds: number): Promise<Figure> {
  await caughtUp(log, 0);
  const before = await loggedCount(sql);
  const begun = performance.now();
  const end = begun + seconds * 1_000;
  const client = async (): Promise<void> => {
    while (performance.now() < end) {
      await enqueue(sql, leavesPerAppend);
      log.sequencer.wake();
      // The log is given no more than it takes.
      const { newest } = log.published;
      if ((await loggedCount(sql)) - (newest?.size ?? 0) > 40_000) await sleep(100);
    }
  };
  await Promise.all(Array.from({ length: clientCount }, client));
  const after = await loggedCount(sql);
  await caughtUp(log, after);
  const rate = ((after - before) * 1_000) / (performance.now() - begun);
  const subject = `${leavesPerAppend} leaves an append, ${clientCount} clients`;
  return { subject, measure: 'published', unit: 'leaves/s', quire: once(rate), due: '>= 3000' };
}

/** Measures the time from the answer of an append to a checkpoint with its leaf. */
async function measureLatency({ sql }: World, log: RunningLog, seconds: number): Promise<Figure[]> {
  const waits: number[] = [];
  const waiting: { at: number; size: number }[] = [];
  const look = (): void => {
    const size = log.published.newest?.size ?? 0;
    const now = performance.now();
    while (waiting[0] !== undefined && waiting[0].size <= size) {
      waits.push(now - (waiting.shift()?.at ?? now));
    }
  };
  const timer = setInterval(look, 2);
  let size = await loggedCount(sql);
  await caughtUp(log, size);
  const append = async (): Promise<void> => {
    await enqueue(sql, 1);
    log.sequencer.wake();
    waiting.push({ at: performance.now(), size: ++size });
  };
  const begun = performance.now();
  const running: Promise<void>[] = [];
  for (let count = 0; count < seconds * latencyPerSecond; count++) {
    await sleep(Math.max(0, begun + (count * 1_000) / latencyPerSecond - performance.now()));
    running.push(append());
  }
  await Promise.all(running);
  await caughtUp(log, size);
  look();
  clearInterval(timer);
  const subject = `${latencyPerSecond} appends a second`;
  const at = (share: number): Summary => once(percentile(waits, share));
  return [
    { subject, measure: 'to checkpoint, p50', unit: 'ms', quire: at(0.5), due: '<= 700' },
    { subject, measure: 'to checkpoint, p99', unit: 'ms', quire: at(0.99), due: '<= 1500' },
  ];
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

async function fill({ sql }: World, log: RunningLog, size: number): Promise<void> {
  const step = 2_000;
  for (let count = await loggedCount(sql); count < size; count += step) {
    await enqueue(sql, Math.min(step, size - count));
    log.sequencer.wake();
  }
  await caughtUp(log, await loggedCount(sql));
}

async function measureProofs(
  { sql }: World,
  { reader, published }: RunningLog,
  seconds: number,
): Promise<Figure[]> {
  const size = published.newest?.size ?? 0;
  const rows = await sql<{ hash: Buffer }[]>`
    select leaf_hash as hash from tlog_entry order by leaf_hash limit 50000`;
  const hashes = rows.map(({ hash }) => hash);
  const subject = `${size} leaves`;
  const rate = async (ask: (at: number) => Promise<number>): Promise<Summary> => {
    let count = 0;
    const begun = performance.now();
    const usage = process.cpuUsage();
    for (let at = 0; performance.now() - begun < seconds * 1_000; at++) count += await ask(at);
    const { user, system } = process.cpuUsage(usage);
    return once((count * 1e6) / (user + system));
  };
  const bulk = await rate(async (at) => {
    const first = (at * bulkProofs) % Math.max(1, hashes.length - bulkProofs);
    return (await reader.proveAll(hashes.slice(first, first + bulkProofs))).length;
  });
  const single = await rate(async (at) => {
    const asked = Array.from({ length: askedAtOnce }, (_, index) => {
      const next = (at * askedAtOnce + index) * 7_919;
      return reader.prove(hashes[next % hashes.length] ?? Buffer.alloc(32));
    });
    return (await Promise.all(asked)).length;
  });
  return [
    {
      subject,
      measure: `proofs, ${bulkProofs} at once`,
      unit: '/s of a core',
      quire: bulk,
      due: '>= 5000',
    },
    {
      subject,
      measure: `proofs, ${askedAtOnce} readers`,
      unit: '/s of a core',
      quire: single,
      due: '>= 5000',
    },
  ];
}

/** Measures the time from a cold start to the first proof, and a takeover of the log. */
async function measureRestart(world: World): Promise<Figure> {
  const size = await loggedCount(world.sql);
  const [row] = await world.sql<{ hash: Buffer }[]>`
    select leaf_hash as hash from tlog_entry limit 1`;
  const begun = performance.now();
  const log = start(world);
  await log.published.refresh();
  await log.reader.prove(row?.hash ?? Buffer.alloc(32));
  const serving = performance.now() - begun;
  await enqueue(world.sql, 1);
  await caughtUp(log, size + 1);
  await log.sequencer.stop();
  const quire = once(serving);
  return { subject: `${size} leaves`, measure: 'restart', unit: 'ms', quire, due: '<= 2000' };
}
