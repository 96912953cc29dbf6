import { resolve } from 'node:path';
import t from 'tap';
import { ConfigError, publicAddresses, readConfig } from '../../server/config.ts';

const onePort = (port: number) => ({ api: port, auth: port, site: port });

t.test('without settings everything has its documented default', async (t) => {
  const config = readConfig({});
  t.equal(config.host, '127.0.0.1');
  t.equal(config.port, 8080);
  t.equal(config.dataDirectory, resolve('data'));
  t.equal(config.databaseUrl, undefined);
  t.match(config.objectStoreUrl, /^file:\/\/\/.*\/data\/objects$/);
  t.match(config.mailUrl, /^file:\/\/\/.*\/data\/mail$/);
  t.ok(config.workerCount >= 1);
  t.equal(config.developmentHooks, true);
  t.equal(config.rateLimits, true);
  t.equal(config.logLevel, 'info');
  t.equal(config.role, 'all');
  t.equal(config.matchProviders, undefined);
  t.equal(config.matchCacheScope, 'server');
  t.ok(Object.isFrozen(config));
});

t.test('development hooks are off by default where others can reach them', async (t) => {
  t.equal(readConfig({ HOST: '0.0.0.0' }).developmentHooks, false);
  t.equal(readConfig({ DATABASE_URL: 'postgres://db/x' }).developmentHooks, false);
  t.equal(readConfig({ HOST: '0.0.0.0', DEV_HOOKS: '1' }).developmentHooks, true);
  t.equal(readConfig({ DEV_HOOKS: '0' }).developmentHooks, false);
});

t.test('a bad value is refused by the name of its setting', async (t) => {
  const bad: readonly [string, string][] = [
    ['PORT', '80.5'],
    ['PORT', '65536'],
    ['PORT', 'http'],
    ['WORKERS', '0'],
    ['EVAL_CEILING_CELLS', '-1'],
    ['DATABASE_URL', 'mysql://x'],
    ['DATABASE_URL', 'postgres://a:5432,b:99999/x'],
    ['DATABASE_URL', 'postgres://a,b/x?target_session_attrs=read-write'],
    ['DATABASE_DIRECT_URL', 'http://x'],
    ['REPLICATION', 'perhaps'],
    ['REPLICATION', 'required'],
    ['LISTEN_HEALTH', 'yes'],
    ['OBJECT_STORE_URL', '/tmp/objects'],
    ['BASE_URL', 'example.com'],
    ['BASE_URL', 'https://example.com/?a=1'],
    ['BASE_URL', 'https://me:hunter2@example.com'],
    ['MAIL_URL', 'http://example.com'],
    ['MAIL_URL', 'smtp://'],
    ['DEV_HOOKS', 'maybe'],
    ['LOG_LEVEL', 'loud'],
    ['ROLE', 'none'],
    ['NODE_ID', 'two words'],
    ['HOST', '999.9.9.9'],
    ['HOST', '1.2.3'],
    ['HOST', '1::2::3'],
    ['TRUSTED_PROXIES', '999.9.9.9'],
    ['TRUSTED_PROXIES', '10.0.0.1, 10.0.0'],
    ['TRUSTED_PROXIES', '10.0.0.0/8'],
    ['TRUSTED_PROXIES', 'proxy.example.com'],
    ['DATABASE_URL', 'postgres://999.9.9.9/x'],
    ['DATABASE_URL', 'postgres://a,10.0.0.256/x'],
    ['DATABASE_URL', 'postgres://[1::2::3]/x'],
    ['DATABASE_DIRECT_URL', 'postgres://10.0.0:5432/x'],
    ['MAIL_URL', 'smtp://999.9.9.9'],
    ['MAIL_URL', 'smtps://[1::2::3]'],
    ['BASE_URL', 'http://999.9.9.9'],
    ['ALLOWED_ORIGINS', 'http://999.9.9.9'],
  ];
  for (const [name, value] of bad) {
    t.throws(() => readConfig({ [name]: value }), new ConfigError(), `${name}=${value}`);
    t.throws(() => readConfig({ [name]: value }), { message: new RegExp(name) });
  }
});

t.test('an address has one spelling, whichever way it is written', async (t) => {
  const proxies = '10.0.0.1, ::1,0:0:0:0:0:ffff:10.0.0.2, 2001:DB8::7';
  t.same(readConfig({ TRUSTED_PROXIES: proxies }).trustedProxies, [
    '10.0.0.1',
    '0:0:0:0:0:0:0:1',
    '10.0.0.2',
    '2001:db8:0:0:0:0:0:7',
  ]);
  for (const HOST of ['::1', '[::1]', '0:0:0:0:0:0:0:1', '127.0.0.9', 'localhost']) {
    t.equal(readConfig({ HOST, RATE_LIMITS: 'off' }).developmentHooks, true, HOST);
  }
  t.equal(publicAddresses(readConfig({ HOST: '[::1]' }), onePort(1)).baseUrl, 'http://[::1]:1');
  t.equal(readConfig({ MAIL_URL: 'smtp://[::1]:25' }).mailUrl, 'smtp://[::1]:25');
  const url = 'postgres://[::1]:5432,10.0.0.1,db.example/x';
  t.equal(readConfig({ DATABASE_URL: url }).databaseUrl, url);
});

