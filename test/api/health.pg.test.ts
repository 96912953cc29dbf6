import t from 'tap';
import { TestService } from '../support/test-service.ts';

t.test('health, readiness and metrics need no credential', async (t) => {
  const service = await TestService.start(t);
  const health = await service.request('/health');
  t.equal(health.status, 200);
  t.match(health.json, { status: 'ok', version: /^\d+\.\d+\.\d+/, uptime_s: Number });
  const ready = await service.request('/ready');
  t.equal(ready.status, 200);
  t.match(ready.json, { status: 'ok', dependencies: { postgres: 'ok', objects: 'ok' } });
  const metrics = await service.request('/metrics');
  t.equal(metrics.status, 200);
  t.match(metrics.headers.get('content-type'), /^text\/plain/);
  t.match(metrics.text, /quire_http_request_seconds_count\{.*route="\/health".*\} 1/);
});
