import t from 'tap';
import { createMigratedDatabase } from '../support/postgres.ts';
import { S3Server } from '../support/s3/server.ts';
import { ServiceProcess } from '../support/service-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { TestService } from '../support/test-service.ts';

/** Runs long: an object store that fails and comes back. */

t.setTimeout(120_000);

t.test('without its object store the service starts, writes and reads', async (t) => {
  const store = await S3Server.start(t);
  store.goAway();
  const service = await TestService.start(t, { OBJECT_STORE_URL: store.url });
  const away = await service.request('/ready');
  t.equal(away.status, 200);
  t.same(away.json, {
    status: 'degraded',
    dependencies: { postgres: 'ok', objects: 'unavailable', log: 'ok' },
  });
  const credential = await service.register();
  const made = await service.request('/v1/workbooks', { method: 'POST', credential });
  t.equal(made.status, 201);
  const { id } = made.json as { id: string };
  const cells = [{ a1: 'A1', input: 7 }];
  const written = await service.request(`/v1/workbooks/${id}/branches/main/ops`, {
    credential,
    body: { ops: [{ kind: 'cells.set', payload: { sheet: 'Sheet1', cells } }] },
  });
  t.equal(written.status, 200);
  const read = await service.request(`/v1/workbooks/${id}/slice?range=Sheet1!A1`, { credential });
  t.equal(read.status, 200);

  await store.comeBack();
  const back = await service.request('/ready');
  t.match(back.json, { status: 'ok', dependencies: { postgres: 'ok', objects: 'ok' } });

  store.faults.add({ fault: { kind: 'silence', when: 'before' } });
  const started = performance.now();
  const silent = await service.request('/ready');
  t.match(silent.json, { status: 'degraded' });
  t.ok(performance.now() - started < 2500, 'a probe does not wait for what does not answer');
});

t.test('a store that cannot be used is told to the operator at the start', async (t) => {
  const store = await S3Server.start(t);
  const folder = await makeTemporaryFolder(t);
  const { accessKeyId, secretAccessKey } = S3Server.credentials;
  const service = await ServiceProcess.start(t, folder, {
    OBJECT_STORE_URL: store.url.replace('s3://bucket/', 's3://no-bucket/'),
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  });
  const deadline = performance.now() + 5000;
  const warning = (): string | undefined =>
    service.logLines.find((line) => line.includes('OBJECT_STORE_URL'));
  while (warning() === undefined && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  t.match(warning(), /cannot be used.*The specified bucket does not exist/);
  t.equal(await service.stop(), 0);
});

t.test('a cold branch is written to and read while the store keeps silent', async (t) => {
  const store = await S3Server.start(t);
  const settings = { OBJECT_STORE_URL: store.url, DATABASE_URL: await createMigratedDatabase() };
  const first = await TestService.start(t, settings);
  const credential = await first.register();
  const set = (input: number) => {
    return { ops: [{ kind: 'cells.set', payload: { cells: [{ a1: 'A1', input }] } }] };
  };
  const paths: string[] = [];
  for (let count = 0; count < 2; count++) {
    const made = await first.request('/v1/workbooks', { method: 'POST', credential });
    const path = `/v1/workbooks/${(made.json as { id: string }).id}`;
    paths.push(path);
    await first.request(`${path}/branches/main/ops`, { credential, body: set(1) });
    const kept = await first.request(`${path}/branches/main/checkpoint`, {
      method: 'POST',
      credential,
    });
    t.equal(kept.status, 200);
    await first.request(`${path}/branches/main/ops`, { credential, body: set(2) });
  }
  await first.app.stop();
  store.faults.add({ fault: { kind: 'silence', when: 'before' } });
  const second = await TestService.start(t, settings);
  const mostMilliseconds = 10_000;
  for (const path of paths) {
    const began = performance.now();
    const options = { credential, body: set(3) };
    const written = await second.request(`${path}/branches/main/ops`, options);
    t.equal(written.status, 200);
    const read = await second.request(`${path}/slice?range=A1`, { credential });
    t.match(read.json, { rows: [[3]] });
    t.ok(performance.now() - began < mostMilliseconds, 'the store is not waited for to the end');
  }
});

t.test('what only the store has is refused when it was tried once', async (t) => {
  const store = await S3Server.start(t);
  const settings = {
    OBJECT_STORE_URL: store.url,
    DATABASE_URL: await createMigratedDatabase(),
    HOT_OPERATIONS: '0',
    SEAL_OPERATIONS: '1',
    SEAL_IDLE_SECONDS: '1',
  };
  const first = await TestService.start(t, settings);
  const credential = await first.register();
  const made = await first.request('/v1/workbooks', { method: 'POST', credential });
  const path = `/v1/workbooks/${(made.json as { id: string }).id}`;
  await first.request(`${path}/branches/main/checkpoint`, { method: 'POST', credential });
  for (let tries = 0; tries < 200; tries++) {
    const { text } = await first.request('/metrics');
    if (/^quire_keeper_trimmed_operations_total [1-9]/mu.test(text)) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await first.app.stop();
  store.faults.add({ fault: { kind: 'reset' } });
  const second = await TestService.start(t, settings);
  const began = performance.now();
  const read = await second.request(`${path}/slice?range=A1`, { credential });
  t.match(read, { status: 503, json: { code: 'unavailable' } });
  t.ok(read.headers.get('retry-after'));
  const seconds = (performance.now() - began) / 1_000;
  t.ok(seconds < 16, `it took ${seconds} s`);
  store.faults.clear();
  t.equal((await second.request(`${path}/slice?range=A1`, { credential })).status, 200);
});
