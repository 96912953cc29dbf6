import { createInterface } from 'node:readline/promises';
import process from 'node:process';

import type { Progress } from '../library/call.ts';
import { environment } from './environment.ts';

const barMilliseconds = 1_000;
const colors = { red: 31, green: 32, yellow: 33, blue: 34, dim: 2, bold: 1 } as const;

/** Output of a command: data goes to standard output, all else to standard error. */
export class Terminal {
  readonly isJson: boolean;
  readonly isQuiet: boolean;
  readonly #hasColor: boolean;
  readonly #startedAt = performance.now();
  #hasBar = false;

  constructor({ json, quiet, noColor }: { json: boolean; quiet: boolean; noColor: boolean }) {
    this.isJson = json;
    this.isQuiet = quiet;
    const wants = environment.forcesColor || (process.stdout.isTTY && !environment.hasNoColor);
    this.#hasColor = wants && !noColor && !json;
  }

  /** True when a person can answer questions. */
  get isInteractive(): boolean {
    return process.stdin.isTTY && process.stderr.isTTY && !this.isJson && !this.isQuiet;
  }

  get isTerminal(): boolean {
    return process.stdout.isTTY;
  }

  print(text: string): void {
    this.#clearBar();
    process.stdout.write(`${text}\n`);
  }

  /** Prints one value, or one line of a list, as JSON. */
  json(value: unknown): void {
    this.print(JSON.stringify(value));
  }

  note(text: string): void {
    if (!this.isQuiet && !this.isJson) this.warn(text);
  }

  warn(text: string): void {
    this.#clearBar();
    process.stderr.write(`${text}\n`);
  }

  paint(color: keyof typeof colors, text: string): string {
    return this.#hasColor ? `\u001b[${colors[color]}m${text}\u001b[0m` : text;
  }

  /** Shows progress to people, from the first second on. */
  readonly progress = ({ done, total }: Progress, what = 'cells'): void => {
    const passed = performance.now() - this.#startedAt;
    if (!this.isInteractive || passed < barMilliseconds) return;
    const perSecond = Math.round(done / (passed / 1_000));
    const left = perSecond > 0 ? Math.ceil((total - done) / perSecond) : 0;
    process.stderr.write(`\r\u001b[K${done} of ${total} ${what}, ${perSecond}/s, ${left} s left`);
    this.#hasBar = true;
  };

  async ask(question: string): Promise<string> {
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    try {
      return (await lines.question(question)).trim();
    } finally {
      lines.close();
    }
  }

  #clearBar(): void {
    if (this.#hasBar) process.stderr.write('\r\u001b[K');
    this.#hasBar = false;
  }
}

export async function readInput(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
