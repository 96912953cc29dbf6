import t from 'tap';
import { createLog } from '../../server/log.ts';

t.test('secrets do not reach the log', async (t) => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => lines.push(line) });
  log.info({ authorization: 'Bearer s3cret' }, 'one');
  log.info({ request: { headers: { authorization: 'Bearer s3cret' } } }, 'two');
  log.info({ body: { otp: 's3cret', claim_token: 's3cret', credential: 's3cret' } }, 'three');
  log.info({ query: { ticket: 's3cret', confirm: 's3cret', range: 'A1' } }, 'four');
  t.equal(lines.length, 4);
  t.notMatch(lines.join(''), /s3cret/);
  t.match(lines[3], /"range":"A1"/);
});
