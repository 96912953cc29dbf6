import t from 'tap';
import { parseDatabaseAddress } from '../../../server/model/database-address.ts';

t.test('one host is as before, with its port or the usual one', async (t) => {
  t.match(parseDatabaseAddress('postgres://u:p@db/quire'), {
    url: 'postgres://u:p@db/quire',
    hosts: [{ host: 'db', port: 5432 }],
  });
  t.match(parseDatabaseAddress('postgresql://[::1]:7/q'), { hosts: [{ host: '::1', port: 7 }] });
});

t.test('several hosts are read in their order, and the URL keeps the first', async (t) => {
  const address = parseDatabaseAddress(
    'postgres://u:p%40@a:5433,10.0.0.2,[fd00::1]:5434/quire?target_session_attrs=primary&ssl=require',
  );
  t.same(address?.hosts, [
    { host: 'a', port: 5433 },
    { host: '10.0.0.2', port: 5432 },
    { host: 'fd00::1', port: 5434 },
  ]);
  t.equal(address?.url, 'postgres://u:p%40@a:5433/quire?ssl=require');
});

t.test('what cannot be used is refused', async (t) => {
  for (const text of [
    'http://a/b',
    'postgres://',
    'postgres://a,,b/q',
    'postgres://a:0,b/q',
    'postgres://a:1:2/q',
    'postgres://a,b/q?target_session_attrs=read-write',
    'postgres://a,b/q?target_session_attrs=any',
  ]) {
    t.equal(parseDatabaseAddress(text), undefined, text);
  }
});
