import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';

import { QuireCommand } from '../support/quire-command.ts';
import { TestService } from '../support/test-service.ts';

/** Says at its end which modules of Node were loaded. */
const told = `process.on('exit', () => process.stderr.write(process.moduleLoadList.join('\\n')));`;

t.test('a command loads neither the fetch of Node nor other commands', async (t) => {
  const service = await TestService.start(t, {}, {});
  const quire = await QuireCommand.at(t, service.url);
  await quire.text('login', '--anonymous');
  const sheets = [{ name: 'Plan', rows: [['Tea', 2.5, '=B1*2']] }];
  await writeFile(join(quire.home, 'plan.json'), JSON.stringify({ sheets }));
  const book = await quire.text('new', 'plan', '--from', 'plan.json');
  const teller = `--import=data:text/javascript,${encodeURIComponent(told)}`;
  const ran = await quire.run(['get', book, 'Plan!A1:C1'], { env: { NODE_OPTIONS: teller } });
  t.equal(ran.code, 0);
  t.equal(ran.stdout, 'Tea\t2.5\t5\n');
  t.match(ran.stderr, /^NativeModule http$/m, 'the list is there');
  t.notMatch(ran.stderr, /undici/);
});
