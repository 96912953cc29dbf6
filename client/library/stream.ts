import { CutOff } from './problem.ts';

/**
 * Reads the items of an NDJSON answer. Its first line is a header, handed to `onHeader`; without
 * the trailer at the end it throws CutOff.
 */
export async function* readNdjson<Item>(
  response: Response,
  onHeader?: (header: Readonly<Record<string, unknown>>) => void,
): AsyncGenerator<Item, void, undefined> {
  let count = -1;
  let isWhole = false;
  for await (const line of linesOf(response)) {
    const value = parsed(line);
    if (count < 0) onHeader?.(value);
    else if (value['end'] === true) {
      if (value['count'] !== count) throw new CutOff('Items of the answer are missing.');
      isWhole = true;
      // The stream is read to its very end, or browsers take the request for aborted.
      continue;
    } else yield value as Item;
    count++;
  }
  if (isWhole) return;
  throw new CutOff(`The answer was cut off after ${Math.max(count, 0)} items.`);
}

function parsed(line: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch (cause) {
    throw new CutOff('The answer was cut off within a line.', cause);
  }
}

async function* linesOf({ body }: Response): AsyncGenerator<string, void, undefined> {
  if (!body) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { value, done } = await reader.read().catch((cause: unknown) => {
        throw new CutOff('The connection was lost within the answer.', cause);
      });
      if (done) break;
      const lines = (rest + value).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
    if (rest !== '') yield rest;
  } finally {
    await reader.cancel();
  }
}
