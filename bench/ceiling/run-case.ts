import { fork } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Sample } from '../kernel/rounds.ts';
import type { CaseMessage, CaseRequest } from './measure-case.ts';

const program = fileURLToPath(new URL(`measure-case${extname(import.meta.url)}`, import.meta.url));
const endSignal = 'SIGKILL';
const heapMebibytesMost = 12_288;

/** Result of a case, which may have been ended early. */
export interface CaseOutcome {
  readonly quire: readonly Sample[];
  readonly peer: readonly Sample[];
  /** Figures without a peer. */
  readonly alone: Extract<CaseMessage, { kind: 'alone' }> | undefined;
  /** Reason why figures of the peer are missing; those before an early end count. */
  readonly problem: string | undefined;
}

/** Measures a case in a process of its own, for a limited time. */
export async function runCase(request: CaseRequest, secondsMost: number): Promise<CaseOutcome> {
  const samples: Record<'quire' | 'peer', Sample[]> = { quire: [], peer: [] };
  let alone: CaseOutcome['alone'];
  let wrong: string | undefined;
  const child = fork(program, [JSON.stringify(request)], {
    execArgv: [`--max-old-space-size=${heapMebibytesMost}`],
    timeout: secondsMost * 1_000,
    killSignal: endSignal,
    stdio: ['ignore', 'inherit', 'ignore', 'ipc'],
  });
  child.on('message', (message: CaseMessage) => {
    if (message.kind === 'wrong') wrong = message.detail;
    else if (message.kind === 'alone') alone = message;
    else samples[message.engine].push(message.sample);
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  const isLate = signal === endSignal;
  const ended = isLate ? `not within ${secondsMost} s` : (wrong ?? deathOf(code));
  return { ...samples, alone, problem: samples.peer.length > 0 ? undefined : ended };
}

function deathOf(code: number | null): string | undefined {
  return code === 0 ? undefined : 'its process died';
}
