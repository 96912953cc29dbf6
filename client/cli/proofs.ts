import { writeFile } from 'node:fs/promises';
import process from 'node:process';

import { ProofFault } from '../library/quire.ts';
import { Proof } from '../library/proof.ts';
import type { Context } from './context.ts';
import { exitCodes, notWritten, Stop } from './stop.ts';
import { fileAt } from './workbooks.ts';

/** Writes the proof of one operation to a file that can be verified anywhere. */
export async function proof(context: Context): Promise<number> {
  const { signal, terminal } = context;
  const { book, ref } = await context.place();
  if (!/@\d+$/.test(ref)) {
    throw new Stop(exitCodes.usage, 'Name one operation, such as wb_…@main@42.');
  }
  const { text } = await book.proofOf(ref, { signal });
  return put(context, text, () => terminal.json({ ref, proof: text }));
}

export async function policy(context: Context): Promise<number> {
  const text = await context.stranger().policy({ signal: context.signal });
  return put(context, text, () => context.terminal.json({ policy: text }));
}

async function put(context: Context, text: string, asJson: () => void): Promise<number> {
  const to = context.option('output');
  if (to !== undefined) {
    await writeFile(to, text).catch((error: unknown) => {
      throw notWritten(to, error);
    });
    context.terminal.note(`${to} is written.`);
  } else if (context.terminal.isJson) asJson();
  else process.stdout.write(text);
  return exitCodes.done;
}

/** Verifies a proof in a file on this machine, or has the service verify a whole workbook. */
export async function verify(context: Context): Promise<number> {
  const what = context.argument(0, 'A .tlog-proof file, or a workbook');
  if (/^wb_|^[\w-]+\/[\w-]+$/.test(what) && !what.endsWith('.tlog-proof'))
    return verifyBook(context);
  const { terminal } = context;
  const trusted = context.option('policy');
  if (trusted === undefined) {
    const advice = '`quire policy -o policy.txt` keeps that of a service, to be compared and kept.';
    throw new Stop(exitCodes.usage, `Say whom to trust: --policy <file>. ${advice}`);
  }
  const text = (await fileAt(what)).toString('utf8');
  try {
    const proven = await new Proof(text).verify((await fileAt(trusted)).toString('utf8'));
    const { statement, origin, size, seq } = proven;
    const { kind, workbook, firstSeq, lastSeq } = statement;
    if (terminal.isJson)
      terminal.json({ ok: true, origin, size, seq, kind, workbook, firstSeq, lastSeq });
    else {
      const about = seq === undefined ? `${kind} ${firstSeq} to ${lastSeq}` : `operation ${seq}`;
      terminal.print(`Proven: ${about} of ${workbook} is in ${origin}, of ${size} entries.`);
    }
    return exitCodes.done;
  } catch (error) {
    if (!(error instanceof ProofFault)) throw error;
    if (terminal.isJson) terminal.json({ ok: false, detail: error.message });
    else terminal.print(`Not proven: ${error.message}`);
    return exitCodes.failed;
  }
}

async function verifyBook(context: Context): Promise<number> {
  const { terminal, signal } = context;
  const { book } = await context.place();
  const answer = await context.quire().call('POST', '/v1/workbooks/{id}/verify', {
    signal,
    path: { id: book.id },
  });
  if (terminal.isJson) terminal.json(answer);
  else if (answer.ok) terminal.print(`All that is stored of ${book.id} is what was written.`);
  else terminal.print(`Not what was written: ${JSON.stringify(answer)}`);
  return answer.ok ? exitCodes.done : exitCodes.failed;
}
