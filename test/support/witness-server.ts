import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

import type { WitnessDouble } from './witness-double.ts';

/** Serves a witness at an address of this machine, and returns its line for a policy. */
export async function serveWitness(
  t: Pick<Test, 'teardown'>,
  witness: WitnessDouble,
): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      witness.post(Buffer.concat(chunks).toString('utf8')).then(
        ({ status, type, text }) => response.writeHead(status, { 'content-type': type }).end(text),
        () => response.destroy(),
      );
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  return witness.policyLine.replace(/ https:.*/, ` http://127.0.0.1:${port}/witness`);
}