t.test('a password in a URL is not repeated', async (t) => {
  t.throws(() => readConfig({ DATABASE_URL: 'mysql://me:hunter2@db/x' }), {
    message: /^(?!.*hunter2).*DATABASE_URL/,
  });
});

t.test('rate limits can be off on loopback only', async (t) => {
  t.equal(readConfig({ RATE_LIMITS: 'off' }).rateLimits, false);
  t.equal(readConfig({ RATE_LIMITS: 'off', HOST: '::1' }).rateLimits, false);
  t.throws(() => readConfig({ RATE_LIMITS: 'off', HOST: '0.0.0.0' }), { message: /RATE_LIMITS/ });
  t.throws(() => readConfig({ RATE_LIMITS: 'off', HOST: '127.0.0.1.example.com' }), {
    message: /RATE_LIMITS/,
  });
});

t.test('an empty variable counts as unset', async (t) => {
  t.equal(readConfig({ PORT: '', HOST: ' ' }).port, 8080);
});

t.test('a relative file address is read from the working directory', async (t) => {
  const config = readConfig({ OBJECT_STORE_URL: 'file:./some objects' });
  t.equal(config.objectStoreUrl, `file://${resolve('some%20objects')}`);
});

t.test('public addresses are the listener unless set', async (t) => {
  t.same(publicAddresses(readConfig({}), onePort(4000)), {
    baseUrl: 'http://127.0.0.1:4000',
    authUrl: 'http://127.0.0.1:4000',
    siteUrl: 'http://127.0.0.1:4000',
  });
  t.equal(publicAddresses(readConfig({ HOST: '::1' }), onePort(1)).baseUrl, 'http://[::1]:1');
  const set = { BASE_URL: 'https://api.example.com/', AUTH_URL: 'https://auth.example.com' };
  t.same(publicAddresses(readConfig(set), onePort(1)), {
    baseUrl: 'https://api.example.com',
    authUrl: 'https://auth.example.com',
    siteUrl: 'https://api.example.com',
  });
});

t.test('three ports have three addresses, unless others are set', (t) => {
  const settings = { LISTEN_API: '1', LISTEN_AUTH: '2', LISTEN_SITE: '3' };
  const config = readConfig(settings);
  t.same(config.listen, { api: 1, auth: 2, site: 3 });
  t.same(publicAddresses(config, { api: 1, auth: 2, site: 3 }), {
    baseUrl: 'http://127.0.0.1:1',
    authUrl: 'http://127.0.0.1:2',
    siteUrl: 'http://127.0.0.1:3',
  });
  const BASE_URL = 'https://books.example';
  const behind = readConfig({ ...settings, BASE_URL });
  t.equal(publicAddresses(behind, { api: 1, auth: 2, site: 3 }).siteUrl, BASE_URL);
  t.throws(() => readConfig({ LISTEN_AUTH: 'x' }), /LISTEN_AUTH/);
  t.end();
});

t.test('a process of one role is told where the others are', (t) => {
  const addresses = { BASE_URL: 'http://a', AUTH_URL: 'http://b', SITE_URL: 'http://c' };
  const settings = { ROLE: 'site', DATABASE_URL: 'postgres://x/y', ...addresses };
  t.equal(readConfig(settings).role, 'site');
  for (const name of Object.keys(settings).slice(1)) {
    t.throws(() => readConfig({ ...settings, [name]: '' }), new RegExp(`ROLE=site needs ${name}`));
  }
  t.throws(() => readConfig({ ROLE: 'both' }), /ROLE/);
  t.end();
});

t.test('the memory of the log lies beyond DATA_DIR, or nowhere', async (t) => {
  const folderOf = (settings: Record<string, string>) => readConfig(settings).tlogMemoryFolder;
  t.equal(folderOf({}), undefined);
  t.equal(folderOf({ HOME: '/srv/quire' }), '/srv/quire/.local/state/quire');
  t.equal(folderOf({ HOME: '/srv/quire', XDG_STATE_HOME: '/var/state' }), '/var/state/quire');
  t.equal(folderOf({ XDG_STATE_HOME: '/var/state', TLOG_MEMORY_DIR: '/mnt/m' }), '/mnt/m');
  t.equal(folderOf({ HOME: '/srv/quire', TLOG_MEMORY_DIR: 'off' }), undefined);
});
