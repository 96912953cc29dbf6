import t from 'tap';
import type { Test } from 'tap';

import { nodeCrypto } from '../../../../server/tlog/node-crypto.ts';
import { parsePolicy } from '../../../../server/tlog/note/policy.ts';
import { verifyCheckpoint } from '../../../../server/tlog/note/proof-file.ts';
import { formatVerifierKey } from '../../../../server/tlog/note/verifier-key.ts';
import { LogSigner } from '../../../../server/tlog/service/signing-keys.ts';
import { Witnesses } from '../../../../server/tlog/service/witnesses.ts';
import { LogWorld, seeds, until, type Node, type NodeOptions } from '../../../support/log-world.ts';
import { postTo, WitnessDouble } from '../../../support/witness-double.ts';

const { keys } = new LogSigner('log.example/v1/tlog', seeds);

interface World {
  readonly world: LogWorld;
  readonly one: WitnessDouble;
  readonly two: WitnessDouble;
  readonly policyText: string;
  readonly start: (options?: Pick<NodeOptions, 'secondMilliseconds'>) => Node;
  readonly reports: string[];
}

async function open(t: Test, quorum: string): Promise<World> {
  const world = await LogWorld.open(t);
  const one = new WitnessDouble('one', keys);
  const two = new WitnessDouble('three', keys);
  const policyText = [
    `log ${formatVerifierKey(keys[0] ?? fail())}`,
    one.policyLine,
    two.policyLine,
    'group both all one three',
    `quorum ${quorum}`,
    '',
  ].join('\n');
  const reports: string[] = [];
  const start: World['start'] = (options) => {
    const witnesses = new Witnesses({
      policy: parsePolicy(nodeCrypto.sha256, policyText),
      post: postTo([one, two]),
      report: (step, error) => reports.push(`${step}: ${String(error)}`),
    });
    return world.start({ witnesses, ...options });
  };
  return { world, one, two, policyText, start, reports };
}

function fail(): never {
  throw new Error('there is no key');
}

function stored({ objects }: LogWorld): string {
  return Buffer.from(objects.files.get('tlog/checkpoint') ?? []).toString('utf8');
}

t.test('a checkpoint has the signatures of witnesses, and satisfies the policy', async (t) => {
  const { world, one, two, policyText, start } = await open(t, 'both');
  const node = start();
  await world.add(300);
  await world.caughtUp();
  await world.add(13);
  await world.caughtUp();
  const policy = parsePolicy(nodeCrypto.sha256, policyText);
  const { note } = await verifyCheckpoint(nodeCrypto, policy, stored(world));
  t.same(
    note.signatures.map(({ timeSeconds }) => timeSeconds),
    [undefined, 1_700_000_313, 1_700_000_313],
  );
  t.equal(one.seen.size, 313);
  t.equal(two.seen.size, 313);
  t.equal((await world.table.cosignatures()).length, 2);
  await node.sequencer.stop();
  const asked = one.asked.length;
  start();
  await world.add(1);
  await world.caughtUp();
  t.same(one.asked.slice(asked), ['0 314', '313 314'], 'after a start it asks what they have seen');
});

t.test('without enough witnesses nothing is published', async (t) => {
  const { world, two, start, reports } = await open(t, 'both');
  start();
  await world.caughtUp(0);
  for (const answer of ['silent', 'wrong', 'garbled'] as const) {
    two.answer = answer;
    await world.add(5);
    const before = await world.sizeInStore();
    const count = reports.length;
    await until(() => reports.length > count + 1, 'report');
    t.equal(await world.sizeInStore(), before, answer);
    two.answer = 'right';
    await world.caughtUp();
  }
});

t.test('a witness that is not needed is not waited for', async (t) => {
  const { world, one, two, policyText, start } = await open(t, 'none');
  one.answer = 'silent';
  start();
  await world.add(300);
  await world.caughtUp();
  const policy = parsePolicy(nodeCrypto.sha256, policyText);
  const { note } = await verifyCheckpoint(nodeCrypto, policy, stored(world));
  t.equal(note.signatures.length, 2);
  t.equal(two.seen.size, 300);
});

t.test('signatures are made fresh although nothing is logged', async (t) => {
  const { world, one, start } = await open(t, 'both');
  start({ secondMilliseconds: 5 });
  await world.add(3);
  await world.caughtUp();
  const count = one.asked.length;
  await until(() => one.asked.length > count, 'new signature');
  t.equal(one.asked.at(-1), '3 3');
});

t.test('a witness that has seen more, or something else, halts the log', async (t) => {
  const more = await open(t, 'none');
  more.one.seen = { size: 500, root: Buffer.alloc(32, 1) };
  const ahead = more.start();
  await until(() => ahead.sequencer.haltedReason !== undefined, 'halt');
  t.match(ahead.sequencer.haltedReason, /witness one has seen size 500, and ours is 0.*backup/);
  const other = await open(t, 'none');
  const forked = other.start();
  await other.world.add(10);
  await other.world.caughtUp();
  other.two.seen = { size: 10, root: Buffer.alloc(32, 1) };
  await other.world.add(1);
  await until(() => forked.sequencer.haltedReason !== undefined, 'halt');
  t.match(forked.sequencer.haltedReason, /witness three has seen another log/);
  t.equal(await other.world.sizeInStore(), 10, 'what it did not sign is not published');
});

t.test('a witness that has another tree of the same size halts the log', async (t) => {
  for (const named of [true, false]) {
    const { world, one, start } = await open(t, 'none');
    const first = start();
    await world.add(10);
    await world.caughtUp();
    await first.sequencer.stop();
    one.seen = { size: 10, root: Buffer.alloc(32, 1) };
    one.isNamingSize = named;
    const again = start();
    await until(() => again.sequencer.haltedReason !== undefined, 'halt');
    t.match(again.sequencer.haltedReason, /witness one has seen another log/);
  }
});
