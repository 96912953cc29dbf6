import t from 'tap';

import {
  formTarget,
  isRegistered,
  redirectFault,
} from '../../../server/identity/oauth/redirect-uri.ts';

t.test('https, loopback, reverse domains and well-known clients are taken', async (t) => {
  for (const address of [
    'https://app.example/cb?x=1',
    'http://127.0.0.1:4711/callback',
    'http://[::1]/callback',
    'http://localhost/',
    'com.example.app:/oauth',
    'cursor://anysphere.cursor-retrieval/oauth/callback',
    'vscode://publisher.extension/cb',
  ]) {
    t.equal(redirectFault(address), undefined, address);
  }
});

t.test('every other scheme is refused, whatever browsers make of it', async (t) => {
  for (const scheme of [
    'javascript',
    'data',
    'file',
    'blob',
    'about',
    'chrome',
    'view-source',
    'filesystem',
    'ms-settings',
    'intent',
    'ws',
    'ftp',
    'mailto',
    'x',
  ]) {
    t.match(redirectFault(`${scheme}:anything`), /scheme/, scheme);
  }
  t.match(redirectFault('http://app.example/cb'), /not https/);
});

t.test('a host cannot end a directive of a policy', async (t) => {
  for (const address of [
    'https://evil.example;script-src/cb',
    "https://evil.example'/cb",
    'https://evil.example,x/cb',
    'https://*.example/cb',
    'https://user@evil.example/cb',
    'https://evil.example/cb#x',
    ' https://evil.example/',
    'https://evil.exa\tmple/',
  ]) {
    t.type(redirectFault(address), 'string', address);
    t.notOk(isRegistered(address, [address]), 'nor is one that was registered before');
  }
  t.equal(formTarget('https://app.example/cb'), 'https://app.example');
  t.equal(formTarget('com.example.app:/oauth'), 'com.example.app:');
});
