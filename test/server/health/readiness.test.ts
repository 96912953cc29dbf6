import t from 'tap';
import { realEnvironment } from '../../../server/foundation.ts';
import { Readiness } from '../../../server/health/readiness.ts';

t.test('ready while all that is always needed answers', async (t) => {
  const readiness = new Readiness(realEnvironment);
  let databaseAway = false;
  let objectsAway = false;
  readiness.add('objects', 'sometimes', async () => {
    if (objectsAway) throw new Error('away');
  });
  readiness.add('postgres', 'always', async () => {
    if (databaseAway) throw new Error('away');
  });
  t.same(await readiness.check(), {
    ready: true,
    body: { status: 'ok', dependencies: { objects: 'ok', postgres: 'ok' } },
  });
  objectsAway = true;
  t.same(await readiness.check(), {
    ready: true,
    body: { status: 'degraded', dependencies: { objects: 'unavailable', postgres: 'ok' } },
  });
  objectsAway = false;
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
