import type { Book } from './book.ts';
import type { ReplicaClient, SentOperation } from './replica-client.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { ServiceDoor } from './service-door.ts';

type Bare = Omit<SentOperation, 'id'>;

function anyCell(random: SeededRandom): string {
  return `${'ABCDEFGH'[random.between(0, 7)] ?? 'A'}${random.between(1, 15)}`;
}

function anyInput(random: SeededRandom): unknown {
  const kind = random.between(0, 4);
  if (kind === 0) return `=SUM(${anyCell(random)}:${anyCell(random)})`;
  if (kind === 1) return `=${anyCell(random)}+1`;
  return kind === 2 ? `text ${random.between(0, 9)}` : random.between(0, 99);
}

function anyOperation(random: SeededRandom): Bare {
  const sheet = 'Sheet1';
  const kind = random.between(0, 19);
  const line = random.between(1, 12);
  const count = random.between(1, 2);
  if (kind === 0) return { kind: 'rows.insert', payload: { sheet, before: line, count } };
  if (kind === 1) return { kind: 'rows.delete', payload: { sheet, from: line, count } };
  if (kind === 2) {
    const before = random.between(1, 15);
    return { kind: 'rows.move', payload: { sheet, from: line, count, before } };
  }
  const column = 'ABCDEF'[random.between(0, 5)] ?? 'A';
  if (kind === 3) return { kind: 'cols.insert', payload: { sheet, before: column, count: 1 } };
  if (kind === 4) return { kind: 'cols.delete', payload: { sheet, from: column, count: 1 } };
  if (kind === 5) {
    const inputs = [[anyInput(random), anyInput(random)]];
    return { kind: 'range.set', payload: { range: `${sheet}!A${line}:B${line}`, inputs } };
  }
  if (kind === 6) return { kind: 'range.clear', payload: { range: `${sheet}!${anyCell(random)}` } };
  if (kind === 7) return { kind: 'sheet.add', payload: { name: `S${random.between(1, 3)}` } };
  const cells = Array.from({ length: count }, () => ({
    a1: anyCell(random),
    input: anyInput(random),
  }));
  return { kind: 'cells.set', payload: { sheet, cells } };
}

export interface Disturbed {
  readonly clients: readonly ReplicaClient[];
  readonly random: SeededRandom;
  readonly stepCount: number;
}

/** Lets clients edit, fall behind and lose their connections, a number of steps each. */
export async function runSchedule({ clients, random, stepCount }: Disturbed): Promise<void> {
  await Promise.all(
    clients.map(async (client) => {
      for (let count = 0; count < stepCount; count++) await step(client, random);
    }),
  );
}

/** One thing that a client does, or that happens to it. */
async function step(client: ReplicaClient, random: SeededRandom): Promise<void> {
  if (!client.isConnected) await client.comeBack();
  const kind = random.between(0, 19);
  if (kind <= 11) {
    client.submit(Array.from({ length: random.between(1, 3) }, () => anyOperation(random)));
  } else if (kind <= 14) {
    const taking = random.next() < 0.7 ? 'undo' : 'redo';
    client.submit([{ kind: taking, payload: { of: { last: true } } }]);
  } else if (kind === 15) client.drop();
  else if (kind === 16) client.hello();
  else if (kind === 17) void client.stall(random.between(5, 60));
  if (client.pendingCount > 12) await client.settle();
  await new Promise((resolve) => setTimeout(resolve, random.between(0, 15)));
}

interface Written {
  readonly seq: number;
  readonly id: string;
  readonly writer: string;
}

const arrivalMilliseconds = 60_000;

/**
 * Returns faults after all writing has ended: each client must have the state of the service, whose
 * journal must have no gap and contain what was acknowledged.
 */
export async function faultsAfter(
  book: Book<ServiceDoor>,
  clients: readonly ReplicaClient[],
): Promise<string[]> {
  await Promise.all(clients.map((client) => client.settle()));
  const asked = await book.ask('/branches/main/state');
  const { head, stateHash } = asked.json as { head: number; stateHash: string };
  const journal = await journalOf(book);
  const faults: string[] = [];
  if (journal.some(({ seq }, at) => seq !== at + 1) || journal.length !== head) {
    faults.push(`the journal has ${journal.length} operations, the head is ${head}`);
  }
  for (const client of clients) {
    // The last operations of others may still be under way.
    const end = Date.now() + arrivalMilliseconds;
    while (client.appliedSeq < head && Date.now() < end) await client.settle();
    const told = [...client.faults, ...faultsOf(client, journal)];
    if (client.appliedSeq !== head) told.push(`is at ${client.appliedSeq}, the head is ${head}`);
    else if (client.hash() !== stateHash) told.push('has another state than the service');
    faults.push(...told.map((fault) => `${client.name} ${fault}`));
  }
  return faults;
}

/** Compares what a client was told of its operations with what the journal has of them. */
function faultsOf(client: ReplicaClient, journal: readonly Written[]): string[] {
  const faults: string[] = [];
  const own = new Map<string, number>();
  for (const { id, seq, writer } of journal) {
    if (writer !== client.name) continue;
    if (own.has(id)) faults.push(`has ${id} done twice`);
    own.set(id, seq);
  }
  for (const [id, { status, seq }] of client.outcomes) {
    const written = own.get(id);
    own.delete(id);
    if (status === 'rejected' ? written !== undefined : written !== seq) {
      faults.push(`has ${id} ${status} at ${seq}, and written at ${written}`);
    }
  }
  for (const [id, seq] of own) faults.push(`has ${id} written at ${seq}, and no answer`);
  return faults;
}

async function journalOf(book: Book<ServiceDoor>): Promise<Written[]> {
  const { json } = await book.ask('/branches/main/ops?limit=10000');
  return (json as { ops: Written[] }).ops;
}
