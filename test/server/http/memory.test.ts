import { connect, type Socket } from 'node:net';
import t from 'tap';
import { z } from 'zod';

import { Answers, OpenAnswer } from '../../../server/http/answers.ts';
import { ByteBudget } from '../../../server/http/byte-budget.ts';
import { route } from '../../../server/http/route.ts';
import { answerLimits } from '../../../server/model/limits.ts';
import { startEdge } from '../../support/edge-server.ts';

const responses = { 200: { description: 'ok' } };
const facts = { host: 'api', tag: 'Test', summary: 'test', responses } as const;
const mebibyte = 1 << 20;

t.test('bytes have a limit for a key and in sum', async (t) => {
  const budget = new ByteBudget(400_000, 100_000);
  const first = budget.open('a');
  t.equal(first.add(90_000), undefined);
  t.match(first.add(20_000), { of: 'key' });
  t.match(budget.open('a').add(20_000), { of: 'key' });
  for (const key of ['b', 'c']) t.equal(budget.open(key).add(100_000), undefined);
  const large = budget.open('d');
  t.equal(large.add(65_000), undefined);
  t.match(large.add(10_000), { of: 'all' }, 'the last quarter is for small ones');
  t.equal(budget.open('e').add(40_000), undefined);
  t.match(budget.open('f').add(10_000), { of: 'all' });
  first.close();
  first.close();
  t.equal(budget.bytes, 305_000);
  t.equal(budget.bytesOf('a'), 0);
  large.moveTo('a');
  t.equal(budget.bytesOf('a'), 65_000);
});

t.test('the answer whose client waits the longest makes room', async (t) => {
  const patience = { ...answerLimits, stalledMilliseconds: 0 };
  const cut: string[] = [];
  const answers = new Answers(new ByteBudget(100, 60), patience);
  const open = (key: string, bytes: number, name: string): OpenAnswer => {
    const answer = answers.open(key, bytes, () => cut.push(name));
    if (!(answer instanceof OpenAnswer)) throw new Error(answer.of);
    return answer;
  };
  const one = open('a', 30, 'one');
  const two = open('a', 30, 'two');
  t.match(
    answers.open('a', 10, () => undefined),
    { of: 'key', mostBytes: 60 },
    'nobody waits for a client',
  );
  one.wait();
  two.wait();
  one.moved(1);
  open('a', 30, 'three');
  t.same(cut, ['two'], 'the other one has read something since');
  t.equal(answers.bytes, 60);
  one.close();
});

/** Sends the head and so much of a body, and then nothing more. */
function hold(port: number, announced: number, sent: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', reject);
    const head = `POST /v1/take HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer good\r\nContent-Type: application/json\r\nContent-Length: ${announced}\r\n\r\n`;
    socket.write(head);
    socket.write(Buffer.alloc(sent, 0x20), () => resolve(socket));
  });
}

function statusOf(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    socket.once('data', (data) => resolve(data.toString('latin1')));
  });
}

t.test('bodies that are held open do not take more than there is', async (t) => {
  const take = route({
    ...facts,
    scope: 'write',
    method: 'POST',
    path: '/v1/take',
    bodyLimitBytes: 32 * mebibyte,
    request: { body: z.strictObject({}) },
    handler: () => ({ value: 1 }),
  });
  const memory = { bodyBytes: 16 * mebibyte, answerBytes: 16 * mebibyte };
  const { port, url } = await startEdge(t, [take], { memory });
  const held = await Promise.all([
    hold(port, 8 * mebibyte, 1.5 * mebibyte),
    hold(port, 8 * mebibyte, 1.5 * mebibyte),
  ]);
  const late = await hold(port, 8 * mebibyte, 2 * mebibyte);
  const refusal = await statusOf(late);
  t.match(refusal, /^HTTP\/1\.1 429 /);
  t.match(refusal, /Retry-After: 2\r\n/);
  t.match(refusal, /too_many_concurrent/);
  for (const socket of [...held, late]) socket.destroy();
  const headers = { authorization: 'Bearer good', 'content-type': 'application/json' };
  let status = 0;
  // Memory that the clients held is free once the service has seen that they are gone.
  for (let tries = 0; tries < 50 && status !== 200; tries++) {
    const body = '{}'.padEnd(3 * mebibyte);
    ({ status } = await fetch(`${url}/v1/take`, { method: 'POST', headers, body }));
  }
  t.equal(status, 200);
});

t.test('a body is not read before its sender is known', async (t) => {
  let letIn: () => void = () => undefined;
  const known = new Promise<void>((resolve) => (letIn = resolve));
  const take = route({
    ...facts,
    scope: 'write',
    method: 'POST',
    path: '/v1/take',
    bodyLimitBytes: 32 * mebibyte,
    request: { body: z.strictObject({}) },
    admit: () => known,
    handler: () => ({ value: 1 }),
  });
  const { edge, port } = await startEdge(t, [take]);
  const socket = await hold(port, 9 * mebibyte, 64);
  let written = 0;
  const chunk = Buffer.alloc(mebibyte, 0x20);
  const push = (): void => {
    if (written < 8) {
      socket.write(chunk, () => {
        written++;
        push();
      });
    }
  };
  push();
  await new Promise((resume) => setTimeout(resume, 300));
  // A turn of the library reads half a mebibyte at most.
  t.ok(edge.heldBytes.bodies < 1.2 * mebibyte, `${edge.heldBytes.bodies} bytes are held`);
  letIn();
  for (let tries = 0; tries < 100 && edge.heldBytes.bodies < 8 * mebibyte; tries++) {
    await new Promise((resume) => setTimeout(resume, 20));
  }
  t.ok(edge.heldBytes.bodies >= 8 * mebibyte, 'the rest is read then');
  socket.destroy();
});

t.test('clients that do not read are cut off, and others are answered', async (t) => {
  const large = Buffer.alloc(6 * mebibyte, 0x61);
  const give = route({
    ...facts,
    scope: 'read',
    method: 'GET',
    path: '/v1/give',
    handler: () => ({ bytes: large, type: 'application/zip' }),
  });
  const patience = { progressMilliseconds: 200, stalledMilliseconds: 0 };
  const memory = { bodyBytes: 64 * mebibyte, answerBytes: 64 * mebibyte };
  const { edge, port, url } = await startEdge(t, [give], { memory, patience });
  const sockets = Array.from({ length: 10 }, () => {
    const socket = connect(port, '127.0.0.1').pause();
    socket.on('error', () => undefined);
    socket.write('GET /v1/give HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer good\r\n\r\n');
    return socket;
  });
  const headers = { authorization: 'Bearer good' };
  const answer = await fetch(`${url}/v1/give`, { headers });
  t.equal((await answer.arrayBuffer()).byteLength, large.length);
  t.ok(edge.heldBytes.answers <= 16 * mebibyte);
  for (let tries = 0; tries < 200 && edge.heldBytes.answers > 0; tries++) {
    await new Promise((resume) => setTimeout(resume, 20));
  }
  t.equal(edge.heldBytes.answers, 0, 'all that made no progress are gone');
  for (const socket of sockets) socket.destroy();
});
