import t from 'tap';
import { realEnvironment } from '../../../server/app.ts';
import { Readiness } from '../../../server/health/readiness.ts';

t.test('ready while every dependency answers', async (t) => {
  const readiness = new Readiness(realEnvironment);
  let databaseAway = false;
  readiness.add('objects', async () => undefined);
  readiness.add('postgres', async () => {
    if (databaseAway) throw new Error('away');
  });
  t.same(await readiness.check(), {
    ready: true,
    body: { status: 'ok', dependencies: { objects: 'ok', postgres: 'ok' } },
  });
  databaseAway = true;
  t.same(await readiness.check(), {
    ready: false,
    body: { status: 'unavailable', dependencies: { objects: 'ok', postgres: 'unavailable' } },
  });
});

t.test('not ready from the moment the process begins to stop', async (t) => {
  const readiness = new Readiness(realEnvironment);
  readiness.drain();
  t.same(await readiness.check(), { ready: false, body: { status: 'draining', dependencies: {} } });
});
