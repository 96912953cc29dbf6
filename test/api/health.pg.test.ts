import { get } from 'node:http';
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

/** Over node:http, as fetch does not let a Host be chosen. */
function statusOf(url: string, headers: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    }).on('error', reject);
  });
}

t.test('metrics are not for those whom a proxy passes on', async (t) => {
  const service = await TestService.start(t, { TRUSTED_PROXIES: '127.0.0.1' });
  const url = `${service.url}/metrics`;
  t.equal(await statusOf(url, {}), 200);
  t.equal(await statusOf(url, { host: 'localhost:1' }), 200);
  const passedOn = [
    { 'x-forwarded-for': '192.0.2.1' },
    { 'x-forwarded-for': '127.0.0.1' },
    { forwarded: 'for=192.0.2.1' },
    { via: '1.1 proxy' },
    { 'x-real-ip': '192.0.2.1' },
    { 'x-forwarded-proto': 'https' },
    { host: 'quire.example' },
  ];
  for (const headers of passedOn) {
    const status = await statusOf(url, headers);
    t.ok(status === 404 || status === 421, `${JSON.stringify(headers)} ${status}`);
  }
});
